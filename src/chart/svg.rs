//! Figures as SVG documents, for export and for tests.

use super::crossover::{CrossoverFigure, draw_crossover};
use super::look::Look;
use super::pen::{Drawn, Hold, PLOTTERS_EM, Pen, Type};
use super::phases::{PhasesFigure, draw_phases};
use super::timeline::{TimelineFigure, draw_timeline};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle,
};
use plotters_svg::SVGBackend;

/// plotters' SVG backend, with widths of text that are near those of common sans-serif faces
/// (its own are the same for each byte, so that labels would keep too far apart).
pub struct Paper<'a>(SVGBackend<'a>);

type Done = Result<(), DrawingErrorKind<std::io::Error>>;

/// Width of a character in thousandths of an em, after Helvetica's metrics; wide scripts take a
/// whole em.
fn thousandths(c: char) -> u32 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' => 222,
        ' ' | '\u{a0}' | '.' | ',' | ':' | ';' | 't' | 'f' | 'I' | '!' | '/' => 278,
        '(' | ')' | '-' | 'r' => 333,
        'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' | 'J' => 500,
        'w' | 'A'..='E' | 'K' | 'P' | 'S' | 'V' | 'X' | 'Y' | 'H' | 'N' | 'R' | 'U' => 722,
        'G' | 'O' | 'Q' => 778,
        'm' | 'M' | 'W' => 833,
        '\u{2e80}'.. => 1000,
        _ => 556,
    }
}

/// Bold faces are about this much wider.
const BOLD: f64 = 1.06;
/// Room for faces that are wider than Helvetica, such as Verdana's family.
const WIDE_FACES: f64 = 1.1;

impl DrawingBackend for Paper<'_> {
    type ErrorType = std::io::Error;

    fn get_size(&self) -> (u32, u32) {
        self.0.get_size()
    }

    fn ensure_prepared(&mut self) -> Done {
        self.0.ensure_prepared()
    }

    fn present(&mut self) -> Done {
        self.0.present()
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Done {
        self.0.draw_pixel(point, color)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Done {
        self.0.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done {
        self.0.draw_rect(upper_left, bottom_right, style, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        self.0.draw_path(path, style)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done {
        self.0.draw_circle(center, radius, style, fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        points: I,
        style: &S,
    ) -> Done {
        self.0.fill_polygon(points, style)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Done {
        self.0.draw_text(text, style, at)
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Self::ErrorType>> {
        let em = style.size() / PLOTTERS_EM;
        let bold = if matches!(style.style(), FontStyle::Bold) {
            BOLD
        } else {
            1.0
        };
        let width =
            f64::from(text.chars().map(thousandths).sum::<u32>()) / 1000.0 * em * bold * WIDE_FACES;
        // Texts are short, so their sizes are small positive numbers.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let size = (width.ceil() as u32, (em * 4.0 / 3.0).ceil() as u32);
        Ok(size)
    }
}

/// What an exported figure says around itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caption<'a> {
    /// Above the figure.
    pub title: &'a str,
    /// Below it: what was configured.
    pub configuration: &'a str,
    /// Below that: where it can be opened again.
    pub address: &'a str,
}

/// The phases as an SVG document of `size` CSS pixels, with a caption around it if there is one.
///
/// # Errors
/// What the backend reports; writing to memory, it has nothing to report.
pub fn svg_phases(
    figure: &PhasesFigure,
    look: &Look,
    size: (u32, u32),
    caption: Option<&Caption>,
) -> Result<String, SvgError> {
    document(look, size, caption, |area| draw_phases(figure, look, area))
}

/// The timeline as an SVG document; see [`svg_phases`].
///
/// # Errors
/// What the backend reports; writing to memory, it has nothing to report.
pub fn svg_timeline(
    figure: &TimelineFigure,
    look: &Look,
    size: (u32, u32),
    caption: Option<&Caption>,
) -> Result<String, SvgError> {
    document(look, size, caption, |area| {
        draw_timeline(figure, look, area)
    })
}

/// The crossover as an SVG document; see [`svg_phases`].
///
/// # Errors
/// What the backend reports; writing to memory, it has nothing to report.
pub fn svg_crossover(
    figure: &CrossoverFigure,
    look: &Look,
    size: (u32, u32),
    caption: Option<&Caption>,
) -> Result<String, SvgError> {
    document(look, size, caption, |area| {
        draw_crossover(figure, look, area)
    })
}

/// What can go wrong while an SVG document is written.
pub type SvgError = DrawingAreaErrorKind<std::io::Error>;

/// Margin around a captioned figure, in CSS pixels.
const MARGIN: u32 = 16;

fn document(
    look: &Look,
    size: (u32, u32),
    caption: Option<&Caption>,
    draw: impl FnOnce(&DrawingArea<Paper, Shift>) -> Result<(), SvgError>,
) -> Result<String, SvgError> {
    let mut text = String::new();
    {
        let area = Paper(SVGBackend::with_string(&mut text, size)).into_drawing_area();
        match caption {
            None => draw(&area)?,
            Some(caption) => framed(&area, look, caption, draw)?,
        }
        area.present()?;
    }
    Ok(text)
}

fn framed<'p>(
    area: &DrawingArea<Paper<'p>, Shift>,
    look: &Look,
    caption: &Caption,
    draw: impl FnOnce(&DrawingArea<Paper<'p>, Shift>) -> Result<(), SvgError>,
) -> Drawn<Paper<'p>> {
    let theme = look.theme;
    area.fill(&plotters::style::RGBColor::from(theme.background))?;
    let line = theme.line_height();
    let inner = area.margin(MARGIN, MARGIN, MARGIN, MARGIN);
    let (head, rest) = inner.split_vertically(line * 2);
    let foot = rest.dim_in_pixel().1.cast_signed() - line * 5 / 2;
    let (body, foot) = rest.split_vertically(foot);
    let heading = Type::new(theme.font_size + 3, theme.text, Hold::Left).bold();
    Pen::new(&head, theme).text(caption.title, (0, line / 2), heading)?;
    draw(&body)?;
    let small = Type::new(theme.small(), theme.muted, Hold::Left);
    let pen = Pen::new(&foot, theme);
    pen.text(caption.configuration, (0, line), small)?;
    pen.text(caption.address, (0, line * 2), small)
}

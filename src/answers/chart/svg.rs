//! Figures as SVG documents, for export and for tests.

use super::caption::{Caption, captioned};
use super::crossover::{CrossoverFigure, draw_crossover};
use super::gpus::{GpusFigure, draw_gpus};
use super::history::{HistoryFigure, draw_history};
use super::look::Look;
use super::map::{MapFigure, draw_map};
use super::pen::PLOTTERS_EM;
use super::phases::{PhasesFigure, draw_phases};
use super::schedule::{ScheduleFigure, draw_schedule};
use super::segments::{FullnessFigure, SegmentsFigure, draw_fullness, draw_segments};
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

impl<'a> Paper<'a> {
    /// An empty document of `size` CSS pixels, written into a text.
    pub fn new(text: &'a mut String, size: (u32, u32)) -> Self {
        Self(SVGBackend::with_string(text, size))
    }
}

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

/// The schedule as an SVG document; see [`svg_phases`].
///
/// # Errors
/// What the backend reports; writing to memory, it has nothing to report.
pub fn svg_schedule(
    figure: &ScheduleFigure,
    look: &Look,
    size: (u32, u32),
    caption: Option<&Caption>,
) -> Result<String, SvgError> {
    document(look, size, caption, |area| {
        draw_schedule(figure, look, area)
    })
}

/// The need of a rank against the number of GPUs as an SVG document; see [`svg_phases`].
///
/// # Errors
/// What the backend reports; writing to memory, it has nothing to report.
pub fn svg_gpus(
    figure: &GpusFigure,
    look: &Look,
    size: (u32, u32),
    caption: Option<&Caption>,
) -> Result<String, SvgError> {
    document(look, size, caption, |area| draw_gpus(figure, look, area))
}

/// The map over two numbers as an SVG document; see [`svg_phases`].
///
/// # Errors
/// What the backend reports; writing to memory, it has nothing to report.
pub fn svg_map(
    figure: &MapFigure,
    look: &Look,
    size: (u32, u32),
    caption: Option<&Caption>,
) -> Result<String, SvgError> {
    document(look, size, caption, |area| draw_map(figure, look, area))
}

/// A measured run beside a predicted one as an SVG document; see [`svg_phases`].
///
/// # Errors
/// What the backend reports; writing to memory, it has nothing to report.
pub fn svg_history(
    figure: &HistoryFigure,
    look: &Look,
    size: (u32, u32),
    caption: Option<&Caption>,
) -> Result<String, SvgError> {
    document(look, size, caption, |area| draw_history(figure, look, area))
}

/// An allocator's segments as an SVG document; see [`svg_phases`].
///
/// # Errors
/// What the backend reports; writing to memory, it has nothing to report.
pub fn svg_segments(
    figure: &SegmentsFigure,
    look: &Look,
    size: (u32, u32),
    caption: Option<&Caption>,
) -> Result<String, SvgError> {
    document(look, size, caption, |area| {
        draw_segments(figure, look, area)
    })
}

/// How full segments were over time as an SVG document; see [`svg_phases`].
///
/// # Errors
/// What the backend reports; writing to memory, it has nothing to report.
pub fn svg_fullness(
    figure: &FullnessFigure,
    look: &Look,
    size: (u32, u32),
    caption: Option<&Caption>,
) -> Result<String, SvgError> {
    document(look, size, caption, |area| {
        draw_fullness(figure, look, area)
    })
}

/// An error while an SVG document is written.
pub type SvgError = DrawingAreaErrorKind<std::io::Error>;

fn document(
    look: &Look,
    size: (u32, u32),
    caption: Option<&Caption>,
    draw: impl FnOnce(&DrawingArea<Paper, Shift>) -> Result<(), SvgError>,
) -> Result<String, SvgError> {
    let mut text = String::new();
    {
        let area = Paper::new(&mut text, size).into_drawing_area();
        match caption {
            None => draw(&area)?,
            Some(caption) => captioned(&area, look, caption, draw)?,
        }
        area.present()?;
    }
    Ok(text)
}

//! Texts around an exported figure: title above, configuration and address below.

use super::look::Look;
use super::pen::{Drawn, Hold, Pen, Type};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters_backend::DrawingBackend;

/// Texts around an exported figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caption<'a> {
    /// Above the figure.
    pub title: &'a str,
    /// Below it: the configuration.
    pub configuration: &'a str,
    /// Below that: where it can be opened again.
    pub address: &'a str,
}

/// Margin around a captioned figure, in CSS pixels.
const MARGIN: u32 = 16;

/// Draws a figure with its caption around it.
///
/// # Errors
/// What the backend reports.
pub fn captioned<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    look: &Look,
    caption: &Caption,
    draw: impl FnOnce(&DrawingArea<DB, Shift>) -> Drawn<DB>,
) -> Drawn<DB> {
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

//! The drawing of two runs over their events.

use super::layout::{HistoryHit, HistoryLayout};
use super::{HeldAt, HistoryFigure};
use crate::chart::geometry::Frame;
use crate::chart::look::Look;
use crate::chart::marks;
use crate::chart::pen::{Drawn, Hold, Pen, Type};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;

/// How strongly what tensors hold is filled.
const FILL: f64 = 0.3;

/// Draws for each run what segments take as a line and what tensors hold as an area, and names each peak.
///
/// # Errors
/// What the backend reports.
pub fn draw_history<DB: DrawingBackend>(
    figure: &HistoryFigure,
    look: &Look,
    area: &DrawingArea<DB, Shift>,
) -> Drawn<DB> {
    let layout = HistoryLayout::new(figure, look.theme, look.unit, area.dim_in_pixel());
    let pen = Pen::new(area, look.theme);
    marks::begin(&pen, look, &layout.axis, layout.plot, None)?;
    for (run, history) in figure.runs.iter().enumerate() {
        areas(&pen, look, &layout, run, history.moments)?;
        let theme = look.theme;
        let frame = layout.runs[run];
        let at = (frame.left, theme.line_height() / 2 + 1);
        let kind = Type::new(theme.small(), theme.muted, Hold::Left);
        pen.text(history.title, at, kind)?;
        if let Some(peak) = HistoryLayout::peak(run, history.moments) {
            named(&pen, look, &layout, history.moments, peak)?;
        }
    }
    let Some(cursor) = figure.cursor else {
        return Ok(());
    };
    let [left, _] = layout.columns(cursor.run, cursor.place);
    let frame = layout.runs[cursor.run];
    pen.upright(left, (frame.top, frame.bottom), 1, look.theme.text)
}

fn areas<DB: DrawingBackend>(
    pen: &Pen<DB>,
    look: &Look,
    layout: &HistoryLayout,
    run: usize,
    moments: &[HeldAt],
) -> Drawn<DB> {
    let theme = look.theme;
    let (mut reserved, mut allocated) = (Vec::new(), Vec::new());
    for (place, moment) in moments.iter().enumerate() {
        let [left, right] = layout.columns(run, place);
        let y = layout.axis.scale.at(moment.allocated);
        let frame = Frame {
            left,
            top: y,
            right,
            bottom: layout.plot.bottom,
        };
        pen.shade(frame, theme.accent, FILL)?;
        allocated.extend([(left, y), (right, y)]);
        let y = layout.axis.scale.at(moment.reserved);
        reserved.extend([(left, y), (right, y)]);
    }
    pen.line(reserved, 1, theme.muted)?;
    pen.line(allocated, 2, theme.accent)
}

/// A peak with its size: "peak 45.1 GiB"
fn named<DB: DrawingBackend>(
    pen: &Pen<DB>,
    look: &Look,
    layout: &HistoryLayout,
    moments: &[HeldAt],
    HistoryHit { run, place }: HistoryHit,
) -> Drawn<DB> {
    let theme = look.theme;
    let moment = moments[place];
    let [left, _] = layout.columns(run, place);
    let y = layout.axis.scale.at(moment.allocated);
    pen.disc((left, y), 3, theme.accent)?;
    let text = format!(
        "{} {}",
        look.words.peak(),
        look.words.amount(moment.allocated)
    );
    let frame = layout.runs[run];
    let to_the_left = left > frame.left + frame.width() / 2;
    let (hold, x) = if to_the_left {
        (Hold::Right, left - 6)
    } else {
        (Hold::Left, left + 6)
    };
    let kind = Type::new(theme.small(), theme.accent, hold).bold();
    let below = (y + theme.line_height()).min(layout.plot.bottom - theme.line_height() / 2);
    pen.text_on(&text, (x, below), kind, theme.background)
}

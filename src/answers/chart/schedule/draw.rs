//! The drawing of a schedule.

use super::ScheduleFigure;
use super::layout::{Cell, Row, ScheduleLayout};
use crate::chart::geometry::Frame;
use crate::chart::look::Look;
use crate::chart::pen::{Drawn, Hold, Pen, Type};
use crate::chart::theme::Ink;
use crate::sim::{Computation, Phase};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;

/// How far the ink of a rank's later stages, and of the half of a backward pass that gives the gradients of
/// weights, goes into the background.
const LATER: f64 = 0.3;
/// Opacity of the count of micro-batches that a rank holds.
const HELD: f64 = 0.45;

/// The ellipsis before the end of a row that is cut off.
const GOES_ON: &str = "\u{2026} ";

/// Draws a schedule: a row for each rank with what it computes, numbered by micro-batch, under it how many
/// micro-batches it holds, and their most at its end.
///
/// # Errors
/// What the backend reports.
pub fn draw_schedule<DB: DrawingBackend>(
    figure: &ScheduleFigure,
    look: &Look,
    area: &DrawingArea<DB, Shift>,
) -> Drawn<DB> {
    let layout = ScheduleLayout::new(figure, look.theme, area.dim_in_pixel());
    let pen = Pen::new(area, look.theme);
    pen.clear()?;
    let line = look.theme.line_height();
    // Rows can be lower than their names: of every `every` ranks one is named.
    let height = layout.rows.first().map_or(1, |row| row.frame.height());
    let every = usize::try_from((line / height.max(1)).max(0) + 1).unwrap_or(1);
    for (rank, row) in layout.rows.iter().enumerate() {
        let first = row.cells.iter().map(|cell| cell.slot.action.stage).min();
        for cell in &row.cells {
            draw_cell(&pen, look, cell, first == Some(cell.slot.action.stage))?;
        }
        for &frame in &row.held {
            pen.shade(frame, look.theme.muted, HELD)?;
        }
        if rank.is_multiple_of(every) {
            names(&pen, look, &layout, (rank, row), figure.rank == Some(rank))?;
        }
    }
    let at = figure.cursor;
    let cell = at.and_then(|hit| layout.rows.get(hit.rank)?.cells.get(hit.slot));
    cell.map_or(Ok(()), |cell| pen.outline(cell.frame))
}

fn draw_cell<DB: DrawingBackend>(
    pen: &Pen<DB>,
    look: &Look,
    cell: &Cell,
    of_first_stage: bool,
) -> Drawn<DB> {
    let action = cell.slot.action;
    let phase = match action.computation {
        Computation::Forward => Phase::Forward,
        _ => Phase::Backward,
    };
    let mut ink: Ink = look.theme.phase(phase);
    let later = !of_first_stage;
    let of_weights = action.computation == Computation::BackwardWeight;
    for _ in 0..u8::from(later) + u8::from(of_weights) {
        ink.fill = ink.fill.mix(look.theme.background, LATER);
    }
    // A line of background tells neighbours apart where there is room for it.
    let gap = i32::from(cell.frame.width() > 3);
    let frame = Frame {
        right: cell.frame.right - gap,
        ..cell.frame
    };
    pen.area(frame, ink)?;
    let number = action.micro_batch.to_string();
    let kind = Type::new(look.theme.small(), ink.fill.text_on(), Hold::Center);
    let fits = frame.height() >= look.theme.small().cast_signed();
    if fits && pen.width(&number, kind)? + 2 <= frame.width() {
        let middle = (
            i32::midpoint(frame.left, frame.right),
            i32::midpoint(frame.top, frame.bottom),
        );
        pen.text(&number, middle, kind)?;
    }
    Ok(())
}

/// A rank's name at the left, and at the right whether it goes on and how many micro-batches it holds at most.
fn names<DB: DrawingBackend>(
    pen: &Pen<DB>,
    look: &Look,
    layout: &ScheduleLayout,
    (rank, row): (usize, &Row),
    looked_at: bool,
) -> Drawn<DB> {
    let theme = look.theme;
    let color = if looked_at { theme.accent } else { theme.muted };
    let kind = |hold| {
        let kind = Type::new(theme.small(), color, hold);
        if looked_at { kind.bold() } else { kind }
    };
    let middle = i32::midpoint(row.frame.top, row.frame.bottom);
    let name = look.words.rank(rank);
    pen.text(&name, (layout.plot.left - 6, middle), kind(Hold::Right))?;
    let mut held = look.words.in_flight(row.most_in_flight);
    if !layout.whole {
        held.insert_str(0, GOES_ON);
    }
    pen.text(&held, (layout.plot.right + 6, middle), kind(Hold::Left))
}

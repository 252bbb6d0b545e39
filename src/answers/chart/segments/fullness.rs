//! How full segments were over time: a row for each, as high as it is large, the darker the fuller.

use super::SegmentBar;
use crate::chart::geometry::{Frame, pixel};
use crate::chart::look::Look;
use crate::chart::pen::{Drawn, Pen};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;

/// How strongly a full segment is filled.
const FULL: f64 = 0.9;

/// The content of the figure.
#[derive(Clone, Copy, Debug)]
pub struct FullnessFigure<'a> {
    /// The segments, from the top.
    pub segments: &'a [SegmentBar],
    /// The stretch of time that is marked.
    pub marked: usize,
    /// The element that the reader points at: a stretch of time, and a segment.
    pub cursor: Option<[usize; 2]>,
}

/// The figure's geometry at one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullnessLayout {
    /// The beginning of each stretch of time, and the end of the last, in CSS pixels.
    pub columns: Vec<i32>,
    /// The beginning of each segment, and the end of the last.
    pub rows: Vec<i32>,
}

/// Edges that divide a length in proportion.
fn edges(parts: impl Iterator<Item = f64> + Clone, from: i32, to: i32) -> Vec<i32> {
    let total = parts.clone().sum::<f64>().max(1.0);
    let room = f64::from((to - from).max(0));
    let mut along = 0.0;
    let ends = parts.map(|part| {
        along += part;
        from + pixel(along / total * room)
    });
    [from].into_iter().chain(ends).collect()
}

/// The cell between two edges that holds a pixel.
fn between(edges: &[i32], at: i32) -> Option<usize> {
    edges
        .windows(2)
        .position(|pair| pair[0] <= at && at < pair[1])
}

impl FullnessLayout {
    /// Lays the figure out in a box of `size` CSS pixels.
    pub fn new(figure: &FullnessFigure, size: (u32, u32)) -> Self {
        let moments = figure.segments.iter().map(|own| own.over_time.len());
        let moments = moments.max().unwrap_or(0);
        let sizes = figure.segments.iter().map(|own| own.size.get() as f64);
        let (width, height) = (size.0.cast_signed(), size.1.cast_signed());
        Self {
            columns: edges((0..moments).map(|_| 1.0), 4, width - 4),
            rows: edges(sizes, 4, height - 4),
        }
    }

    /// The box of a stretch of time of a segment.
    pub fn cell(&self, [moment, segment]: [usize; 2]) -> Option<Frame> {
        Some(Frame {
            left: *self.columns.get(moment)?,
            right: *self.columns.get(moment + 1)?,
            top: *self.rows.get(segment)?,
            bottom: *self.rows.get(segment + 1)?,
        })
    }

    /// The element at a point: a stretch of time, and a segment.
    pub fn hit(&self, x: i32, y: i32) -> Option<[usize; 2]> {
        Some([between(&self.columns, x)?, between(&self.rows, y)?])
    }

    /// So many stretches of time and segments further, stopping at the edges.
    pub fn step(&self, from: [usize; 2], by: [isize; 2]) -> Option<[usize; 2]> {
        let [columns, rows] = [&self.columns, &self.rows].map(|edges| edges.len().checked_sub(2));
        let to = [0, 1].map(|axis| from[axis].saturating_add_signed(by[axis]));
        Some([to[0].min(columns?), to[1].min(rows?)])
    }

    /// A place as a number.
    pub fn number([moment, segment]: [usize; 2]) -> u64 {
        (segment as u64) << 32 | moment as u64
    }

    /// The place of a number.
    pub fn place_of(number: u64) -> [usize; 2] {
        [number & u64::from(u32::MAX), number >> 32]
            .map(|part| usize::try_from(part).unwrap_or(usize::MAX))
    }
}

/// Draws the cells, the moment that is marked and the cell that is pointed at.
///
/// # Errors
/// What the backend reports.
pub fn draw_fullness<DB: DrawingBackend>(
    figure: &FullnessFigure,
    look: &Look,
    area: &DrawingArea<DB, Shift>,
) -> Drawn<DB> {
    let layout = FullnessLayout::new(figure, area.dim_in_pixel());
    let pen = Pen::new(area, look.theme);
    pen.clear()?;
    let (Some(&left), Some(&right)) = (layout.columns.first(), layout.columns.last()) else {
        return Ok(());
    };
    for (segment, own) in figure.segments.iter().enumerate() {
        for (moment, held) in own.over_time.iter().enumerate() {
            let share = held.get() as f64 / own.size.get().max(1) as f64;
            if let Some(frame) = layout.cell([moment, segment]) {
                pen.shade(frame, look.theme.accent, FULL * share.min(1.0))?;
            }
        }
        let bounds = layout.rows.get(segment).zip(layout.rows.get(segment + 1));
        // A line under each that has room for one.
        if let Some((_, &bottom)) = bounds.filter(|(top, bottom)| *bottom - *top > 2) {
            pen.level((left, right), bottom - 1, 1, look.theme.background)?;
        }
    }
    let rows = layout
        .rows
        .first()
        .copied()
        .zip(layout.rows.last().copied());
    let marked = layout.columns.get(figure.marked).copied();
    if let (Some((top, bottom)), Some(marked)) = (rows, marked) {
        pen.upright(marked, (top - 4, bottom + 4), 2, look.theme.limit)?;
    }
    let cursor = figure.cursor.and_then(|cursor| layout.cell(cursor));
    cursor.map_or(Ok(()), |cursor| pen.outline(cursor))
}

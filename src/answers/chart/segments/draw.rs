//! The drawing of segments and their pieces.

use super::layout::{SegmentBox, SegmentsLayout};
use super::{PieceBar, SegmentBar, SegmentsFigure};
use crate::chart::color::Rgb;
use crate::chart::geometry::Frame;
use crate::chart::look::Look;
use crate::chart::pen::{Drawn, Pen};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;

/// How strongly the largest free piece is filled.
const FREE: f64 = 0.16;
/// A texture is seen on pieces of this width, in CSS pixels.
const TEXTURED: i32 = 4;

/// Draws the segments as boxes with the bytes that tensors hold in them, outlines the largest free piece, and the piece
/// under the pointer.
///
/// # Errors
/// What the backend reports.
pub fn draw_segments<DB: DrawingBackend>(
    figure: &SegmentsFigure,
    look: &Look,
    area: &DrawingArea<DB, Shift>,
) -> Drawn<DB> {
    let layout = SegmentsLayout::new(figure, area.dim_in_pixel());
    let pen = Pen::new(area, look.theme);
    pen.clear()?;
    for (bar, own) in figure.segments.iter().zip(&layout.segments) {
        segment(&pen, look, bar, own)?;
    }
    let frame = |hit: super::SegmentsHit| {
        let own = layout.segments.get(hit.segment)?;
        own.pieces.get(hit.piece).copied()
    };
    if let Some(free) = layout.largest_free.and_then(frame) {
        pen.shade(free, look.theme.limit, FREE)?;
        edges(&pen, free, 2, look.theme.limit)?;
    }
    let cursor = figure.cursor.and_then(frame);
    cursor.map_or(Ok(()), |cursor| pen.outline(cursor))
}

fn segment<DB: DrawingBackend>(
    pen: &Pen<DB>,
    look: &Look,
    bar: &SegmentBar,
    own: &SegmentBox,
) -> Drawn<DB> {
    pen.block(own.frame, look.theme.grid)?;
    for (bar, &frame) in bar.pieces.iter().zip(&own.pieces) {
        piece(pen, look, bar, frame)?;
    }
    if own.frame.width() > 2 && own.frame.height() > 2 {
        edges(pen, own.frame, 1, look.theme.muted)?;
    }
    Ok(())
}

fn piece<DB: DrawingBackend>(
    pen: &Pen<DB>,
    look: &Look,
    bar: &PieceBar,
    frame: Frame,
) -> Drawn<DB> {
    // A line tells neighbours apart where there is room for it.
    let gap = i32::from(frame.width() > 3);
    let frame = Frame {
        right: frame.right - gap,
        ..frame
    };
    if bar.used < bar.size || bar.category.is_none() {
        let ink = bar.category.map(|category| look.theme.category(category));
        let fill = ink.map_or(look.theme.accent, |ink| ink.fill);
        let share = bar.used.get() as f64 / bar.size.get().max(1) as f64;
        return pen.shade(frame, fill, share);
    }
    match bar.category {
        Some(category) if frame.width() >= TEXTURED => pen.area(frame, look.ink(category, None)),
        Some(category) => pen.block(frame, look.ink(category, None).fill),
        None => Ok(()),
    }
}

/// The four edges of a box, drawn within it.
fn edges<DB: DrawingBackend>(pen: &Pen<DB>, frame: Frame, thick: i32, color: Rgb) -> Drawn<DB> {
    let (across, down) = ((frame.left, frame.right), (frame.top, frame.bottom));
    pen.level(across, frame.top, thick, color)?;
    pen.level(across, frame.bottom - thick, thick, color)?;
    pen.upright(frame.left, down, thick, color)?;
    pen.upright(frame.right - thick, down, thick, color)
}

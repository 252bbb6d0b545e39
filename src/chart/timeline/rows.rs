//! The timeline as a table: one row a phase.

use crate::report::{Composition, PhaseSpan, Timeline};
use crate::units::Bytes;

/// A phase of the first or of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineRow {
    /// The phase, with its step and micro-batch.
    pub span: PhaseSpan,
    /// Live storages by category at the phase's highest point.
    pub composition: Composition,
    /// `torch.cuda.max_memory_reserved()` until the phase's end.
    pub reserved: Bytes,
    /// Whether the highest point of all that is shown lies here; one row has it.
    pub peak: bool,
}

/// The rows of the steps that the figure shows whole: the first and the last.
pub fn timeline_rows(timeline: &Timeline) -> Vec<TimelineRow> {
    let last = timeline.spans.last().map_or(0, |span| span.step);
    let shown = timeline
        .spans
        .iter()
        .filter(|span| span.step == 0 || span.step == last);
    let mut rows: Vec<TimelineRow> = shown
        .filter_map(|&span| {
            let start = timeline
                .points
                .partition_point(|point| point.event < span.start);
            let end = timeline
                .points
                .partition_point(|point| point.event < span.end);
            // A phase without a point of its own is as high as what came before it.
            let points = &timeline.points[start.min(end.saturating_sub(1))..end];
            let highest = points
                .iter()
                .max_by_key(|point| point.composition.total())?;
            let reserved = points.iter().map(|point| point.reserved).max()?;
            Some(TimelineRow {
                span,
                composition: highest.composition,
                reserved,
                peak: false,
            })
        })
        .collect();
    // The first of several equal ones, as the figure marks it.
    let total = |row: &TimelineRow| row.composition.total();
    if let Some(peak) = rows.iter_mut().rev().max_by_key(|row| total(row)) {
        peak.peak = true;
    }
    rows
}

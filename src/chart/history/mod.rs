//! Memory of two runs over their events, side by side on one scale: measured, and predicted.

mod draw;
mod layout;

pub use draw::draw_history;
pub use layout::{HistoryHit, HistoryLayout};

use crate::units::Bytes;

/// What was held at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldAt {
    /// The number of events until then.
    pub event: u64,
    /// By tensors.
    pub allocated: Bytes,
    /// In segments.
    pub reserved: Bytes,
}

/// One of the two runs.
#[derive(Clone, Copy, Debug)]
pub struct History<'a> {
    /// What it is called.
    pub title: &'a str,
    /// What was held, in the order of events.
    pub moments: &'a [HeldAt],
}

/// What the figure shows.
#[derive(Clone, Copy, Debug)]
pub struct HistoryFigure<'a> {
    /// Measured, and predicted.
    pub runs: [History<'a>; 2],
    /// The moment that the reader points at: the run, and its place there.
    pub cursor: Option<HistoryHit>,
}

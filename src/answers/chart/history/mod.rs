//! Memory of two runs over their events, side by side on one scale: measured, and predicted.

mod draw;
mod layout;

pub use draw::draw_history;
pub use layout::{HistoryHit, HistoryLayout};

use crate::units::Bytes;

/// Memory at a moment.
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
    /// Its title.
    pub title: &'a str,
    /// Memory, in the order of events.
    pub moments: &'a [HeldAt],
}

/// The content of the figure.
#[derive(Clone, Copy, Debug)]
pub struct HistoryFigure<'a> {
    /// Measured, and predicted.
    pub runs: [History<'a>; 2],
    /// The moment that the reader points at: the run, and its place there.
    pub cursor: Option<HistoryHit>,
}

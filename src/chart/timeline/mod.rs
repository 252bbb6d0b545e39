//! Memory over program order: the first and the steady step, stacked by category.

mod draw;
mod layout;
mod program;
mod stacks;

pub use draw::draw_timeline;
pub use layout::{Run, TimelineHit, TimelineLayout};
pub use program::{ProgramScale, Section};

use crate::report::Timeline;
use crate::units::Bytes;

/// What the figure shows.
#[derive(Clone, Copy, Debug)]
pub struct TimelineFigure<'a> {
    /// Memory by event.
    pub timeline: &'a Timeline,
    /// What the allocator can reserve at most on this device; none when no device is chosen.
    pub capacity: Option<Bytes>,
    /// The events to show, `start..end`; none for the first and the last step whole.
    pub window: Option<(u32, u32)>,
    /// The event that the reader points at.
    pub cursor: Option<u32>,
}

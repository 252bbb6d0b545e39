//! Memory over program order: the first and the steady step, stacked by category.

mod draw;
mod layout;
mod program;
mod stacks;

pub use draw::draw_timeline;
pub use layout::{Run, TimelineHit, TimelineLayout};
pub use program::{ProgramScale, Section};

use crate::report::{Measure, Timeline};
use crate::units::Bytes;

/// The content of the figure.
#[derive(Clone, Copy, Debug)]
pub struct TimelineFigure<'a> {
    /// Memory by event.
    pub timeline: &'a Timeline,
    /// The most that the allocator can reserve on this device; none when no device is chosen.
    pub capacity: Option<Bytes>,
    /// The events to show, `start..end`; none for the first and the last step whole.
    pub window: Option<(u32, u32)>,
    /// The event that the reader points at.
    pub cursor: Option<u32>,
    /// The measure that the areas reach up to.
    pub measure: Measure,
    /// Other marks.
    pub marks: TimelineMarks,
}

/// Stretches of the program that are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimelineMarks {
    /// Events that are being selected, `start..end`.
    pub brush: Option<(u32, u32)>,
    /// Events during which a tensor lives, `start..end`.
    pub lifetime: Option<(u32, u32)>,
}

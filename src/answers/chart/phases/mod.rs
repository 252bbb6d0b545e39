//! The phases of a step side by side: what each takes at its peak, and which one binds.

mod draw;
mod layout;

pub use draw::draw_phases;
pub use layout::{Bar, PhasesHit, PhasesLayout, Segment, phases_need};

use crate::report::{Measure, StepReport};
use crate::sim::Phase;
use crate::units::Bytes;

/// The content of the figure.
#[derive(Clone, Copy, Debug)]
pub struct PhasesFigure<'a> {
    /// The step.
    pub step: &'a StepReport,
    /// The most that the allocator can reserve on this device; none when no device is chosen.
    pub capacity: Option<Bytes>,
    /// The phase that bound before the last change with its `peak_tensor`, for the ghost tick.
    pub previous: Option<(Phase, Bytes)>,
    /// The least need that the scale shows, while it holds still.
    pub held: Option<Bytes>,
    /// The measure that the bars reach up to.
    pub measure: Measure,
    /// The element that the reader is at, outlined.
    pub cursor: Option<PhasesHit>,
}

//! The phases of a step side by side: what each takes at its peak, and which one binds.

mod draw;
mod layout;

pub use draw::draw_phases;
pub use layout::{Bar, PhasesHit, PhasesLayout, Segment};

use crate::report::{Measure, StepReport};
use crate::sim::Phase;
use crate::units::Bytes;

/// What the figure shows.
#[derive(Clone, Copy, Debug)]
pub struct PhasesFigure<'a> {
    /// The step.
    pub step: &'a StepReport,
    /// What the allocator can reserve at most on this device; none when no device is chosen.
    pub capacity: Option<Bytes>,
    /// The phase that bound before the last change with its `peak_tensor`, for the ghost tick.
    pub previous: Option<(Phase, Bytes)>,
    /// What the bars reach up to.
    pub measure: Measure,
    /// Where the reader is, outlined.
    pub cursor: Option<PhasesHit>,
}

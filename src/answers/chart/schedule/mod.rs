//! A pipeline's schedule: ranks by time, and under each how many micro-batches it holds.

mod draw;
mod layout;

pub use draw::draw_schedule;
pub use layout::{Cell, Row, ScheduleHit, ScheduleLayout};

use crate::report::Schedule;

/// The content of the figure.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleFigure<'a> {
    /// The schedule.
    pub schedule: &'a Schedule,
    /// The rank that is looked at.
    pub rank: Option<usize>,
    /// The element that the reader is at, outlined.
    pub cursor: Option<ScheduleHit>,
}

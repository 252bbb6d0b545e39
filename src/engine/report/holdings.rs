//! Bytes in the allocator while a run goes through it: the most in each phase, and at the points of a timeline.

#![allow(
    clippy::inline_always,
    reason = "every event of a run passes here, and the page is compiled for size"
)]

use super::{Composition, PhaseSpan, TimelinePoint};
use crate::device::Held;
use crate::units::Bytes;

/// The highest values in one phase of one micro-batch.
pub(super) struct PhasePeak {
    pub span: PhaseSpan,
    /// The first moment with the most live bytes.
    pub live: u64,
    pub composition: Composition,
    /// The most that the allocator held.
    pub held: Held,
}

/// Watches the allocator's memory after each event.
pub(super) struct Holdings<'a> {
    phases: &'a mut [PhasePeak],
    points: &'a mut [TimelinePoint],
    /// The event with which the first phase begins that is not of loading: the model is built then.
    built: u32,
    /// Whether memory held before the first phase is no part of the run.
    begins_loaded: bool,
    /// Events and phases so far.
    event: u32,
    phase: usize,
    /// The most that was held in the phases that ended, before the first of them, and in the current phase.
    highest: Held,
    before: Held,
    of_phase: Held,
    /// The next point that is shown, and its event.
    point: usize,
    shown: u32,
}

impl<'a> Holdings<'a> {
    /// Notes it in these phases and points.
    pub fn new(phases: &'a mut [PhasePeak], points: &'a mut [TimelinePoint], built: u32) -> Self {
        let shown = event_of(points.first());
        Self {
            phases,
            points,
            built,
            begins_loaded: false,
            event: 0,
            phase: 0,
            highest: Held::default(),
            before: Held::default(),
            of_phase: Held::default(),
            point: 0,
            shown,
        }
    }

    /// Leaves events before the first phase out of the run, if `begins_loaded`.
    pub fn since_first_phase(self, begins_loaded: bool) -> Self {
        Self {
            begins_loaded,
            ..self
        }
    }

    /// Holdings that nobody reads.
    pub fn unseen() -> Self {
        Self::new(&mut [], &mut [], 0)
    }

    /// After a request for memory.
    #[inline(always)]
    pub fn risen(&mut self, held: Held) {
        self.of_phase = self.of_phase.max_of_each(held);
        self.passed(held);
    }

    /// After something that takes no more memory.
    #[inline(always)]
    pub fn passed(&mut self, held: Held) {
        if self.event == self.shown {
            self.show(held);
        }
        self.event += 1;
    }

    fn show(&mut self, held: Held) {
        if let Some(point) = self.points.get_mut(self.point) {
            point.allocated = Bytes(held.allocated);
            point.reserved = Bytes(held.reserved);
        }
        self.point += 1;
        self.shown = event_of(self.points.get(self.point));
    }

    /// A phase has begun.
    pub fn marked(&mut self, held: Held) {
        self.end_phase();
        self.of_phase = held;
        self.phase = (self.phase + 1).min(self.phases.len());
        self.passed(held);
    }

    /// The cache was emptied: with the mark of a phase, while the model is built, or within a phase.
    pub fn emptied(&mut self, held: Held) {
        let next = self.phases.get(self.phase);
        let begins = next.is_some_and(|phase| phase.span.start == self.event);
        if self.event >= self.built && begins {
            self.marked(held);
        } else {
            self.passed(held);
        }
    }

    fn end_phase(&mut self) {
        if self.phase == 0 && self.begins_loaded {
            return;
        }
        self.highest = self.highest.max_of_each(self.of_phase);
        if let Some(ended) = self.phases[..self.phase].last_mut() {
            ended.held = self.of_phase;
        } else {
            self.before = self.before.max_of_each(self.of_phase);
        }
    }

    /// The run has ended: the most of the whole, and before the first phase.
    pub fn ended(mut self) -> [Held; 2] {
        self.end_phase();
        [self.highest, self.before]
    }
}

fn event_of(point: Option<&TimelinePoint>) -> u32 {
    point.map_or(u32::MAX, |point| point.event)
}

//! Note [A step that comes again]
//!
//! Under `ZeRO` a step frees the storages that the one before it has left, and leaves as many itself: it cannot
//! represent the next one with its own storages. So its events are written once more with others: the storages that it
//! made are a constant number further, and the storages that the step freed are replaced by the ones that it has left.
//! That is so where as many storages were left as were let go of, each like one of the other, in the order in which
//! they were made.
//!
//! `sim` tests that records are the same either way.

use super::Tape;
use std::ops::Range;

/// The beginning of a step.
pub struct StepBegins {
    pub(super) events: usize,
    pub(super) storages: u32,
    /// Storages that are alive then.
    pub(super) alive: Vec<u32>,
    marks: usize,
}

impl StepBegins {
    /// The first of its marks.
    pub fn marks(&self) -> usize {
        self.marks
    }
}

impl Tape {
    /// A step begins, before which `marks` marks were set.
    pub fn step_begins(&self, marks: usize) -> StepBegins {
        let (events, storages) = self.recorder.ends();
        StepBegins {
            events,
            storages,
            alive: self.recorder.alive_since(0),
            marks,
        }
    }

    /// Writes the step that began then, and has ended with `marks` marks, once more; false where it does not leave
    /// storages like the ones that it has found.
    pub fn step_comes_again(&self, begins: &StepBegins, marks: usize) -> bool {
        let now = self.recorder.alive_since(0);
        let gone = begins
            .alive
            .iter()
            .filter(|&id| now.binary_search(id).is_err());
        let left = now.iter().filter(|&&id| id >= begins.storages);
        let [gone, left]: [Vec<u32>; 2] = [gone.copied().collect(), left.copied().collect()];
        let marks: Range<usize> = begins.marks..marks;
        // The host waits elsewhere in the third step than in the second.
        let differs = self.keeps_waits();
        !differs
            && !self.runs_all()
            && (self.recorder).step_comes_again(begins, marks.len(), [&gone, &left])
    }
}

//! Tensors that a module puts through the same operations one after another, as windows of an image: they are
//! folded as lists of modules within layers are (Note [Layers that repeat], `folds.rs`).

use super::Tape;
use super::folds::ListId;
use crate::units::Repetition;
use std::ops::Range;

/// A part of a list, in which elements repeat to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The index of its first element in the list.
    pub first: u32,
    /// The number of its elements.
    pub count: u64,
    /// How its elements repeat.
    pub repetition: Repetition,
}

impl Run {
    /// The name of the scopes of elements, which no path has: they are no modules.
    pub const NAME: &str = "";

    /// The least number of elements that are run where it is folded.
    pub fn least(&self) -> u64 {
        self.count.min(4 + 2 * self.repetition.period)
    }

    /// The run as a list of modules in a scope.
    pub(super) fn list(&self, scope: u32) -> ListId {
        ListId {
            first: self.first,
            within: true,
            ..ListId::whole(scope, Self::NAME)
        }
    }

    /// The indices of `count` of its elements, from the first on.
    pub(super) fn indices(&self, count: u64) -> Range<u32> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.first..self.first.saturating_add(count)
    }
}

impl Tape {
    /// The indices of the list's elements to run one after another in the current scope, each in its scope
    /// [`Run::NAME`]: all of them or, where lists are folded, the first few of each of its `runs`, which represent the
    /// rest.
    pub fn fold_runs(&self, runs: &[Run]) -> Vec<u32> {
        let (scope, events) = (self.scope(), self.event_count());
        match self.recorder.folds().as_mut() {
            Some(folds) => folds.fold_runs(scope, runs, events),
            None => runs.iter().flat_map(|run| run.indices(run.count)).collect(),
        }
    }
}

//! Lists of layers, and lists within layers, each folded by itself (Note [Layers that repeat],
//! `folds.rs`).
//!
//! The experts of a mixture that run one after another do the same, as layers do. Their list is in every layer that is
//! built; a few of each are. When the record is unfolded the lists within layers come first: then it is that of a few
//! layers with all their experts, as if those had been built, and the layers follow. Whatever repeats in a layer that
//! repeats is written as compactly as the layer ([`super::record`]).

use super::folds::{Built, Folds, ListId};
use super::runs::Run;
use super::scopes::Scopes;
use super::unfold::order;
use crate::units::Repetition;
use std::collections::BTreeMap;
use std::ops::Range;

/// Whether lists of layers are folded, and lists within layers.
#[derive(Clone, Copy, Debug)]
pub struct Which {
    /// Folds of layers.
    pub layers: bool,
    /// Folds within layers.
    pub within: bool,
}

/// The folds of both levels.
#[derive(Debug)]
pub(super) struct Levels {
    layers: Folds,
    within: Folds,
    /// Whether lists of layers are folded, and lists within layers.
    which: Which,
    /// Whether the modules that were built do not behave like the whole lists.
    spoilt: bool,
    /// For each scope, the runs of a list whose elements ran in it, and the indices of the elements that were run.
    runs: BTreeMap<u32, (Box<[Run]>, Vec<u32>)>,
}

impl Levels {
    pub(super) fn new(built: Built, which: Which) -> Self {
        Self {
            layers: Folds::new(built),
            // Backward adds the gradients of the last two elements in a new tensor, the gradients of the others in
            // place.
            within: Folds::new(Built::MORE),
            which,
            spoilt: false,
            runs: BTreeMap::new(),
        }
    }

    /// How many of the `count` modules of a list to build, which repeat like this. So many `events` were
    /// recorded before.
    pub(super) fn fold(
        &mut self,
        list: ListId,
        repetition: Repetition,
        count: u64,
        events: usize,
    ) -> u64 {
        if list.within && self.which.within {
            self.within.fold(list, repetition, count, events)
        } else if !list.within && self.which.layers {
            self.layers.fold(list, repetition, count, events)
        } else {
            count
        }
    }

    /// The elements of a list that are run in `scope`: the first few of each of its `runs` if lists within layers are
    /// folded, else all. `events` were recorded before.
    pub(super) fn fold_runs(&mut self, scope: u32, runs: &[Run], events: usize) -> Vec<u32> {
        if let Some((known, elements)) = self.runs.get(&scope) {
            if **known == *runs {
                return elements.clone();
            }
            // The runs that its elements' scopes represent are settled.
            self.spoil();
        }
        let mut fold = |run: &Run| {
            let list = run.list(scope);
            run.indices(self.fold(list, run.repetition, run.count, events))
        };
        let elements: Vec<u32> = runs.iter().flat_map(&mut fold).collect();
        self.runs.insert(scope, (runs.into(), elements.clone()));
        elements
    }

    /// A list is built whole.
    pub(super) fn keep_whole(&mut self, list: ListId) {
        if !self.within.keep_whole(list) {
            self.layers.keep_whole(list);
        }
    }

    /// Marks the folded lists as unusable: the modules that were built do not behave like the whole lists.
    pub(super) fn spoil(&mut self) {
        self.spoilt = true;
    }

    /// Whether there are no folded lists.
    pub(super) fn is_empty(&self) -> bool {
        self.layers.is_empty() && self.within.is_empty()
    }

    pub(super) fn scope_made(&mut self, scope: u32, parent: u32, name: &str, index: Option<u32>) {
        self.layers.scope_made(scope, parent, name, index);
        self.within.scope_made(scope, parent, name, index);
    }

    pub(super) fn scope_left(&mut self, left: u32) {
        self.layers.scope_left(left);
        self.within.scope_left(left);
    }

    /// Something is allocated, or a mark is set, in the scope `here`.
    pub(super) fn alloc(&mut self, here: u32) {
        self.layers.alloc(here);
        self.within.alloc(here);
    }

    /// A storage that was made in the scope `made` is freed in the scope `here`.
    pub(super) fn free(&mut self, here: u32, made: u32) {
        self.layers.free(here, made);
        self.within.free(here, made);
    }

    /// Repeats `times` times the events of a range at the end of the noted ones.
    pub(super) fn again(&mut self, events: Range<usize>, times: u32) {
        self.layers.again(events.clone(), times);
        self.within.again(events, times);
    }

    /// Number of modules that a scope represents.
    pub(super) fn multiplicity(&self, scope: u32) -> u64 {
        self.layers.multiplicity(scope) * self.within.multiplicity(scope)
    }

    /// The order in which items, each of a scope, come in the whole lists of layers: each item, with the place for
    /// which it is copied when it is a copy. Nothing where items are of lists within layers that are folded.
    pub(super) fn order(&self, scopes: &[u32]) -> Option<Vec<(u32, Option<u32>)>> {
        let order = || order(&self.layers, scopes.iter().copied());
        let are_beside = !(scopes.iter()).any(|&scope| self.within.is_within(scope));
        are_beside.then(order).flatten()
    }

    /// The folds, from within; `None` when the record cannot be unfolded.
    pub(super) fn inside_out(self) -> Option<Vec<Folds>> {
        let folds = [self.within, self.layers].into_iter();
        (!self.spoilt).then(|| folds.filter(|folds| !folds.is_empty()).collect())
    }
}

/// The levels that are left when some scopes were added and events moved.
pub(super) fn follow(
    left: &mut [Folds],
    scopes: &Scopes,
    to: impl Fn(usize) -> Option<usize>,
) -> Option<()> {
    left.iter_mut().try_for_each(|folds| {
        folds.scopes_added(scopes);
        folds.events_moved(&to)
    })
}

//! Modules that wrappers take for units: the layers of a model.

use crate::tape::{Registered, Tape};
use std::collections::BTreeMap;

/// The layers of a model, by their scopes: numbered in the order in which they were built.
pub(super) struct Layers(BTreeMap<u32, usize>);

impl Layers {
    /// The outermost elements of lists of modules that have parameters.
    pub(super) fn of(t: &Tape, registered: &[Registered]) -> Self {
        let mut layers = BTreeMap::new();
        for entry in registered {
            if let Some(layer) = t.outermost_item(entry.scope) {
                let next = layers.len();
                layers.entry(layer).or_insert(next);
            }
        }
        Self(layers)
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The layer that a module is, by its scope.
    pub(super) fn of_module(&self, scope: u32) -> Option<usize> {
        self.0.get(&scope).copied()
    }

    /// The layer that the module of this scope is in.
    pub(super) fn around(&self, t: &Tape, scope: u32) -> Option<usize> {
        self.of_module(t.outermost_item(scope)?)
    }
}

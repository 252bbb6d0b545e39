//! What a run asks for, before the allocator rounds it.

use super::Composition;
use crate::tape::Category;

/// The most bytes that a run asks for at a time, before the allocator's rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// For parameters.
    pub parameters: u64,
    /// For optimizer states.
    pub optimizer_states: u64,
    /// For all but workspaces, which the libraries of a CPU do not have.
    pub tensors: u64,
}

impl Asked {
    /// So many bytes are held.
    pub(super) fn see(&mut self, held: &Composition) {
        let of = |category| held.get(category).get();
        let tensors = held.total().get() - of(Category::Workspaces);
        self.parameters = self.parameters.max(of(Category::Parameters));
        self.optimizer_states = self.optimizer_states.max(of(Category::OptimizerStates));
        self.tensors = self.tensors.max(tensors);
    }
}

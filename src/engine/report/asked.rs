//! Bytes that a run asks for, before the allocator rounds them.

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
    /// Adds `bytes` of a category; two's complement of a negative number takes them away.
    #[inline]
    pub(super) fn change(&mut self, category: Category, bytes: u64) {
        let add = |to: &mut u64| *to = to.wrapping_add(bytes);
        match category {
            Category::Workspaces => return,
            Category::Parameters => add(&mut self.parameters),
            Category::OptimizerStates => add(&mut self.optimizer_states),
            _ => {}
        }
        add(&mut self.tensors);
    }

    /// The requested bytes after a change. Sums wrap.
    pub(super) fn after(self, change: Self) -> Self {
        self.of_each(change, u64::wrapping_add)
    }

    /// The higher of each, of changes that can be negative.
    #[inline]
    pub(super) fn highest(self, other: Self) -> Self {
        self.of_each(other, |a, b| {
            a.cast_signed().max(b.cast_signed()).cast_unsigned()
        })
    }

    #[inline]
    fn of_each(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            parameters: f(self.parameters, other.parameters),
            optimizer_states: f(self.optimizer_states, other.optimizer_states),
            tensors: f(self.tensors, other.tensors),
        }
    }
}

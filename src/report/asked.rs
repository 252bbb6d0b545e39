//! What a run asks for, before the allocator rounds it.

use crate::tape::Category;

/// Bytes asked for, for some purpose: held, most that was held, largest storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    now: u64,
    /// The most that was held at a time.
    pub most: u64,
    /// The largest storage.
    pub largest: u64,
}

impl Tally {
    pub(super) fn add(&mut self, bytes: u64) {
        self.now += bytes;
        self.most = self.most.max(self.now);
        self.largest = self.largest.max(bytes);
    }

    pub(super) fn remove(&mut self, bytes: u64) {
        self.now -= bytes;
    }
}

/// Bytes asked for by a run, before the allocator's rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    by_category: [Tally; Category::ALL.len()],
    /// All but workspaces, which the libraries of a CPU do not have.
    pub tensors: Tally,
}

impl Asked {
    /// For one category.
    pub fn of(&self, category: Category) -> Tally {
        self.by_category[category as usize]
    }

    pub(super) fn change(&mut self, category: Category, change: impl Fn(&mut Tally)) {
        change(&mut self.by_category[category as usize]);
        if category != Category::Workspaces {
            change(&mut self.tensors);
        }
    }
}

//! The target that is highlighted in every figure at once.

use super::lasting::Lasting;
use crate::host::HostPart;
use crate::sim::Phase;
use crate::tape::Category;
use leptos::prelude::*;

/// Something that can be highlighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A category of GPU memory.
    Category(Category),
    /// Cached blocks of the allocator, the contexts and other parts without a category, by name.
    Other(&'static str),
    /// A part of host memory.
    Host(HostPart),
    /// A phase.
    Phase(Phase),
    /// A tensor.
    Tensor(Lifetime),
}

/// A tensor and the events between which it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Its storage.
    pub storage: u32,
    /// Its category.
    pub category: Category,
    /// The event that allocates it.
    pub born: u32,
    /// The event that frees it.
    pub freed: u32,
}

impl Target {
    /// The stable name of a part of memory; of nothing else.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Category(category) => Some(category.name()),
            Self::Other(name) => Some(name),
            Self::Host(part) => Some(part.name()),
            Self::Phase(_) | Self::Tensor(_) => None,
        }
    }

    /// The target to highlight where single tensors are not shown.
    #[must_use]
    pub fn broadly(self) -> Self {
        match self {
            Self::Tensor(tensor) => Self::Category(tensor.category),
            other => other,
        }
    }
}

/// Pointing previews, a click pins, Esc clears.
#[derive(Clone, Copy)]
pub struct Focus {
    pointed: Lasting<Option<Target>>,
    pinned: Lasting<Option<Target>>,
}

impl Focus {
    pub(super) fn new() -> Self {
        Self {
            pointed: Lasting::new(None),
            pinned: Lasting::new(None),
        }
    }

    /// The target that is highlighted now.
    pub fn current(self) -> Option<Target> {
        self.pointed.get().or_else(|| self.pinned())
    }

    /// The target that stays highlighted when nothing is pointed at.
    pub fn pinned(self) -> Option<Target> {
        self.pinned.get()
    }

    /// Whether a target is pinned.
    pub fn is_pinned(self, target: Target) -> bool {
        self.pinned() == Some(target)
    }

    /// The target that is highlighted now, where single tensors are not shown.
    pub fn broadly(self) -> Option<Target> {
        self.current().map(Target::broadly)
    }

    /// The pointer or the keyboard is on something, or on nothing.
    pub fn point(self, target: Option<Target>) {
        if self.pointed.get_untracked() != target {
            self.pointed.set(target);
        }
    }

    /// Pins a target, or releases it when it is pinned.
    pub fn toggle(self, target: Target) {
        self.pinned.update(|pinned| {
            *pinned = (*pinned != Some(target)).then_some(target);
        });
    }

    /// Releases everything.
    pub fn clear(self) {
        self.pointed.set(None);
        self.pinned.set(None);
    }
}

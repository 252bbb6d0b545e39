//! A storage that lives.

use super::{Event, PHANTOM, Recorder, SINCE};
use crate::tape::Category;
use std::cell::Cell;
use std::rc::Rc;

/// A live storage; dropping it records the free.
#[derive(Debug)]
pub struct Storage {
    pub(super) id: Cell<u32>,
    pub(super) recorder: Rc<Recorder>,
}

impl Storage {
    /// Its place in the record.
    pub(in crate::tape) fn place(&self) -> u32 {
        self.recorder.place(self.id.get())
    }

    /// The number that it had before the record was unfolded.
    pub(in crate::tape) fn id(&self) -> u32 {
        self.id.get()
    }

    /// Takes over the id of another storage, which has none from here on.
    pub(in crate::tape) fn become_other(&self, other: &Self) {
        self.id.set(other.id.replace(PHANTOM));
    }

    /// Whether it has no recorded storage.
    pub(in crate::tape) fn is_nothing(&self) -> bool {
        self.id.get() == PHANTOM
    }

    /// Drops the id without recording a free, which somebody else has recorded.
    pub(in crate::tape) fn forget(&self) {
        self.id.set(PHANTOM);
    }

    /// Records the free now; whoever holds the storage holds nothing from here on.
    pub(in crate::tape) fn free(&self) {
        let place = self.place();
        let id = self.id.replace(PHANTOM);
        self.recorder.moved.borrow_mut().remove(&(id & !SINCE));
        if self.recorder.closed.get() {
            return;
        }
        let recorder = &self.recorder;
        let mut record = recorder.record.borrow_mut();
        if let Some(made) = record.free(place) {
            record.push(Event::Free(place));
            if let Some(folds) = recorder.folds.borrow_mut().as_mut() {
                folds.free(recorder.scope.get(), made);
            }
        }
    }

    /// The storage's purpose, as far as it is known.
    pub(in crate::tape) fn category(&self) -> Category {
        let storage = self.recorder.record.borrow().storage(self.place());
        storage.map_or(Category::Temporaries, |s| s.category)
    }

    /// Sets the category of the storage.
    pub(in crate::tape) fn set_category(&self, category: Category) {
        let mut record = self.recorder.record.borrow_mut();
        record.classify(self.place(), category);
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.free();
    }
}

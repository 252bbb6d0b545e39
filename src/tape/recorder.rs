//! The recorder: turns the life of storages into events.

use super::Category;
use crate::units::{DType, Shape};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// One entry of the raw record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawEvent {
    /// The storage with this id is allocated.
    Alloc(u32),
    /// The storage with this id is freed.
    Free(u32),
    /// A caller's mark.
    Mark(u32),
}

/// What the record knows of a storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawStorage {
    /// Bytes asked for.
    pub bytes: u64,
    /// What it is for, as far as is known; [`Category::Temporaries`] until somebody says more.
    pub category: Category,
    /// The operation that allocated it.
    pub op: &'static str,
    /// Index in the list of scopes.
    pub scope: u32,
    /// Where its shape is in the list of shapes, counted from 1; 0 when it is not known.
    pub shape: u32,
    /// Whether it is alive.
    pub alive: bool,
}

/// Storages and events so far.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    storages: RefCell<Vec<RawStorage>>,
    events: RefCell<Vec<RawEvent>>,
    scopes: RefCell<Vec<String>>,
    scope_ids: RefCell<BTreeMap<(u32, u32, &'static str), u32>>,
    /// Shapes of storages, when they are asked for.
    shapes: RefCell<Option<Vec<(Shape, DType)>>>,
    scope: Cell<u32>,
    muted: Cell<bool>,
    closed: Cell<bool>,
}

/// The id of a storage that is not recorded.
const PHANTOM: u32 = u32::MAX;

impl Recorder {
    pub(super) fn new() -> Rc<Self> {
        let recorder = Self::default();
        recorder.scopes.borrow_mut().push(String::new());
        Rc::new(recorder)
    }

    /// Records an allocation.
    pub(super) fn alloc(
        self: &Rc<Self>,
        bytes: u64,
        category: Category,
        op: &'static str,
    ) -> Storage {
        if self.muted.get() || bytes == 0 {
            return Storage {
                id: PHANTOM,
                recorder: Rc::clone(self),
            };
        }
        let mut storages = self.storages.borrow_mut();
        let id = u32::try_from(storages.len()).unwrap_or(PHANTOM);
        storages.push(RawStorage {
            bytes,
            category,
            op,
            scope: self.scope.get(),
            shape: 0,
            alive: true,
        });
        self.events.borrow_mut().push(RawEvent::Alloc(id));
        Storage {
            id,
            recorder: Rc::clone(self),
        }
    }

    pub(super) fn mark(&self, mark: u32) {
        self.events.borrow_mut().push(RawEvent::Mark(mark));
    }

    /// Keeps the shapes of storages from here on.
    pub(super) fn keep_shapes(&self) {
        self.shapes.borrow_mut().get_or_insert_default();
    }

    /// Says which shape and type a storage was made for, if anybody wants to know.
    pub(super) fn describe(&self, storage: &Storage, shape: &Shape, dtype: DType) {
        let mut shapes = self.shapes.borrow_mut();
        let Some(shapes) = &mut *shapes else {
            return;
        };
        if let Some(of) = self.storages.borrow_mut().get_mut(storage.id as usize) {
            shapes.push((*shape, dtype));
            of.shape = u32::try_from(shapes.len()).unwrap_or(0);
        }
    }

    /// The shapes that were kept.
    pub(super) fn take_shapes(&self) -> Vec<(Shape, DType)> {
        self.shapes.take().unwrap_or_default()
    }

    /// While muted, nothing that is allocated is recorded.
    pub(super) fn mute(&self, muted: bool) {
        self.muted.set(muted);
    }

    pub(super) fn is_muted(&self) -> bool {
        self.muted.get()
    }

    /// The child `name` (with its index, when it is one of several) of a scope.
    pub(super) fn child(&self, parent: u32, name: &'static str, index: Option<u32>) -> u32 {
        let key = (parent, index.map_or(0, |i| i + 1), name);
        *self.scope_ids.borrow_mut().entry(key).or_insert_with(|| {
            let mut scopes = self.scopes.borrow_mut();
            let mut path = scopes.get(parent as usize).cloned().unwrap_or_default();
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
            if let Some(index) = index {
                path.push('.');
                path.push_str(&index.to_string());
            }
            scopes.push(path);
            u32::try_from(scopes.len() - 1).unwrap_or(0)
        })
    }

    /// The path of a scope; empty for the root.
    pub(super) fn path(&self, scope: u32) -> String {
        let scopes = self.scopes.borrow();
        scopes.get(scope as usize).cloned().unwrap_or_default()
    }

    pub(super) fn scope(&self) -> u32 {
        self.scope.get()
    }

    pub(super) fn set_scope(&self, scope: u32) {
        self.scope.set(scope);
    }

    /// Path of the scope in which a storage was made; empty for one that is not recorded.
    pub(super) fn scope_of(&self, storage: u32) -> String {
        let storages = self.storages.borrow();
        let scope = storages.get(storage as usize).map_or(0, |s| s.scope);
        self.scopes.borrow()[scope as usize].clone()
    }

    pub(super) fn storages_mut<R>(&self, f: impl FnOnce(&mut [RawStorage]) -> R) -> R {
        f(&mut self.storages.borrow_mut())
    }

    pub(super) fn event_count(&self) -> usize {
        self.events.borrow().len()
    }

    pub(super) fn count(&self) -> usize {
        self.storages.borrow().len()
    }

    /// Ends the record: what is alive now stays alive in it.
    pub(super) fn close(&self) {
        self.closed.set(true);
    }

    /// Takes the record, leaving an empty one.
    pub(super) fn take(&self) -> (Vec<RawStorage>, Vec<RawEvent>, Vec<String>) {
        (self.storages.take(), self.events.take(), self.scopes.take())
    }
}

/// A live storage; dropping it records the free.
#[derive(Debug)]
pub(super) struct Storage {
    pub(super) id: u32,
    recorder: Rc<Recorder>,
}

impl Storage {
    /// What the storage is for, as far as is known.
    pub(super) fn category(&self) -> Category {
        let storages = self.recorder.storages.borrow();
        let storage = storages.get(self.id as usize);
        storage.map_or(Category::Temporaries, |s| s.category)
    }

    /// Says what the storage is for.
    pub(super) fn set_category(&self, category: Category) {
        if let Some(storage) = self
            .recorder
            .storages
            .borrow_mut()
            .get_mut(self.id as usize)
        {
            storage.category = category;
        }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if self.recorder.closed.get() {
            return;
        }
        if let Some(storage) = self
            .recorder
            .storages
            .borrow_mut()
            .get_mut(self.id as usize)
        {
            storage.alive = false;
            self.recorder
                .events
                .borrow_mut()
                .push(RawEvent::Free(self.id));
        }
    }
}

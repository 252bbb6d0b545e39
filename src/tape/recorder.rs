//! The recorder: turns the life of storages into events.

use super::Category;
use super::details::Details;
use super::event::{Event, Events};
use super::folds::Folds;
use super::repeats::Stepping;
use super::scopes::{Scope, Scopes};
use super::unfold::{Folded, Unfolded};
use crate::units::{DType, Shape};
use std::cell::{Cell, RefCell, RefMut};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// What the record knows of a storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawStorage {
    /// Bytes asked for.
    pub bytes: u64,
    /// What it is for, as far as is known; [`Category::Temporaries`] until somebody says more.
    pub category: Category,
    /// Index in the list of scopes.
    pub scope: u32,
    /// Whether it is alive.
    pub alive: bool,
}

/// Storages and events so far.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    storages: RefCell<Vec<RawStorage>>,
    events: RefCell<Events>,
    scopes: RefCell<Scopes>,
    scope_ids: RefCell<BTreeMap<(u32, u32, &'static str), u32>>,
    /// What made the storages, when that is asked for.
    details: RefCell<Option<Details>>,
    /// Lists of modules that are built shorter than they are, where that is allowed.
    folds: RefCell<Option<Folds>>,
    /// Where storages stand once the record was unfolded; before, each stands at its own number.
    places: RefCell<Vec<u32>>,
    scope: Cell<u32>,
    muted: Cell<bool>,
    closed: Cell<bool>,
}

/// The id of a storage that is not recorded.
const PHANTOM: u32 = u32::MAX;

impl Recorder {
    pub(super) fn new() -> Rc<Self> {
        Rc::new(Self::default())
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
                id: Cell::new(PHANTOM),
                recorder: Rc::clone(self),
            };
        }
        let mut storages = self.storages.borrow_mut();
        let id = u32::try_from(storages.len()).unwrap_or(PHANTOM);
        storages.push(RawStorage {
            bytes,
            category,
            scope: self.scope.get(),
            alive: true,
        });
        drop(storages);
        if let Some(details) = self.details.borrow_mut().as_mut() {
            details.add(op);
        }
        self.events.borrow_mut().push(Event::Alloc(id));
        if let Some(folds) = self.folds.borrow_mut().as_mut() {
            folds.alloc(self.scope.get());
        }
        self.standing(id)
    }

    /// A live storage that stands at `place`.
    pub(super) fn standing(self: &Rc<Self>, place: u32) -> Storage {
        let mut places = self.places.borrow_mut();
        let mut id = place;
        if !places.is_empty() {
            id = u32::try_from(places.len()).unwrap_or(PHANTOM);
            places.push(place);
        }
        Storage {
            id: Cell::new(id),
            recorder: Rc::clone(self),
        }
    }

    /// Adds an event that is of no storage.
    pub(super) fn note(&self, event: Event) {
        self.events.borrow_mut().push(event);
        if let Some(folds) = self.folds.borrow_mut().as_mut() {
            folds.alloc(self.scope.get());
        }
    }

    /// What is folded, to be changed; nothing unless that is allowed.
    pub(super) fn folds(&self) -> RefMut<'_, Option<Folds>> {
        self.folds.borrow_mut()
    }

    /// Puts the record together as that of whole lists; nothing when it cannot be done.
    pub(super) fn unfold(&self) -> Option<Unfolded> {
        let folds = self.folds.take()?;
        let mut details = self.details.borrow_mut();
        let mut storages = self.storages.borrow_mut();
        let mut events = self.events.borrow_mut();
        let folded = Folded {
            storages: &storages,
            events: &events,
            details: details.as_ref(),
        };
        let mut unfolded = Unfolded::new(folds, &folded, &mut self.scopes.borrow_mut())?;
        let count = u32::try_from(storages.len()).unwrap_or(PHANTOM);
        self.places
            .replace((0..count).map(|id| unfolded.place(id)).collect());
        *storages = std::mem::take(&mut unfolded.storages);
        *events = std::mem::take(&mut unfolded.events);
        if let Some(details) = &mut *details {
            details.made = std::mem::take(&mut unfolded.made);
        }
        self.scope_ids.borrow_mut().clear();
        Some(unfolded)
    }

    /// Where the next event, the next storage and its number will be.
    pub(super) fn ends(&self) -> (usize, u32, u32) {
        let places = self.places.borrow().len();
        let number = |n: usize| u32::try_from(n).unwrap_or(PHANTOM);
        let storage = number(self.count());
        let id = if places == 0 { storage } else { number(places) };
        (self.event_count(), storage, id)
    }

    /// The later of two stretches of events (Note [Layers that repeat without gradients],
    /// `repeats.rs`), where each event does what that of the earlier one does to a storage that is
    /// one `step` further.
    pub(super) fn compare(
        &self,
        [one, other]: [Range<usize>; 2],
        step: impl Fn(u32) -> Option<u32>,
    ) -> Option<Vec<Stepping>> {
        let (events, storages) = (self.events.borrow(), self.storages.borrow());
        if one.len() != other.len() {
            return None;
        }
        let what = |id: u32| {
            let storage = storages[id as usize];
            (storage.bytes, storage.category)
        };
        let pairs = events.between(one).zip(events.between(other));
        let stepping = pairs.map(|pair| {
            let (from, to) = match pair {
                (Event::Alloc(from), Event::Alloc(to)) if what(from) == what(to) => (from, to),
                (Event::Free(from), Event::Free(to)) => (from, to),
                _ => return None,
            };
            let step = step(from)?;
            let event = pair.1;
            (to == from + step).then_some(Stepping { event, step })
        });
        stepping.collect()
    }

    /// Writes a stretch of events again and again, each time a step further, with the storages
    /// that were made in it; `scopes` are those of each storage, time by time.
    pub(super) fn write_again(&self, stretch: &[Stepping], made: Range<u32>, scopes: &[Rc<[u32]>]) {
        let (mut events, mut storages) = (self.events.borrow_mut(), self.storages.borrow_mut());
        let mut details = self.details.borrow_mut();
        let again = scopes.first().map_or(0, |scopes| scopes.len());
        let of_before = stretch.iter().filter_map(|s| match s.event {
            Event::Free(id) if !made.contains(&id) => Some((id, s.step)),
            _ => None,
        });
        let of_before: Vec<(u32, u32)> = of_before.collect();
        for (time, distance) in (1u32..).take(again).enumerate() {
            for (id, scopes) in made.clone().zip(scopes) {
                let scope = scopes[time];
                let storage = RawStorage {
                    scope,
                    ..storages[id as usize]
                };
                storages.push(storage);
                if let Some(details) = details.as_mut() {
                    details.repeat(id);
                }
            }
            for &Stepping { event, step } in stretch {
                events.push(match event {
                    Event::Alloc(id) => Event::Alloc(id + distance * step),
                    Event::Free(id) => Event::Free(id + distance * step),
                    event @ (Event::Mark(_) | Event::EmptyCache) => event,
                });
            }
            for &(id, step) in &of_before {
                storages[(id + distance * step) as usize].alive = false;
            }
        }
    }

    /// Of the storages with these numbers those that stand at one of `places` now stand so much
    /// further.
    pub(super) fn moved(&self, ids: Range<u32>, places: &[u32], further: u32) {
        let mut all = self.places.borrow_mut();
        if all.is_empty() {
            all.extend(0..ids.end);
        }
        for place in &mut all[ids.start as usize..ids.end as usize] {
            if places.contains(place) {
                *place += further;
            }
        }
    }

    /// The scopes that are for the `following` elements of a list of modules what `one` and `other`
    /// are for two of them, one after the other.
    pub(super) fn siblings(&self, one: u32, other: u32, following: u32) -> Option<Rc<[u32]>> {
        let (mut way, mut at) = (Vec::new(), (one, other));
        let (parent, name, index) = loop {
            if at.0 == at.1 {
                return Some((0..following).map(|_| other).collect());
            }
            let scopes = self.scopes.borrow();
            let (&from, &to) = (scopes.get(at.0)?, scopes.get(at.1)?);
            if from.name != to.name {
                return None;
            }
            if from.parent == to.parent && from.index? + 1 == to.index? {
                break (to.parent, to.name, to.index?);
            }
            if from.index != to.index {
                return None;
            }
            way.push((to.name, to.index));
            at = (from.parent, to.parent);
        };
        let sibling = |distance| {
            let element = self.child(parent, name, Some(index + distance));
            let down = way.iter().rev();
            down.fold(element, |at, &(name, index)| self.child(at, name, index))
        };
        Some((1..=following).map(sibling).collect())
    }

    /// Keeps what makes storages from here on.
    pub(super) fn keep_details(&self) {
        self.details.borrow_mut().get_or_insert_default();
    }

    /// Says which shape and type a storage was made for, if anybody wants to know.
    pub(super) fn describe(&self, storage: &Storage, shape: &Shape, dtype: DType) {
        if let Some(details) = self.details.borrow_mut().as_mut() {
            details.describe(storage.place(), (*shape, dtype));
        }
    }

    /// What was kept of what made the storages.
    pub(super) fn take_details(&self) -> Details {
        self.details.take().unwrap_or_default()
    }

    /// While muted, nothing that is allocated is recorded.
    pub(super) fn mute(&self, muted: bool) {
        self.muted.set(muted);
    }

    pub(super) fn is_muted(&self) -> bool {
        self.muted.get()
    }

    /// The child `name` (with its index, when it is one of several) of a scope; `a.b` is the child
    /// `b` of the child `a`.
    pub(super) fn child(&self, parent: u32, name: &'static str, index: Option<u32>) -> u32 {
        let key = (parent, index.map_or(0, |i| i + 1), name);
        if let Some(&known) = self.scope_ids.borrow().get(&key) {
            return known;
        }
        let scope = if let Some((first, rest)) = name.split_once('.') {
            self.child(self.child(parent, first, None), rest, index)
        } else {
            let scope = Scope {
                parent,
                name,
                index,
            };
            let scope = self.scopes.borrow_mut().add(scope);
            if let Some(folds) = self.folds.borrow_mut().as_mut() {
                folds.scope_made(scope, parent, name, index);
            }
            scope
        };
        self.scope_ids.borrow_mut().insert(key, scope);
        scope
    }

    /// The path of a scope; empty for the root.
    pub(super) fn path(&self, scope: u32) -> String {
        self.scopes.borrow().path(scope)
    }

    pub(super) fn scope(&self) -> u32 {
        self.scope.get()
    }

    pub(super) fn set_scope(&self, scope: u32) {
        let left = self.scope.replace(scope);
        if let Some(folds) = self.folds.borrow_mut().as_mut() {
            folds.scope_left(left);
        }
    }

    /// The scope in which a storage was made; the root for one that is not recorded.
    pub(super) fn scope_of(&self, storage: u32) -> u32 {
        let storages = self.storages.borrow();
        storages.get(storage as usize).map_or(0, |s| s.scope)
    }

    pub(super) fn storages_mut<R>(&self, f: impl FnOnce(&mut [RawStorage]) -> R) -> R {
        f(&mut self.storages.borrow_mut())
    }

    pub(super) fn event_count(&self) -> usize {
        self.events.borrow().len()
    }

    /// Whether what was allocated from an event on is gone, and nothing else.
    pub(super) fn leaves_nothing(&self, since: usize) -> bool {
        let (storages, events) = (self.storages.borrow(), self.events.borrow());
        let mut first = None;
        events
            .between(since..events.len())
            .all(|event| match event {
                Event::Alloc(id) => {
                    first.get_or_insert(id);
                    !storages[id as usize].alive
                }
                Event::Free(id) => first.is_some_and(|first| id >= first),
                Event::Mark(_) | Event::EmptyCache => true,
            })
    }

    pub(super) fn count(&self) -> usize {
        self.storages.borrow().len()
    }

    /// Ends the record: what is alive now stays alive in it.
    pub(super) fn close(&self) {
        self.closed.set(true);
    }

    /// Takes the record, leaving an empty one.
    pub(super) fn take(&self) -> (Vec<RawStorage>, Events, Scopes) {
        (self.storages.take(), self.events.take(), self.scopes.take())
    }
}

/// A live storage; dropping it records the free.
#[derive(Debug)]
pub struct Storage {
    id: Cell<u32>,
    recorder: Rc<Recorder>,
}

impl Storage {
    /// Where it stands in the record.
    pub(super) fn place(&self) -> u32 {
        let places = self.recorder.places.borrow();
        let id = self.id.get();
        places.get(id as usize).copied().unwrap_or(id)
    }

    /// The number that it had before the record was unfolded.
    pub(super) fn id(&self) -> u32 {
        self.id.get()
    }

    /// Takes the place of another storage, which is gone.
    #[allow(clippy::needless_pass_by_value, reason = "it is gone")]
    pub(super) fn become_other(&self, other: Self) {
        self.id.set(other.id.replace(PHANTOM));
    }

    /// Somebody else has recorded the free.
    pub(super) fn forget(&self) {
        self.id.set(PHANTOM);
    }

    /// Records the free now; whoever holds the storage holds nothing from here on.
    pub(super) fn free(&self) {
        let place = self.place();
        self.id.set(PHANTOM);
        if self.recorder.closed.get() {
            return;
        }
        let mut storages = self.recorder.storages.borrow_mut();
        if let Some(storage) = storages.get_mut(place as usize) {
            storage.alive = false;
            let recorder = &self.recorder;
            recorder.events.borrow_mut().push(Event::Free(place));
            if let Some(folds) = recorder.folds.borrow_mut().as_mut() {
                folds.free(recorder.scope.get(), storage.scope);
            }
        }
    }

    /// What the storage is for, as far as is known.
    pub(super) fn category(&self) -> Category {
        let storages = self.recorder.storages.borrow();
        let storage = storages.get(self.place() as usize);
        storage.map_or(Category::Temporaries, |s| s.category)
    }

    /// Says what the storage is for.
    pub(super) fn set_category(&self, category: Category) {
        let place = self.place() as usize;
        if let Some(storage) = self.recorder.storages.borrow_mut().get_mut(place) {
            storage.category = category;
        }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.free();
    }
}

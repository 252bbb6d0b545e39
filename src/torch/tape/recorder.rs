//! The recorder: turns the life of storages into events.

mod storage;
mod turns;

pub use storage::Storage;

use super::Category;
use super::details::Details;
use super::event::Event;
use super::levels::{Levels, follow};
use super::record::{Record, ScopesAgain};
use super::repeats::Stepping;
use super::scopes::{Scope, Scopes};
use super::storages::RawStorage;
use super::unfold::{Folded, Unfolded};
use super::work::Counted;
use crate::units::{DType, Shape, Stream, Streams};
use std::cell::{Cell, RefCell, RefMut};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Storages and events so far.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    record: RefCell<Record>,
    scopes: RefCell<Scopes>,
    scope_ids: RefCell<BTreeMap<(u32, u32, &'static str), u32>>,
    /// The operations that made the storages, when that is asked for.
    details: RefCell<Option<Details>>,
    /// Lists of modules that are built shorter than they are, where that is allowed.
    folds: RefCell<Option<Levels>>,
    /// The new index of each storage that was alive when the record was unfolded, sorted by id. Storages that were made
    /// later have their own numbers as indices.
    places: RefCell<Vec<(u32, u32)>>,
    /// Storages whose index has changed since, by their old index.
    moved: RefCell<BTreeMap<u32, u32>>,
    scope: Cell<u32>,
    stream: Cell<Stream>,
    muted: Cell<bool>,
    /// Whether waits of streams and of the host are recorded.
    pub(super) keeps_waits: Cell<bool>,
    /// The streams on which leaves took gradients in this backward pass.
    pub(super) leaves: Cell<Streams>,
    pub(super) counted: Counted,
    closed: Cell<bool>,
}

/// Storages and events of the few layers that are built of most models: there is room for them from
/// the start.
const STORAGES: usize = 2048;
const EVENTS: usize = 4096;

/// The id of a storage that is not recorded.
const PHANTOM: u32 = u32::MAX;

/// The bit of an id that says that the storage was made since the record was unfolded: numbers are
/// below 2^30.
const SINCE: u32 = 1 << 31;

impl Recorder {
    pub(super) fn new() -> Rc<Self> {
        let recorder = Self::default();
        recorder.record.borrow_mut().reserve(STORAGES, EVENTS);
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
                id: Cell::new(PHANTOM),
                recorder: Rc::clone(self),
            };
        }
        let mut record = self.record.borrow_mut();
        let id = record.add(RawStorage {
            bytes,
            stream: self.stream.get(),
            used_on: Streams::NONE,
            category,
            scope: self.scope.get(),
            alive: true,
        });
        record.push(Event::Alloc(id));
        drop(record);
        if let Some(details) = self.details.borrow_mut().as_mut() {
            details.add(op);
        }
        if let Some(folds) = self.folds.borrow_mut().as_mut() {
            folds.alloc(self.scope.get());
        }
        self.standing(id)
    }

    /// A handle of the live storage with index `place`.
    pub(super) fn standing(self: &Rc<Self>, place: u32) -> Storage {
        let unfolded = !self.places.borrow().is_empty();
        Storage {
            id: Cell::new(if unfolded { place | SINCE } else { place }),
            recorder: Rc::clone(self),
        }
    }

    /// The index of the storage with this id.
    fn place(&self, id: u32) -> u32 {
        let place = if id & SINCE == 0 {
            let places = self.places.borrow();
            let found = places.binary_search_by_key(&id, |&(id, _)| id);
            found.map_or(id, |at| places[at].1)
        } else if id == PHANTOM {
            return id;
        } else {
            id & !SINCE
        };
        let moved = self.moved.borrow();
        if moved.is_empty() {
            return place;
        }
        moved.get(&place).copied().unwrap_or(place)
    }

    /// Of consecutive stretches, each with the events and storages of `stretch`: drops the last but one from the
    /// written record if it continues those before it.
    pub(super) fn leave_out(&self, stretch: [usize; 2]) {
        let left_out = self.record.borrow_mut().leave_out(stretch);
        if let (Some(storages), Some(details)) = (left_out, self.details.borrow_mut().as_mut()) {
            details.made.drain(storages);
        }
    }

    /// Adds an event that concerns no storage.
    pub(super) fn note(&self, event: Event) {
        self.record.borrow_mut().push(event);
        if let Some(folds) = self.folds.borrow_mut().as_mut() {
            folds.alloc(self.scope.get());
        }
    }

    /// The folds, to be changed; `None` unless that is allowed.
    pub(super) fn folds(&self) -> RefMut<'_, Option<Levels>> {
        self.folds.borrow_mut()
    }

    /// Puts the record together as that of whole lists, from within; nothing when it cannot be done.
    pub(super) fn unfold(&self) -> Option<Vec<Unfolded>> {
        // Moved storages are found by their index in the folded record.
        let is_plain = self.moved.borrow().is_empty();
        let mut left = self.folds.take().filter(|_| is_plain)?.inside_out()?;
        let mut details = self.details.borrow_mut();
        let mut record = self.record.borrow_mut();
        let mut scopes = self.scopes.borrow_mut();
        let living = record.written().living();
        let living = living.filter_map(|(at, _)| u32::try_from(at).ok());
        let mut places: Vec<(u32, u32)> = living.map(|id| (id, id)).collect();
        let mut levels = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let folded = Folded {
                record: &record,
                details: details.as_ref(),
            };
            let mut unfolded = Unfolded::new(left.remove(0), &folded, &mut scopes)?;
            places.retain_mut(|(_, at)| unfolded.place(*at).map(|place| *at = place).is_some());
            *record = std::mem::take(&mut unfolded.record);
            if let Some(details) = &mut *details {
                details.made = std::mem::take(&mut unfolded.made);
            }
            follow(&mut left, &scopes, |at| unfolded.event(at))?;
            levels.push(unfolded);
        }
        self.places.replace(places);
        self.scope_ids.borrow_mut().clear();
        Some(levels)
    }

    /// The indices of the next event and the next storage.
    pub(super) fn ends(&self) -> (usize, u32) {
        let storage = u32::try_from(self.count()).unwrap_or(PHANTOM);
        (self.event_count(), storage)
    }

    /// The later of two stretches of events (Note [Layers that repeat without gradients], `repeats.rs`), where each
    /// event corresponds to an event of the earlier stretch, on a storage one step further, as far as `steps` says.
    pub(super) fn compare(
        &self,
        [one, other]: [Range<usize>; 2],
        steps: impl Fn(u32, u32) -> bool,
    ) -> Option<Vec<Stepping>> {
        let record = self.record.borrow();
        if one.len() != other.len() {
            return None;
        }
        let what = |id: u32| {
            let storage = record.storage(id);
            storage.map(|s| (s.bytes, s.stream, s.used_on, s.category))
        };
        let pairs = record.between(one).zip(record.between(other));
        let stepping = pairs.map(|pair| {
            let (from, to) = match pair {
                (Event::Alloc(from), Event::Alloc(to)) if what(from) == what(to) => (from, to),
                (Event::Free(from), Event::Free(to)) => (from, to),
                _ => return None,
            };
            let stepping = || Stepping {
                event: pair.1,
                step: to - from,
            };
            (to > from && steps(from, to)).then(stepping)
        });
        stepping.collect()
    }

    /// Repeats a stretch of events that was just written, each time a step further, with the storages that were made in
    /// it; `scopes` are the scopes of each storage, time by time. The last repetition is written: the storages that it
    /// leaves alive are others than the ones that earlier repetitions leave.
    pub(super) fn come_again(&self, stretch: &[Stepping], made: Range<u32>, scopes: &ScopesAgain) {
        let mut record = self.record.borrow_mut();
        let again = scopes.first().map_or(0, |scopes| scopes.len());
        let Some(last) = again.checked_sub(1) else {
            return;
        };
        record.go_on_in(stretch.len(), last, scopes);
        let of_before = stretch.iter().filter_map(|s| match s.event {
            Event::Free(id) if !made.contains(&id) => Some((id, s.step)),
            _ => None,
        });
        let of_before: Vec<(u32, u32)> = of_before.collect();
        let distance = u32::try_from(again).unwrap_or(0);
        for (id, scopes) in made.clone().zip(scopes.iter()) {
            let Some(mut storage) = record.storage(id) else {
                continue;
            };
            storage.scope = scopes[last];
            record.add(storage);
            if let Some(details) = self.details.borrow_mut().as_mut() {
                details.repeat(record.place_of(id));
            }
        }
        for &Stepping { event, step } in stretch {
            record.push(match event {
                Event::Alloc(id) => Event::Alloc(id + distance * step),
                Event::Free(id) => Event::Free(id + distance * step),
                event => event,
            });
        }
        for (id, step) in of_before {
            for distance in 1..=distance {
                record.free(id + distance * step);
            }
        }
    }

    /// The storages with these indices are `further` further on from now on.
    pub(super) fn moved(&self, places: &[u32], further: u32) {
        let moved = places.iter().map(|&place| (place, place + further));
        self.moved.borrow_mut().extend(moved);
    }

    /// The scopes that are for the `following` elements of a list, each of `period` modules, what `one`
    /// and `other` are for two of them, one after the other.
    pub(super) fn siblings(
        &self,
        [one, other]: [u32; 2],
        period: u32,
        following: u32,
    ) -> Option<Arc<[u32]>> {
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
            if from.parent == to.parent && from.index? + period == to.index? {
                break (to.parent, to.name, to.index?);
            }
            if from.index != to.index {
                return None;
            }
            way.push((to.name, to.index));
            at = (from.parent, to.parent);
        };
        let sibling = |distance| {
            let element = self.child(parent, name, Some(index + period * distance));
            let down = way.iter().rev();
            down.fold(element, |at, &(name, index)| self.child(at, name, index))
        };
        Some((1..=following).map(sibling).collect())
    }

    /// From here on keeps the operation that makes each storage.
    pub(super) fn keep_details(&self) {
        self.details.borrow_mut().get_or_insert_default();
    }

    /// Notes the shape and type that a storage was made for, if details are kept.
    pub(super) fn describe(&self, storage: &Storage, shape: &Shape, dtype: DType) {
        if let Some(details) = self.details.borrow_mut().as_mut() {
            let place = self.record.borrow().place_of(storage.place());
            details.describe(place, (*shape, dtype));
        }
    }

    /// Takes the notes of the operations that made the storages.
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

    /// The outermost scope with an index that a scope is, or is below.
    pub(super) fn outermost_item(&self, scope: u32) -> Option<u32> {
        self.scopes.borrow().outermost_item(scope)
    }

    /// The element of a list that a scope is.
    pub(super) fn index_of(&self, scope: u32) -> Option<u32> {
        self.scopes.borrow().name(scope)?.1
    }

    pub(super) fn is_within(&self, scope: u32, outer: u32) -> bool {
        let scopes = self.scopes.borrow();
        std::iter::successors(Some(scope), |&at| scopes.parent(at)).any(|at| at == outer)
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

    /// Sets the stream of allocations from here on and returns the former stream.
    pub(super) fn set_stream(&self, stream: Stream) -> Stream {
        self.stream.replace(stream)
    }

    /// The stream of allocations.
    pub(super) fn stream(&self) -> Stream {
        self.stream.get()
    }

    /// A stream uses a storage, if that is recorded.
    pub(super) fn record_stream(&self, storage: u32, stream: Stream) {
        if storage != PHANTOM {
            self.record.borrow_mut().record_stream(storage, stream);
        }
    }

    /// The scope in which a storage was made; the root for one that is not recorded.
    pub(super) fn scope_of(&self, storage: u32) -> u32 {
        let storage = self.record.borrow().storage(storage);
        storage.map_or(0, |s| s.scope)
    }

    pub(super) fn is_alive(&self, storage: u32) -> bool {
        let storage = self.record.borrow().storage(storage);
        storage.is_some_and(|s| s.alive)
    }

    pub(super) fn record_mut(&self) -> RefMut<'_, Record> {
        self.record.borrow_mut()
    }

    pub(super) fn event_count(&self) -> usize {
        self.record.borrow().event_count()
    }

    /// Whether exactly the storages that were allocated from event `since` on are freed.
    pub(super) fn leaves_nothing(&self, since: usize) -> bool {
        let record = self.record.borrow();
        let mut first = None;
        record
            .between(since..record.event_count())
            .all(|event| match event {
                Event::Alloc(id) => {
                    first.get_or_insert(id);
                    record.storage(id).is_some_and(|storage| !storage.alive)
                }
                Event::Free(id) => first.is_some_and(|first| id >= first),
                Event::Mark(_) | Event::EmptyCache | Event::Wait(_) => true,
            })
    }

    pub(super) fn count(&self) -> usize {
        self.record.borrow().storage_count()
    }

    /// Ends the record: storages that are alive now stay alive in it.
    pub(super) fn close(&self) {
        self.closed.set(true);
    }

    /// Takes the record, leaving an empty one.
    pub(super) fn take(&self) -> (Record, Scopes) {
        (self.record.take(), self.scopes.take())
    }
}

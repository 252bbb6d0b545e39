//! Storages and events in order, where repetitions are not written.
//!
//! Of layers that do the same (Note [Layers that repeat], `folds.rs`) two neighbours are written. From one to the next
//! the numbers of all events, storages and scopes grow by a constant step, and so they do for each layer after them. So
//! a record of a hundred layers takes the room of a few. Long lists within a layer, such as experts that run one after
//! another, are written the same way. Numbers and indices are those of the whole record. Where layers repeat without
//! gradients (`repeats.rs`) their scopes are listed.

#![allow(
    clippy::inline_always,
    reason = "every event of a run passes here, and the page is compiled for size"
)]

mod again;
mod pieces;
mod resized;

use super::Category;
use super::event::{Event, Word};
use super::storages::{RawStorage, Storages, push};
use crate::units::Stream;
use std::ops::Range;
use std::sync::Arc;

/// Storages and events in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    storages: Storages,
    words: Vec<Word>,
    copies: Vec<Copies>,
}

/// The scopes of each storage of a repeated stretch, one per repetition.
pub(super) type ScopesAgain = Arc<[Arc<[u32]>]>;

/// A stretch of events that repeats and is not written. It continues the two equally long stretches before it; within
/// them another stretch may repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Copies {
    /// Events and storages before the first repetition: in the whole record, and written.
    place: usize,
    storage: usize,
    words: usize,
    stored: usize,
    /// Events and storages of each repetition.
    events: usize,
    storages: usize,
    times: usize,
    /// The scopes, where they do not continue by a constant step.
    scopes: Option<ScopesAgain>,
}

impl Copies {
    /// Events of the whole record after the last repetition.
    fn end(&self) -> usize {
        self.place + self.events * self.times
    }
}

/// The next stretch of a record.
pub(super) enum Passage<'a> {
    Written(Piece<'a>),
    Again(Again),
}

/// A stretch that repeats the events before it, each time one step further, and is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Again {
    /// Events and storages of each repetition.
    pub(super) events: usize,
    storages: usize,
    pub(super) times: usize,
}

/// Consecutive events, all of them written, or all of one repetition.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The written words, and those of the stretch before them: equal where nothing is repeated.
    words: &'a [Word],
    before: &'a [Word],
    /// The steps from the written words to this repetition.
    times: u32,
    /// The words before and the steps, of a repetition within the repeated stretch.
    before_within: &'a [Word],
    times_within: u32,
    /// The index of the written words.
    pub written_at: usize,
    /// Number of unwritten storages before the ones that are allocated here.
    unwritten: usize,
}

/// An event of a piece.
#[derive(Clone, Copy)]
pub struct RecordedEvent {
    /// The event.
    pub event: Event,
    /// The index of its storage, if it allocates one.
    pub stored: usize,
    /// Whether the next event of the piece frees that.
    pub is_momentary: bool,
}

impl<'a> Piece<'a> {
    /// How many events.
    #[inline]
    pub fn event_count(&self) -> usize {
        self.words.len()
    }

    /// Its events in order.
    #[inline]
    pub fn steps(self) -> impl Iterator<Item = RecordedEvent> + 'a {
        let events = self.words.len();
        let piece = Self {
            before: &self.before[..events],
            before_within: &self.before_within[..events],
            ..self
        };
        Steps { piece, place: 0 }
    }

    /// The events.
    pub fn events(self) -> impl Iterator<Item = Event> + 'a {
        self.steps().map(|step| step.event)
    }

    /// The event that is written for the one at a place: it does the same to a storage of the same
    /// bytes, for the same.
    #[inline(always)]
    pub fn written(&self, place: usize) -> Event {
        self.words[place].event()
    }

    /// The index of the storage that an event allocates.
    #[inline(always)]
    pub fn stored(&self, place: usize) -> usize {
        (self.words[place].number() as usize).wrapping_sub(self.unwritten)
    }
}

/// The events of a piece in order.
struct Steps<'a> {
    piece: Piece<'a>,
    /// The next one.
    place: usize,
}

impl Iterator for Steps<'_> {
    type Item = RecordedEvent;

    #[inline(always)]
    fn next(&mut self) -> Option<RecordedEvent> {
        let (piece, place) = (&self.piece, self.place);
        let word = *piece.words.get(place)?;
        self.place += 1;
        let next = piece.words.get(self.place);
        let on = word.further(piece.before[place], piece.times);
        let on = on.as_much(word, piece.before_within[place], piece.times_within);
        Some(RecordedEvent {
            event: on.event(),
            stored: piece.stored(place),
            is_momentary: next.is_some_and(|next| next.ends(word)),
        })
    }
}

impl Record {
    /// Adds an event.
    pub fn push(&mut self, event: Event) {
        push(&mut self.words, Word::of(event));
    }

    /// Adds a storage; its number.
    pub fn add(&mut self, storage: RawStorage) -> u32 {
        let number = u32::try_from(self.storage_count()).unwrap_or(u32::MAX);
        self.storages.push(storage);
        number
    }

    /// Makes room for `storages` and `events` more.
    pub(super) fn reserve(&mut self, storages: usize, events: usize) {
        self.storages.reserve(storages);
        self.words.reserve_exact(events);
    }

    /// The last `events` events and storages come once more, going on as they do from those before.
    pub(super) fn go_on(&mut self, events: usize, storages: usize) {
        match self.copies.last_mut() {
            Some(last) if last.words == self.words.len() && last.events == events => {
                last.times += 1;
            }
            _ => self.come_again([events, storages], 1, None),
        }
    }

    /// Repeats the last events as `again` describes.
    pub(super) fn go_on_as(&mut self, again: Again) {
        self.come_again([again.events, again.storages], again.times, None);
    }

    /// Of consecutive stretches of `events` events and `storages` storages: drops the last but one from the written
    /// record if it continues the two before it. Returns the indices of its written storages.
    pub(super) fn leave_out(&mut self, [events, storages]: [usize; 2]) -> Option<Range<usize>> {
        let written = |all: usize, each: usize, back: usize| {
            let end = all.checked_sub(each * (back - 1))?;
            Some(end.checked_sub(each)?..end)
        };
        let stretch = |back: usize| written(self.words.len(), events, back);
        let made = |back: usize| written(self.storages.count(), storages, back);
        let [one, other, this] = [stretch(4)?, stretch(3)?, stretch(2)?];
        let [made_one, made_other, made_this] = [made(4)?, made(3)?, made(2)?];
        // Copies that were written right before it, if any: it is one more of them.
        let last = self.copies.last().filter(|last| last.words > one.start);
        if let Some(last) = last
            && (last.words != this.start
                || [last.events, last.storages] != [events, storages]
                || last.scopes.is_some())
        {
            return None;
        }
        let times = last.map_or(1, |last| last.times + 1);
        let further = u32::try_from(times).ok()?;
        let words = |range: Range<usize>| self.words[range].iter().copied();
        let mut words = words(one).zip(words(other)).zip(words(this.clone()));
        let alike = words.all(|((one, other), this)| other.further(one, further) == this)
            && self.goes_on([made_one, made_other, made_this.clone()], further);
        if !alike {
            return None;
        }
        if times > 1 {
            self.copies.last_mut()?.times = times;
        } else {
            self.copies.push(Copies {
                place: self.event_count() - 2 * events,
                storage: self.storage_count() - 2 * storages,
                words: this.start,
                stored: made_this.start,
                events,
                storages,
                times,
                scopes: None,
            });
        }
        self.words.drain(this);
        self.storages.remove(made_this.clone());
        Some(made_this)
    }

    /// The storage with this number is alive.
    pub(super) fn lives(&mut self, id: u32) {
        self.storages.live(self.place_of(id));
    }

    /// Whether storage `id` is alive.
    pub(super) fn is_alive(&self, id: u32) -> bool {
        self.storages.is_alive(self.place_of(id))
    }

    /// Whether the storages of the third stretch go on `further` times from those of the first two.
    fn goes_on(&self, stretches: [Range<usize>; 3], further: u32) -> bool {
        let [one, other, this] = stretches.map(|range| self.storages.between(range));
        let mut all = one.zip(other).zip(this);
        all.all(|((one, other), this)| other.further(one, further) == Some(this))
    }

    /// Repeats all events from index `events` on `times` times; `scopes` are those of the repeated storages.
    pub(super) fn go_on_in(&mut self, events: usize, times: usize, scopes: &ScopesAgain) {
        if times > 0 {
            self.come_again([events, scopes.len()], times, Some(Arc::clone(scopes)));
        }
    }

    fn come_again(
        &mut self,
        [events, storages]: [usize; 2],
        times: usize,
        scopes: Option<ScopesAgain>,
    ) {
        self.copies.push(Copies {
            place: self.event_count(),
            storage: self.storage_count(),
            words: self.words.len(),
            stored: self.storages.count(),
            events,
            storages,
            times,
            scopes,
        });
    }

    /// How many events are written.
    pub fn written_events(&self) -> usize {
        self.words.len()
    }

    /// How many events there are.
    pub fn event_count(&self) -> usize {
        let last = self
            .copies
            .last()
            .map_or(0, |last| last.place + last.events * last.times - last.words);
        self.words.len() + last
    }

    /// How many storages there are.
    pub fn storage_count(&self) -> usize {
        let last = self.copies.last().map_or(0, |last| {
            last.storage + last.storages * last.times - last.stored
        });
        self.storages.count() + last
    }

    /// The stretches of events `places`, which must not cut through a repetition.
    pub(super) fn passages(
        &self,
        mut places: Range<usize>,
    ) -> impl Iterator<Item = Passage<'_>> + '_ {
        let before = self
            .copies
            .partition_point(|copies| copies.place < places.start);
        let mut copies = self.copies[before..].iter().peekable();
        std::iter::from_fn(move || {
            if places.is_empty() {
                return None;
            }
            if let Some(found) = copies.next_if(|copies| copies.place == places.start) {
                places.start = found.end();
                return Some(Passage::Again(Again {
                    events: found.events,
                    storages: found.storages,
                    times: found.times,
                }));
            }
            let piece = self.piece(places.clone());
            places.start += piece.event_count();
            Some(Passage::Written(piece))
        })
    }

    /// The events at some places.
    pub fn between(&self, places: Range<usize>) -> impl Iterator<Item = Event> + '_ {
        self.pieces(places).flat_map(Piece::events)
    }

    /// The marks, each with its place; repeated stretches have none.
    pub fn marks(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let words = self.words.iter().enumerate();
        let mut copies = self.copies.iter().peekable();
        let mut unwritten = 0;
        let marks = words.filter(|(_, word)| word.is_mark());
        marks.map(move |(at, word)| {
            while let Some(passed) = copies.next_if(|copies| copies.words <= at) {
                unwritten += passed.events * passed.times;
            }
            (at + unwritten, word.number())
        })
    }

    /// The storages that are written: two repetitions represent all where storages repeat.
    pub fn written(&self) -> &Storages {
        &self.storages
    }

    /// The written storages, to be changed.
    pub fn written_mut(&mut self) -> &mut Storages {
        &mut self.storages
    }

    /// The repetition that storage `id` belongs to, with the number of repeated storages before it; the index of the
    /// written storage where it belongs to none.
    fn again(&self, id: usize) -> Result<(&Copies, usize), usize> {
        let after = self.copies.partition_point(|copies| copies.storage <= id);
        let Some(copies) = self.copies[..after].last() else {
            return Err(id);
        };
        let since = id - copies.storage;
        match since.checked_sub(copies.storages * copies.times) {
            Some(since) => Err(copies.stored + since),
            None => Ok((copies, since)),
        }
    }

    /// The index of a storage.
    pub fn place_of(&self, id: u32) -> usize {
        let mut id = id as usize;
        loop {
            match self.again(id) {
                Err(place) => return place,
                Ok((copies, since)) => {
                    id = copies.storage - copies.storages + since % copies.storages;
                }
            }
        }
    }

    /// The storage with a number.
    pub fn storage(&self, id: u32) -> Option<RawStorage> {
        self.numbered(id as usize)
    }

    fn numbered(&self, id: usize) -> Option<RawStorage> {
        let (copies, since) = match self.again(id) {
            Err(place) => return self.storages.get(place),
            Ok(again) => again,
        };
        let (time, ordinal) = (since / copies.storages, since % copies.storages);
        let last = copies.storage - copies.storages + ordinal;
        let mut storage = self.numbered(last)?;
        storage.scope = if let Some(scopes) = &copies.scopes {
            *scopes.get(ordinal)?.get(time)?
        } else {
            let before = self.numbered(last - copies.storages)?.scope;
            let step = storage.scope.wrapping_sub(before);
            let further = step.wrapping_mul(u32::try_from(time + 1).unwrap_or(0));
            storage.scope.wrapping_add(further)
        };
        Some(storage)
    }

    /// Sets the category of storage `id`, and of all storages that are written as one with it.
    pub(super) fn classify(&mut self, id: u32, category: Category) {
        self.storages.classify(self.place_of(id), category);
    }

    /// Records that a stream uses storage `id`, and all storages that are written as one with it.
    pub(super) fn record_stream(&mut self, id: u32, stream: Stream) {
        self.storages.record_stream(self.place_of(id), stream);
    }

    /// Frees storage `id`, and all storages that are written as one with it. Returns its written scope.
    pub(super) fn free(&mut self, id: u32) -> Option<u32> {
        self.storages.free(self.place_of(id))
    }
}

//! What a record is a list of.

use std::ops::Range;

/// One entry of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The storage with this number is allocated.
    Alloc(u32),
    /// The storage with this number is freed.
    Free(u32),
    /// The mark with this number: a phase begins.
    Mark(u32),
    /// The cache is emptied: `torch.cuda.empty_cache()`.
    EmptyCache,
}

/// Events in order, four bytes each: records of large models have millions. Numbers are below 2^30.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events(Vec<u32>);

/// The two lowest bits say what an event is; an allocation has none.
const FREE: u32 = 1;
const MARK: u32 = 2;
const EMPTY_CACHE: u32 = 3;

#[inline]
fn read(word: u32) -> Event {
    match word & 3 {
        FREE => Event::Free(word >> 2),
        MARK => Event::Mark(word >> 2),
        EMPTY_CACHE => Event::EmptyCache,
        _ => Event::Alloc(word >> 2),
    }
}

impl Events {
    /// Adds an event.
    pub fn push(&mut self, event: Event) {
        self.0.push(match event {
            Event::Alloc(id) => id << 2,
            Event::Free(id) => id << 2 | FREE,
            Event::Mark(mark) => mark << 2 | MARK,
            Event::EmptyCache => EMPTY_CACHE,
        });
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The event at a place.
    pub fn at(&self, place: usize) -> Event {
        read(self.0.as_slice()[place])
    }

    /// The events at some places.
    pub fn between(&self, places: Range<usize>) -> impl ExactSizeIterator<Item = Event> + '_ {
        self.0[places].iter().map(|&word| read(word))
    }

    /// The event at a place, and whether the next one, at a place before `end`, frees its storage.
    #[inline]
    pub fn momentary(&self, place: usize, end: usize) -> (Event, bool) {
        let words = self.0.as_slice();
        let word = words[place];
        let freed = place + 1 < end && words[place + 1] == word | FREE;
        (read(word), freed)
    }

    /// The marks, each with its place.
    pub fn marks(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let marks = self.0.iter().enumerate();
        let marks = marks.filter(|&(_, &word)| word & 3 == MARK);
        marks.map(|(at, &word)| (at, word >> 2))
    }

    /// All events.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Event> + '_ {
        self.between(0..self.len())
    }

    /// Adds as many events as there are from `one` to the beginning of `other`, each to that of `other` as
    /// that is to the one of `one`: its number goes on by as much.
    pub(super) fn go_on(&mut self, one: usize, other: Range<usize>) {
        let distance = other.start - one;
        for at in other {
            let (before, last) = (self.0[at - distance], self.0[at]);
            self.0.push(last.wrapping_add(last.wrapping_sub(before)));
        }
    }

    pub(super) fn reserve_exact(&mut self, events: usize) {
        self.0.reserve_exact(events);
    }
}

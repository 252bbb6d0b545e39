//! The change by stretches of a run of the live bytes, whatever is alive before them.
//!
//! The steps of a run share most of their events, so each stretch of the record is looked at once:
//! the event of its highest memory does not depend on the memory before it.

#![allow(
    clippy::inline_always,
    reason = "every event of a run passes here, and the page is compiled for size"
)]

use super::Composition;
use super::asked::Asked;
use super::phases::rounded;
use crate::sim::{Event, Piece, Trace};
use crate::tape::{Category, Record};
use std::collections::BTreeMap;
use std::ops::Range;

/// Live bytes, or a change of them; all sums wrap, so that a change can be negative.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Alive {
    /// Live storages, each rounded to the allocator's blocks.
    pub live: u64,
    /// How many they are.
    pub storages: u32,
    pub composition: Composition,
}

impl Alive {
    /// The live bytes after `change`.
    #[inline(always)]
    pub fn after(self, change: &Self) -> Self {
        Self {
            live: self.live.wrapping_add(change.live),
            storages: self.storages.wrapping_add(change.storages),
            composition: self.composition.wrapping_add(&change.composition),
        }
    }

    fn change(&mut self, category: Category, bytes: u64) {
        self.live = self.live.wrapping_add(bytes);
        self.composition.change(category, bytes);
    }
}

/// Consecutive events, of which only the first can begin a phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// How many.
    pub events: usize,
    /// Whether a phase begins with it.
    pub begins_phase: bool,
    /// Its highest moment, right after the event with this number in it: the first with the most
    /// live bytes.
    pub highest_at: usize,
    pub highest: Alive,
    /// Its change as a whole.
    pub whole: Alive,
    /// Bytes asked for, before rounding: at their highest, and as it changes them.
    pub asked_highest: Asked,
    pub asked_whole: Asked,
}

impl Stretch {
    /// The stretch of a piece that begins at `start` and ends before the next phase, and before `end`.
    fn new(record: &Record, piece: &Piece, Range { start, end }: Range<usize>) -> Self {
        let mut stretch = Self {
            events: 0,
            begins_phase: false,
            highest_at: 0,
            highest: Alive::default(),
            whole: Alive::default(),
            asked_highest: Asked::default(),
            asked_whole: Asked::default(),
        };
        let storages = record.written();
        // Memory is highest right before something is freed, or at the end: only there it is compared.
        let (mut highest, mut rising) = (i64::MIN, false);
        for place in start..end {
            let (stored, allocates) = match piece.written(place) {
                Event::Mark(_) if place > start => break,
                Event::Mark(_) => {
                    stretch.begins_phase = true;
                    (None, true)
                }
                Event::Alloc(_) => (Some(piece.stored(place)), true),
                Event::Free(id) => (Some(record.place_of(id)), false),
                Event::EmptyCache | Event::Wait(_) => (None, rising),
            };
            if rising && !allocates {
                stretch.compare(&mut highest);
            }
            rising = allocates;
            if let Some(storage) = stored.and_then(|at| storages.get(at)) {
                stretch.change(storage.category, storage.bytes, allocates);
            }
            stretch.events += 1;
            if place == start {
                stretch.compare(&mut highest);
            }
        }
        if rising {
            stretch.compare(&mut highest);
        }
        stretch
    }

    /// Adds an event.
    #[inline]
    fn change(&mut self, category: Category, bytes: u64, allocates: bool) {
        let sign = |bytes: u64| {
            if allocates {
                bytes
            } else {
                bytes.wrapping_neg()
            }
        };
        let storages = self.whole.storages;
        self.whole.storages = storages.wrapping_add_signed(if allocates { 1 } else { -1 });
        self.whole.change(category, sign(rounded(bytes)));
        self.asked_whole.change(category, sign(bytes));
    }

    /// Compares memory at a turning point with the highest so far.
    fn compare(&mut self, highest: &mut i64) {
        self.asked_highest = self.asked_highest.highest(self.asked_whole);
        let live = self.whole.live.cast_signed();
        if live > *highest {
            *highest = live;
            (self.highest_at, self.highest) = (self.events.saturating_sub(1), self.whole);
        }
    }
}

/// The stretches of a record that have been looked at.
pub(super) struct Stretches<'a> {
    record: &'a Record,
    /// Indices in the record at which ranges of the program begin or end.
    borders: Vec<usize>,
    /// Results of pieces, by the length of stretches and by where and how far they are written.
    known: BTreeMap<(usize, usize, usize), Vec<Stretch>>,
}

impl<'a> Stretches<'a> {
    pub fn of(trace: &'a Trace) -> Self {
        let program = trace.program.iter();
        let mut borders: Vec<usize> = program.flat_map(|range| [range.start, range.end]).collect();
        borders.sort_unstable();
        borders.dedup();
        Self {
            record: &trace.record,
            borders,
            known: BTreeMap::new(),
        }
    }

    /// Walks a range of the record in stretches of at most `length` events.
    pub fn walk(&mut self, range: Range<usize>, length: usize, mut see: impl FnMut(&Stretch)) {
        let mut start = range.start;
        while start < range.end {
            let next = self.borders.partition_point(|&border| border <= start);
            let border = self.borders.get(next).copied();
            let end = border.map_or(range.end, |border| border.min(range.end));
            let mut pieces = self.record.pieces(start..end).peekable();
            let key = |piece: &Piece| (length, piece.written_at, piece.event_count());
            while let Some(piece) = pieces.next() {
                let found = || stretches(self.record, &piece, length);
                let found = self.known.entry(key(&piece)).or_insert_with(found);
                found.iter().for_each(&mut see);
                while pieces.next_if(|next| key(next) == key(&piece)).is_some() {
                    found.iter().for_each(&mut see);
                }
            }
            start = end;
        }
    }
}

/// A piece in stretches that are about as long, and at most `length`.
fn stretches(record: &Record, piece: &Piece, length: usize) -> Vec<Stretch> {
    let length = piece
        .event_count()
        .div_ceil(piece.event_count().div_ceil(length).max(1));
    let mut found = Vec::new();
    let mut start = 0;
    while start < piece.event_count() {
        let end = piece.event_count().min(start + length);
        let stretch = Stretch::new(record, piece, start..end);
        start += stretch.events;
        found.push(stretch);
    }
    found
}

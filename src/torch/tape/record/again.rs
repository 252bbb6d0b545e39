//! Repetitions whose storages are written once more: turns of a schedule (Note [Turns of a schedule], `turns.rs`) and
//! steps (Note [A step that comes again], `steps.rs`).

use super::Record;
use crate::tape::event::{Event, Word};
use crate::tape::storages::RawStorage;
use std::ops::Range;

impl Record {
    /// Whether the first of two turns has the events of the other, a turn further, and makes storages like those in
    /// `like`. In a record in which nothing repeats.
    pub(in crate::tape) fn turns_are_alike(
        &self,
        [one, before]: [Range<usize>; 2],
        [made, like]: [&Range<usize>; 2],
        marks: usize,
    ) -> bool {
        let each = u32::try_from(made.len()).unwrap_or(u32::MAX);
        let marks = u32::try_from(marks).unwrap_or(u32::MAX);
        let words = |range: Range<usize>| self.words.get(range).unwrap_or_default();
        let [one, before] = [one, before].map(words);
        let pairs = || one.iter().zip(before);
        let [made, like] = [made, like].map(|range| self.storages.between(range.clone()));
        let stored = made.zip(like).all(|(one, other)| {
            let alive = other.alive;
            RawStorage { alive, ..one } == other
        });
        self.copies.is_empty()
            && one.len() == before.len()
            && pairs().all(|(one, before)| before.in_turn(each, marks) == *one)
            && stored
    }

    /// Repeats a turn that ends the record `times` times more; its storages are not alive.
    pub(in crate::tape) fn turn_again(
        &mut self,
        events: Range<usize>,
        made: Range<usize>,
        marks: usize,
        times: u32,
    ) {
        let [each, marks] = [made.len(), marks].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let all = times as usize;
        self.reserve(all * made.len(), all * events.len());
        for time in 1..=times {
            for at in events.clone() {
                let word = self.words[at].in_turn(each * time, marks * time);
                self.words.push(word);
            }
            self.storages.again(made.clone());
        }
    }

    /// Appends a copy of all events from index `events` on. Storages in `made` get new ids, other storages that the copy
    /// frees get the ids that `instead` gives. Returns false, and appends nothing, where `instead` knows none, or in a
    /// record with repeated stretches.
    pub(in crate::tape) fn step_again(
        &mut self,
        events: usize,
        made: Range<usize>,
        marks: usize,
        instead: impl Fn(u32) -> Option<u32>,
    ) -> bool {
        let [each, marks] = [made.len(), marks].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let step = self.words.get(events..).unwrap_or_default().iter();
        let step = step.map(|word| match word.event() {
            Event::Free(id) if (id as usize) < made.start => {
                instead(id).map(|id| Word::of(Event::Free(id)))
            }
            _ => Some(word.in_turn(each, marks)),
        });
        let step: Option<Vec<Word>> = step.collect();
        let Some(step) = step.filter(|_| self.copies.is_empty()) else {
            return false;
        };
        self.words.extend(step);
        self.storages.again(made);
        true
    }
}

//! Turns of a schedule that come again (Note [Turns of a schedule], `turns.rs`), and steps (Note [A step that comes
//! again], `steps.rs`).

use super::{RawStorage, Recorder};
use crate::tape::steps::StepBegins;
use crate::tape::turns::{Living, Turn};

impl Recorder {
    /// Storages from a number on that are alive.
    pub(in crate::tape) fn alive_since(&self, first: usize) -> Vec<u32> {
        let record = self.record.borrow();
        let alive = (first..record.storage_count()).filter_map(|id| u32::try_from(id).ok());
        alive.filter(|&id| record.is_alive(id)).collect()
    }

    /// Writes a turn `times` times more, and maps living tensors to the ones that would live then; false when the turn
    /// differs from the one before it, or the record is not as it was run.
    pub(in crate::tape) fn turn_comes_again(
        &self,
        turn: &Turn,
        living: &Living,
        times: u32,
    ) -> bool {
        let is_plain = self.places.borrow().is_empty() && self.moved.borrow().is_empty();
        let mut record = self.record.borrow_mut();
        let [from, to] = turn.last;
        let own = [from.events..to.events, turn.before.events..from.events];
        let storages = from.storages..to.storages;
        if !is_plain || !record.turns_are_alike(own, [&storages, &turn.gone], to.marks - from.marks)
        {
            return false;
        }
        let events = from.events..to.events;
        record.turn_again(
            events.clone(),
            storages.clone(),
            to.marks - from.marks,
            times,
        );
        if let Some(folds) = self.folds.borrow_mut().as_mut() {
            folds.again(events, times);
        }
        if let Some(details) = self.details.borrow_mut().as_mut() {
            (0..times).for_each(|_| storages.clone().for_each(|storage| details.repeat(storage)));
        }
        let Ok(each) = u32::try_from(turn.storages()) else {
            return false;
        };
        for &id in &living.cycles {
            record.free(id);
        }
        for &id in &living.cycles {
            record.lives(id + times * each);
        }
        for &id in &living.left {
            (1..=times).for_each(|time| record.lives(id + time * each));
        }
        let moved = living.cycles.iter().map(|&id| (id, id + times * each));
        self.moved.borrow_mut().extend(moved);
        true
    }

    /// Writes a step that has set `marks` marks once more; the repetition frees the storages that the step has `left`
    /// where the step freed the ones in `gone`. False where those are not alike, or the record is not as it was run.
    pub(in crate::tape) fn step_comes_again(
        &self,
        begins: &StepBegins,
        marks: usize,
        [gone, left]: [&[u32]; 2],
    ) -> bool {
        let mut record = self.record.borrow_mut();
        let mut details = self.details.borrow_mut();
        let op = |id: u32| details.as_ref().map(|details| details.op(id as usize));
        let alike = |(&gone, &left): (&u32, &u32)| {
            let [one, other] = [gone, left].map(|id| record.storage(id));
            let one = one.zip(other).is_some_and(|(one, other)| {
                let as_other = RawStorage {
                    category: other.category,
                    alive: other.alive,
                    ..one
                };
                as_other == other
            });
            one && op(gone) == op(left)
        };
        let is_plain = self.places.borrow().is_empty()
            && self.moved.borrow().is_empty()
            && self.folds.borrow().is_none();
        if !is_plain || gone.len() != left.len() || !gone.iter().zip(left).all(alike) {
            return false;
        }
        let made = begins.storages as usize..record.storage_count();
        let instead = |id: u32| Some(left[gone.binary_search(&id).ok()?]);
        if !record.step_again(begins.events, made.clone(), marks, instead) {
            return false;
        }
        if let Some(details) = details.as_mut() {
            made.clone().for_each(|storage| details.repeat(storage));
        }
        let further = u32::try_from(made.len()).unwrap_or(u32::MAX);
        for (&gone, &left) in gone.iter().zip(left) {
            // The storages that the next step finds get the categories that this step gave to the ones that it found.
            if let Some(found) = record.storage(gone) {
                record.classify(left, found.category);
            }
            record.free(left);
            record.lives(left + further);
        }
        true
    }
}

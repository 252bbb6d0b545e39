//! Note [Turns of a schedule]
//!
//! In the middle of a pipeline schedule a rank takes turns: the forward pass of one micro-batch, then the backward pass
//! of another that began a few turns before. Once nothing of the warm-up is left, each turn repeats the one before it,
//! and the numbers of its storages are a constant step further. So once two turns are alike the record is extrapolated
//! over the turns that follow, and the tensors that live after the last turn are mapped to the tensors that would live
//! after all of them.
//!
//! This is checked: the last turn has the events of the one before, each a step further; its storages are like those of
//! the turn whose micro-batch has gone backward meanwhile; and the storages that are alive after it are the ones that
//! were alive before, a step further, except for storages that stay for good and the ones that each turn adds to them.
//! If the check fails, every turn is run.
//!
//! `sim` tests that records are the same either way.

use super::graph::Edge;
use super::recorder::Storage;
use super::{Tape, Tensor, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// The end of a turn.
#[derive(Clone, Copy)]
pub(super) struct Border {
    pub(super) events: usize,
    pub(super) storages: usize,
    pub(super) marks: usize,
    work: Work,
}

/// The turns of a schedule that have run.
#[derive(Default)]
pub struct Turns {
    borders: Vec<Border>,
    /// Storages that were alive when the last turn but one ended, if they were looked up.
    alive: Option<Vec<u32>>,
    /// The number of attempts that failed.
    tried: u32,
}

/// After this number of failed attempts no turns are expected to be alike.
const TRIES: u32 = 3;

/// The turn that repeats, and the one before it.
pub(super) struct Turn {
    pub(super) last: [Border; 2],
    pub(super) before: Border,
    /// Storages of the turn whose micro-batch has gone backward by the last.
    pub(super) gone: Range<usize>,
}

impl Turn {
    /// Storages of a turn.
    pub(super) fn storages(&self) -> usize {
        self.last[1].storages - self.last[0].storages
    }
}

/// Storages that live when a turn has ended.
pub(super) struct Living {
    /// Storages that the next turn replaces by its own.
    pub(super) cycles: Vec<u32>,
    /// Storages that each turn leaves for good.
    pub(super) left: Vec<u32>,
}

impl Tape {
    /// Ends a turn of a pipeline schedule, in which `marks` marks are set so far. If the turn matches the one before,
    /// extrapolates the record over the `following` turns and returns the tensors that each of them leaves. A turn's
    /// storages are gone after `lag` turns, except for the tensors in `leaves` and the inputs that their graphs hold.
    pub fn turn_ended(
        &self,
        turns: &mut Turns,
        (lag, following): (usize, u32),
        leaves: &[Tensor],
        marks: usize,
    ) -> Option<Vec<Vec<Tensor>>> {
        let (events, storages) = self.recorder.ends();
        turns.borders.push(Border {
            events,
            storages: storages as usize,
            marks,
            work: self.work(),
        });
        let alike = turns.alike(lag);
        let alike = alike.filter(|_| following > 0 && !self.runs_all());
        let Some((turn, first)) = alike else {
            turns.alive = None;
            return None;
        };
        let before = turns.alive.replace(self.recorder.alive_since(first))?;
        let now = turns.alive.as_ref()?;
        turns.tried += 1;
        let living = living([&before, now], &turns.borders)?;
        let held: Vec<Option<Tensor>> = (leaves.iter().map(|left| self.input_of(left))).collect();
        let kept = leaves.iter().chain(held.iter().flatten());
        let kept: BTreeSet<u32> = kept.map(Tensor::storage_id).collect();
        if !living.left.iter().eq(&kept)
            || !self.recorder.turn_comes_again(&turn, &living, following)
        {
            return None;
        }
        let [from, to] = turn.last.map(|border| border.work);
        self.repeat_work(to.since(from), following.into());
        let each = u32::try_from(turn.storages()).ok()?;
        let left = (1..=following).map(|further| {
            let standing = |&place: &u32| {
                let storage = self.recorder.standing(place + further * each);
                (place, Rc::new(storage))
            };
            let standing: BTreeMap<u32, Rc<Storage>> = kept.iter().map(standing).collect();
            let like = |left: &Tensor| left.detach_over(&standing[&left.storage_id()]);
            let left = leaves.iter().zip(&held);
            let left = left.map(|(left, held)| match held {
                Some(held) => like(left).with_edge(Edge::of_input(like(held))),
                None => like(left),
            });
            left.collect()
        });
        Some(left.collect())
    }

    /// The input that the graph of a tensor holds, where it is the only one.
    fn input_of(&self, x: &Tensor) -> Option<Tensor> {
        let edge = x.resolved_edge()?;
        let mut inputs = self.inputs_of(&edge).into_iter();
        inputs.next().filter(|_| inputs.next().is_none())
    }
}

impl Turns {
    /// How many marks the last turn has set.
    pub fn marks_of_last(&self) -> Range<usize> {
        match &self.borders[..] {
            [.., from, to] => from.marks..to.marks,
            _ => 0..0,
        }
    }

    /// The last turn and the first storage of all turns, if all turns are equally long.
    fn alike(&self, lag: usize) -> Option<(Turn, usize)> {
        let [first, .., before, from, to] = self.borders[..] else {
            return None;
        };
        let length = |from: Border, to: Border| {
            let events = to.events - from.events;
            [events, to.storages - from.storages, to.marks - from.marks]
        };
        // A turn whose micro-batch has gone backward.
        let gone = (self.borders.len() - 2).checked_sub(lag)?;
        let gone = self.borders.get(gone.checked_sub(1)?..=gone)?;
        let each = to.storages - from.storages;
        let spread = to.storages - first.storages == (self.borders.len() - 1) * each;
        let same = length(before, from) == length(from, to);
        (same && spread && each > 0 && self.tried < TRIES).then_some((
            Turn {
                last: [from, to],
                before,
                gone: gone[0].storages..gone[1].storages,
            },
            first.storages,
        ))
    }
}

/// The storages that are alive `now`, if they are the ones that were alive `before`, a turn further. All turns must be
/// equally long.
fn living([before, now]: [&[u32]; 2], borders: &[Border]) -> Option<Living> {
    let [first, .., from, to] = borders else {
        return None;
    };
    let [first, from, to] = [first, from, to].map(|border| border.storages);
    let each = to - from;
    let of = |alive: &[u32]| {
        let mut of: Vec<Vec<u32>> = vec![Vec::new(); each];
        for &id in alive {
            of[(id as usize - first) % each].push(id);
        }
        of
    };
    let step = u32::try_from(each).ok()?;
    let mut living = Living {
        cycles: Vec::new(),
        left: Vec::new(),
    };
    for (before, now) in of(before).into_iter().zip(of(now)) {
        if now.iter().copied().eq(before.iter().map(|id| id + step)) {
            living.cycles.extend(now);
            continue;
        }
        let (last, others) = now.split_last()?;
        if *others != before[..] || (*last as usize) < from {
            return None;
        }
        living.left.push(*last);
    }
    Some(living)
}

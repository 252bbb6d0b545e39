//! Note [One forward pass for all steps]
//!
//! Fetch, forward and backward of a step do not depend on what the optimizer holds: in every step
//! they allocate and free the same, in the same order. So they are run once, the optimizer's steps
//! follow one another while the gradients stay alive, and the trace is put together from these
//! pieces: micro-batches, update 1, zero; micro-batches, update 2, zero; and so on, an evaluation
//! after each. A storage of the micro-batches that outlives the step (a library's workspace, the gradient scaler's state)
//! is allocated in the first step only.
//!
//! It does not hold when the micro-batches free something that was there before them, as when the
//! caller keeps the outputs of the step before, when gradients stay, or when the optimizer steps
//! within backward, nor when batches differ in length: then every step is run.
//! `run.rs` tests that the events are the same either way.

use super::{Event, Mark, ModelParameter, Storage, Trace};
use crate::tape::{RawEvent, RawStorage, Scopes, Tape};
use crate::units::{DType, Shape};
use std::ops::Range;

/// Sums over a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    /// Elements of all parameters.
    pub(super) parameters: u64,
    /// Elements of the parameters that are trained.
    pub(super) trainable: u64,
    /// Bytes kept for backward.
    pub(super) saved_for_backward: u64,
    /// The model's parameters, where libraries shard them.
    pub(super) sharded: Vec<ModelParameter>,
    /// Elements of the predictions that an evaluation keeps of one batch.
    pub(super) predicted: u64,
    /// Bytes of each parameter that has a copy on the host.
    pub(super) host_copies: Vec<u64>,
    /// Bytes of each tensor that a forward pass keeps on the host.
    pub(super) host_activations: Vec<u64>,
}

/// What a tape recorded.
pub(super) struct Record {
    storages: Vec<RawStorage>,
    events: Vec<RawEvent>,
    scopes: Scopes,
    marks: Vec<Mark>,
    shapes: Vec<(Shape, DType)>,
}

impl Record {
    pub(super) fn of(tape: Tape, marks: Vec<Mark>) -> Self {
        let shapes = tape.take_shapes();
        let (storages, events, scopes) = tape.finish();
        Self {
            storages,
            events,
            scopes,
            marks,
            shapes,
        }
    }

    /// Puts the steps together: the model is built in the events before the first mark, `updates`
    /// are the borders of the optimizer's steps. `None` when the micro-batches free what they did not
    /// allocate.
    pub(super) fn fold(self, updates: &[usize]) -> Option<Self> {
        let is_mark = |event: &RawEvent| matches!(event, RawEvent::Mark(_));
        let built = self.events.iter().position(is_mark)?;
        let (&first, &last) = (updates.first()?, updates.last()?);
        let mut folder = Folder {
            ids: vec![ABSENT; self.storages.len()],
            made: vec![false; self.storages.len()],
            out: Self {
                storages: Vec::with_capacity(self.storages.len() * updates.len()),
                events: Vec::with_capacity(self.events.len() * updates.len()),
                scopes: Scopes::default(),
                marks: Vec::with_capacity(self.marks.len() * updates.len()),
                shapes: Vec::new(),
            },
            record: &self,
        };
        folder.copy(0..built, 0)?;
        let tail = &self.events[last..];
        for &event in self.events[built..first].iter().chain(tail) {
            if let RawEvent::Alloc(id) = event {
                folder.made[id as usize] = true;
            }
        }
        let repeated = |range: Range<usize>| {
            self.events[range].iter().all(|&event| match event {
                RawEvent::Free(id) => folder.made[id as usize],
                _ => true,
            })
        };
        if !repeated(built..first) || !repeated(last..self.events.len()) {
            return None;
        }
        for (step, update) in (0..).zip(updates.windows(2)) {
            folder.copy(built..first, step)?;
            folder.copy(update[0]..update[1], step)?;
            folder.copy(last..self.events.len(), step)?;
        }
        let mut out = folder.out;
        out.scopes = self.scopes;
        out.shapes = self.shapes;
        Some(out)
    }

    pub(super) fn trace(self, counts: Counts) -> Trace {
        let storage = |s: RawStorage| Storage {
            bytes: s.bytes,
            category: s.category,
            op: s.op,
            scope: s.scope,
            shape: s.shape,
        };
        let event = |event| match event {
            RawEvent::Alloc(id) => Event::Alloc(id),
            RawEvent::Free(id) => Event::Free(id),
            RawEvent::Mark(mark) => Event::Mark(mark),
        };
        Trace {
            storages: self.storages.into_iter().map(storage).collect(),
            events: self.events.into_iter().map(event).collect(),
            marks: self.marks,
            scopes: self.scopes,
            shapes: self.shapes,
            num_parameters: counts.parameters,
            num_trainable: counts.trainable,
            saved_for_backward: counts.saved_for_backward,
            parameters: counts.sharded,
            predicted: counts.predicted,
            host_copies: counts.host_copies,
            host_activations: counts.host_activations,
        }
    }
}

const ABSENT: u32 = u32::MAX;

/// A folding that is going on.
struct Folder<'a> {
    record: &'a Record,
    /// Where each recorded storage stands now in what comes out.
    ids: Vec<u32>,
    /// Whether the micro-batches made it.
    made: Vec<bool>,
    out: Record,
}

impl Folder<'_> {
    /// Appends the recorded events of a range as part of a step.
    fn copy(&mut self, range: Range<usize>, step: u32) -> Option<()> {
        let number = |n: usize| u32::try_from(n).ok();
        for &event in &self.record.events[range] {
            match event {
                RawEvent::Alloc(id) => {
                    let storage = self.record.storages[id as usize];
                    let lives_on = storage.alive && self.made[id as usize];
                    if step > 0 && lives_on {
                        continue;
                    }
                    let new = number(self.out.storages.len())?;
                    self.ids[id as usize] = new;
                    self.out.storages.push(storage);
                    self.out.events.push(RawEvent::Alloc(new));
                }
                RawEvent::Free(id) => {
                    let new = self.ids[id as usize];
                    self.out.events.push(RawEvent::Free(new));
                }
                RawEvent::Mark(mark) => {
                    let new = number(self.out.marks.len())?;
                    let mark = self.record.marks[mark as usize];
                    self.out.marks.push(Mark { step, ..mark });
                    self.out.events.push(RawEvent::Mark(new));
                }
            }
        }
        Some(())
    }
}

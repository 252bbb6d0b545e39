//! Note [One forward pass for all steps]
//!
//! Fetch, forward and backward of a step do not depend on what the optimizer holds: in every step
//! they allocate and free the same, in the same order. So they are run once, the optimizer's steps
//! follow one another while the gradients stay alive, and the trace's program is put together from
//! these stretches of the record: micro-batches, update 1, zero; micro-batches, update 2, zero; and
//! so on, an evaluation after each. A storage of the micro-batches that outlives the step (a
//! library's workspace, the gradient scaler's state) is allocated in the first step only. So it is
//! with the optimizer: once a step after the first leaves nothing behind, the next does the same.
//!
//! Where gradients stay the micro-batches of later steps add to them: those of the second are run too,
//! and stand for all that follow.
//!
//! It does not hold when the micro-batches free something that was there before them, as when the
//! caller keeps the outputs of the step before, or its loss where there is no backward pass, or when the
//! optimizer steps within backward, nor when batches differ in length: then every step is run.
//! `run.rs` tests that the events are the same either way.

use super::{Mark, ModelParameter, Trace};
use crate::spec::{Architecture, EvaluationKind, ResolvedSpec};
use crate::tape::{Details, Event, Record, Scopes, Tape};
use std::iter::once;
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

/// What a tape recorded, on its way to a trace.
pub(super) struct Recorded {
    record: Record,
    scopes: Scopes,
    marks: Vec<Mark>,
    details: Details,
    /// Stretches of the events as they come in the program.
    program: Vec<Range<usize>>,
}

/// Where the micro-batches are in a record.
pub(super) struct Batches {
    /// The mark with which those of the second step begin, where they do not do what those of the first
    /// did.
    pub(super) second: Option<usize>,
    /// Where the last end.
    pub(super) end: usize,
    /// With how many events a batch is dropped, before those of the second step and at the very end.
    pub(super) dropped: usize,
}

impl Recorded {
    pub(super) fn of(tape: Tape, marks: Vec<Mark>) -> Self {
        let details = tape.take_details();
        let (record, scopes) = tape.finish();
        Self {
            program: once(0..record.event_count()).collect(),
            record,
            scopes,
            marks,
            details,
        }
    }

    /// Puts the steps together: the model is built in the events before the first mark, `updates` are
    /// the optimizer's steps. `None` when the micro-batches free what they did not allocate.
    pub(super) fn fold(self, batches: &Batches, updates: &[Range<usize>]) -> Option<Self> {
        let record = &self.record;
        let marks: Vec<(usize, Mark)> = (record.marks())
            .map(|(at, mark)| (at, self.marks[mark as usize]))
            .collect();
        let &(built, _) = marks.first()?;
        let dropped = |end: usize| end - batches.dropped..end;
        let last_dropped = dropped(record.event_count());
        let tail = updates.last()?.end..last_dropped.start;
        // The micro-batches of the first step with where their batch is dropped, and of later steps.
        let (first, first_dropped, later) = match batches.second {
            Some(mark) => {
                let &(second, _) = marks.get(mark)?;
                let dropped = dropped(second);
                (built..dropped.start, dropped, second..batches.end)
            }
            None => (built..batches.end, last_dropped.clone(), built..batches.end),
        };
        // Storages are numbered in the order in which they are allocated.
        let next_storage = |at: usize| {
            let mut events = record.between(at..record.event_count());
            let next = events.find_map(|event| match event {
                Event::Alloc(id) => Some(id as usize),
                _ => None,
            });
            next.unwrap_or(record.storage_count())
        };
        let of_batches = next_storage(later.start)..next_storage(later.end);
        let of_tail = next_storage(tail.start)..record.storage_count();
        let is_ours = |id: u32| {
            let id = id as usize;
            of_batches.contains(&id) || of_tail.contains(&id)
        };
        // What runs again in later steps: all but what made something that lives on.
        let again = |range: &Range<usize>| {
            let (mut stretches, mut start, mut at) = (Vec::new(), range.start, range.start);
            for piece in record.pieces(range.clone()) {
                for (place, (event, stored, _)) in piece.steps().enumerate() {
                    match event {
                        Event::Free(id) if !is_ours(id) => return None,
                        Event::Alloc(_) if record.written()[stored].alive => {
                            stretches.push(start..at + place);
                            start = at + place + 1;
                        }
                        _ => {}
                    }
                }
                at += piece.event_count();
            }
            stretches.push(start..range.end);
            Some(stretches)
        };
        let (later_again, tail_again) = (again(&later)?, again(&tail)?);
        again(&last_dropped)?;
        let mut folded = Self {
            program: once(0..built).collect(),
            marks: Vec::new(),
            ..self
        };
        for (step, update) in (0..).zip(updates) {
            let update = once(update.clone());
            let stretches: Vec<_> = if step == 0 {
                let ended = [tail.clone(), first_dropped.clone()];
                once(first.clone()).chain(update).chain(ended).collect()
            } else {
                let batches = if step == 1 && batches.second.is_some() {
                    vec![later.clone()]
                } else {
                    later_again.clone()
                };
                let ended = tail_again.iter().chain([&last_dropped]).cloned();
                batches.into_iter().chain(update).chain(ended).collect()
            };
            let stretches = joined(stretches);
            for stretch in &stretches {
                let here = marks.iter().filter(|(at, _)| stretch.contains(at));
                let marks = here.map(|&(_, mark)| Mark { step, ..mark });
                folded.marks.extend(marks);
            }
            folded.program.extend(stretches);
        }
        Some(folded)
    }

    pub(super) fn trace(self, counts: Counts) -> Trace {
        Trace {
            record: self.record,
            program: self.program,
            marks: self.marks,
            scopes: self.scopes,
            details: self.details,
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

/// Stretches that follow one another in the record as one.
fn joined(stretches: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(stretches.len());
    for stretch in stretches {
        match joined.last_mut() {
            Some(last) if last.end == stretch.start => last.end = stretch.end,
            _ => joined.push(stretch),
        }
    }
    joined
}

/// Whether what is found in a batch's mask stays for the next batches, as flash-linear-attention
/// keeps it, or what is found of its images, as Qwen2-VL keeps it, beyond an evaluation: no step is
/// like another then. Where a step has several micro-batches none of them is like another either.
pub(super) fn keeps_masks(spec: &ResolvedSpec) -> bool {
    let evaluated = spec.evaluation.kind != EvaluationKind::None;
    match &spec.architecture {
        Architecture::Fla(_) => spec.padding_mask,
        Architecture::Decoder(c) => {
            let images = c.images.as_ref();
            let again = spec.gradient_accumulation_steps > 1 || !spec.zero_grad_set_to_none;
            let differs = evaluated || again;
            differs && images.is_some_and(|images| images.packed().is_some())
        }
        _ => false,
    }
}

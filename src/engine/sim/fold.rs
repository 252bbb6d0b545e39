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
//! If gradients stay, the micro-batches of later steps add to them: the micro-batches of the second step are run too,
//! and represent all that follow. Where no step is like another, as when the caller keeps the outputs of the step
//! before, or its loss where there is no backward pass, when the optimizer steps within backward, or when batches
//! differ in length, the micro-batches of every step are run, and the optimizer's steps after them all the same.
//!
//! So it is under FSDP and DDP, whose hooks do not ask what the optimizer does; FSDP1 sets itself up in the first
//! forward pass and lets go of gradients in the next one, and DDP makes its buckets anew in the second step, so that
//! the micro-batches of every step are run. The optimizer of `ZeRO` frees what the next step makes: every step is
//! run in its place, as it is where a wrapped model is evaluated after each.
//!
//! It does not hold when the micro-batches free something that was there before them and is not
//! their like of the step before, or when an optimizer holds what they made: then every step is run in
//! its place. `run.rs` tests that the events are the same either way.

use super::{Mark, ModelParameter, Phase, Trace};
use crate::ask::EvaluationKind;
use crate::model::ResolvedSpec;
use crate::parallel::is_wrapped;
use crate::tape::RecordedEvent;
use crate::tape::{Details, Event, Record, Scopes, Tape, Work};
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
    /// Up to which place ranks are alike.
    pub(super) alike_until: u64,
    /// Elements of the predictions that an evaluation keeps of one batch.
    pub(super) predicted: u64,
    /// Bytes of each parameter that has a copy on the host.
    pub(super) host_copies: Vec<u64>,
    /// Bytes of each tensor that a forward pass keeps on the host.
    pub(super) host_activations: Vec<u64>,
    /// Work of all micro-batches of the last step, and bytes that its update sent.
    pub(super) batches: Work,
    pub(super) update: Work,
}

/// The record of a tape, on its way to a trace.
pub(super) struct Recorded {
    record: Record,
    scopes: Scopes,
    marks: Vec<Mark>,
    details: Details,
    /// Stretches of the events as they come in the program.
    program: Vec<Range<usize>>,
}

/// The places of a step's micro-batches in a record, by marks: they, `zero_grad`, and the batch that is
/// dropped.
pub(super) struct Batches {
    /// The mark with which they begin.
    pub(super) first: usize,
    /// The mark with which they end.
    pub(super) end: usize,
    /// The number of events with which the last batch is dropped.
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

    /// Puts the steps together: the model is built in the events before the first mark, `begun` is what
    /// the optimizer begins with, `updates` are its steps, the last `zero_grad` ends at `zeroed`. `None`
    /// when what runs in more than one step frees what it did not allocate.
    pub(super) fn fold(
        self,
        batches: &[Batches],
        begun: Range<usize>,
        updates: &[Range<usize>],
        zeroed: usize,
    ) -> Option<Self> {
        let record = &self.record;
        let marks: Vec<(usize, Mark)> = (record.marks())
            .map(|(at, mark)| (at, self.marks[mark as usize]))
            .collect();
        let loading = marks.partition_point(|(_, mark)| mark.phase == Phase::Loading);
        let &(built, _) = marks.get(loading)?;
        let at = |mark: usize| marks.get(mark).map(|&(at, _)| at);
        let end = record.event_count();
        let last = batches.last()?;
        let last_dropped = end - last.dropped..end;
        let updated = updates.last()?.end;
        // The last, where another was tried in vain.
        let last_of = |phase| marks.iter().rev().find(|(_, mark)| mark.phase == phase);
        let evaluation = last_of(Phase::Evaluation).or_else(|| last_of(Phase::Saving));
        let evaluation = evaluation.map_or(last_dropped.start, |&(at, _)| at)..last_dropped.start;
        // Micro-batches, `zero_grad` and the drop of the batch, of each step that was run.
        let mut steps = Vec::with_capacity(batches.len());
        for (step, found) in batches.iter().enumerate() {
            let here = at(found.first)?..at(found.end)?;
            steps.push(match batches.get(step + 1) {
                Some(next) => {
                    let next = at(next.first)?;
                    let dropped = next - found.dropped..next;
                    [here.clone(), here.end + 1..dropped.start, dropped]
                }
                None => [here, updated..zeroed, last_dropped.clone()],
            });
        }
        let [later, ..] = steps.last()?;
        // Storages are numbered in the order in which they are allocated.
        let next_storage = |at: usize| {
            let mut events = record.between(at..end);
            let next = events.find_map(|event| match event {
                Event::Alloc(id) => Some(id as usize),
                _ => None,
            });
            next.unwrap_or(record.storage_count())
        };
        let made_in = |range: &Range<usize>| next_storage(range.start)..next_storage(range.end);
        let (of_batches, of_evaluation) = (made_in(later), made_in(&evaluation));
        // The stretches that run again in later steps: all but the ones that made a storage which lives on.
        let again = |range: &Range<usize>, ours: &Range<usize>| {
            let (mut stretches, mut start, mut at) = (Vec::new(), range.start, range.start);
            for piece in record.pieces(range.clone()) {
                for (place, RecordedEvent { event, stored, .. }) in piece.steps().enumerate() {
                    match event {
                        Event::Free(id) if !ours.contains(&(id as usize)) => return None,
                        Event::Alloc(_) if record.written().is_alive(stored) => {
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
        let evaluated_again = again(&evaluation, &of_evaluation)?;
        let mut batches_again = Vec::new();
        if batches.len() < updates.len() {
            batches_again = again(later, &of_batches)?;
            again(&last_dropped, &of_batches)?;
        }
        let mut folded = Self {
            program: once(0..built).chain([begun]).collect(),
            marks: marks[..loading].iter().map(|&(_, mark)| mark).collect(),
            ..self
        };
        for (step, update) in updates.iter().enumerate() {
            let [here, zero, dropped] = steps.get(step).or(steps.last())?;
            let mut stretches = if step < steps.len() {
                vec![here.clone()]
            } else {
                batches_again.clone()
            };
            stretches.extend([update.clone(), zero.clone()]);
            if step == 0 {
                stretches.push(evaluation.clone());
            } else {
                stretches.extend(evaluated_again.iter().cloned());
            }
            stretches.push(dropped.clone());
            let stretches = joined(stretches);
            for stretch in &stretches {
                let here = marks.iter().filter(|(at, _)| stretch.contains(at));
                let marks = here.map(|&(_, mark)| Mark {
                    step: u32::try_from(step).unwrap_or(u32::MAX),
                    ..mark
                });
                folded.marks.extend(marks);
            }
            folded.program.extend(stretches);
        }
        folded.program = joined(folded.program);
        Some(folded)
    }

    pub(super) fn trace(self, counts: Counts) -> Trace {
        Trace {
            record: self.record,
            program: self.program,
            marks: self.marks,
            scopes: self.scopes,
            details: self.details,
            begins_loaded: false,
            num_parameters: counts.parameters,
            num_trainable: counts.trainable,
            saved_for_backward: counts.saved_for_backward,
            parameters: counts.sharded,
            alike_until: counts.alike_until,
            predicted: counts.predicted,
            host_copies: counts.host_copies,
            host_activations: counts.host_activations,
            work: counts.batches.plus(counts.update.only_sent(), 1),
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

/// Whether the model caches indices computed from a batch's mask for the next batches, as flash-linear-attention does,
/// or from its images beyond an evaluation, as Qwen2-VL does: no step is like another then. Where a step has several
/// micro-batches none of them is like another either.
pub(super) fn keeps_masks(spec: &ResolvedSpec) -> bool {
    let evaluated = spec.evaluation.kind != EvaluationKind::None;
    let family = spec.architecture.family();
    let kept = family.is_some_and(|family| family.attention_support.keeps_masks);
    let images = spec.architecture.images();
    let again =
        spec.gradient_accumulation_steps > 1 || !spec.zero_grad_set_to_none || is_wrapped(spec);
    let differs = evaluated || again;
    kept && spec.padding_mask || differs && images.is_some_and(|images| images.packed().is_some())
}

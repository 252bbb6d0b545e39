//! A step of a schedule as its stages see it.

use super::action::{Action, Computation};
use crate::parallel::wrapper::StageWrapper;
use crate::tape::{Tape, Tensor, Turns};
use std::ops::Range;

/// The model of a rank's stages.
pub trait StageModel {
    /// A stage's output for `input`, which is token ids `[B, S]` for the first stage, else hidden states `[B, S, H]`:
    /// hidden states or, for the last stage, logits `[B, S, V]`.
    fn forward(&self, t: &Tape, stage: u64, input: &Tensor) -> Tensor;

    /// The loss of logits `[B, S, V]` and labels `[B, S]`.
    fn loss(&self, t: &Tape, logits: &Tensor, labels: &Tensor) -> Tensor;
}

/// A listener to the passes of a schedule.
pub trait Follower {
    /// A forward or backward pass begins.
    fn begins(&self, action: Action);

    /// How many marks it has set.
    fn marks(&self) -> usize;

    /// The turn that has set these comes `times` times more.
    fn again(&self, marks: Range<usize>, times: u32);
}

/// A call of `schedule.step`: its arguments, and the tensors that it holds.
pub(super) struct Call<'a> {
    pub(super) tape: &'a Tape,
    pub(super) model: &'a dyn StageModel,
    pub(super) micro_batches: u64,
    pub(super) returns_outputs: bool,
    /// Token ids and labels `[B * M, S]`, where the rank has the stage that reads them.
    pub(super) batch: [Option<&'a Tensor>; 2],
    /// The wrapper of the stages.
    pub(super) wrapper: Option<&'a dyn StageWrapper>,
    /// The listener to the passes.
    pub(super) follower: &'a dyn Follower,
    /// Losses of the micro-batches so far (`_internal_losses`).
    pub(super) losses: Vec<Tensor>,
}

impl Call<'_> {
    /// A forward or backward pass begins.
    pub(super) fn begin(&self, action: Action) {
        self.follower.begins(action);
        if let Some(wrapper) = self.wrapper {
            if action.computation == Computation::Forward {
                wrapper.forward_begins(action.stage);
            } else {
                wrapper.backward_begins(action.stage);
            }
        }
    }

    /// Ends a turn of the schedule with a backward pass. Returns whether the record is extrapolated over the
    /// `following` turns, so that they need not run (Note [Turns of a schedule], `tape/turns.rs`). A turn's storages
    /// are gone after `lag` others, except for its loss and what it adds to the `outputs`.
    pub(super) fn goes_on(
        &mut self,
        outputs: &mut Vec<Tensor>,
        turns: &mut Turns,
        lag: u64,
        following: u64,
    ) -> bool {
        let [Ok(lag), Ok(following)] = [lag, following].map(u32::try_from) else {
            return false;
        };
        let marks = self.follower.marks();
        let of_turns = [outputs, &mut self.losses];
        let last = of_turns
            .iter()
            .filter_map(|of_turns| of_turns.last().cloned());
        let leaves: Vec<Tensor> = last.collect();
        let left = (self.tape).turn_ended(turns, (lag as usize, following), &leaves, marks);
        let Some(left) = left else { return false };
        self.follower.again(turns.marks_of_last(), following);
        let mut of_turns: Vec<_> = of_turns.into_iter().filter(|of| !of.is_empty()).collect();
        for turn in left {
            for (of_turns, left) in of_turns.iter_mut().zip(turn) {
                of_turns.push(left);
            }
        }
        true
    }

    /// The gradients of all micro-batches are there (`perform_reduce_grad`).
    pub(super) fn reduce(&self, stage: u64) {
        if let Some(wrapper) = self.wrapper {
            wrapper.reduce(self.tape, stage);
        }
    }

    /// The part of one micro-batch.
    fn part(&self, of: Option<&Tensor>, micro_batch: u64) -> Option<Tensor> {
        let all = of?;
        let samples = all.dim(0) / self.micro_batches.max(1);
        let start = micro_batch * samples;
        Some(self.tape.slice(all, 0, start, start + samples))
    }

    /// Token ids `[B, S]` of a micro-batch.
    pub(super) fn ids(&self, micro_batch: u64) -> Option<Tensor> {
        self.part(self.batch[0], micro_batch)
    }

    /// `_maybe_compute_loss`, of the last stage.
    pub(super) fn compute_loss(&mut self, output: Option<&Tensor>, micro_batch: u64) {
        let labels = self.part(self.batch[1], micro_batch);
        if let (Some(labels), Some(output)) = (labels, output) {
            let loss = self.model.loss(self.tape, output, &labels);
            self.losses.push(loss);
        }
    }
}

//! A step of a schedule as its stages see it.

use super::action::{Action, Computation};
use crate::parallel::wrapper::StageWrapper;
use crate::tape::{Tape, Tensor};

/// The model of a rank's stages.
pub trait StageModel {
    /// What a stage makes of token ids `[B, S]`, if it is the first, or hidden states `[B, S, H]`: the same, or
    /// logits `[B, S, V]` if it is the last.
    fn forward(&self, t: &Tape, stage: u64, input: &Tensor) -> Tensor;

    /// The loss of logits `[B, S, V]` and labels `[B, S]`.
    fn loss(&self, t: &Tape, logits: &Tensor, labels: &Tensor) -> Tensor;
}

/// A call of `schedule.step`: what it is given, and holds.
pub(super) struct Call<'a> {
    pub(super) tape: &'a Tape,
    pub(super) model: &'a dyn StageModel,
    pub(super) micro_batches: u64,
    pub(super) returns_outputs: bool,
    /// Token ids and labels `[B * M, S]`, where the rank has the stage that reads them.
    pub(super) batch: [Option<&'a Tensor>; 2],
    /// What wraps the stages.
    pub(super) wrapper: Option<&'a dyn StageWrapper>,
    /// What is told of each forward or backward pass before it begins.
    pub(super) begins: &'a dyn Fn(Action),
    /// Losses of the micro-batches so far (`_internal_losses`).
    pub(super) losses: Vec<Tensor>,
}

impl Call<'_> {
    /// A forward or backward pass begins.
    pub(super) fn begin(&self, action: Action) {
        (self.begins)(action);
        if let Some(wrapper) = self.wrapper {
            if action.computation == Computation::Forward {
                wrapper.forward_begins(action.stage);
            } else {
                wrapper.backward_begins(action.stage);
            }
        }
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

//! Requests of a training program to a wrapper.

use crate::ask::Mesh;
use crate::tape::{Tape, Tensor};

/// A function of the parameters and gradients of a rank.
pub type OnRank<'a> = &'a mut dyn FnMut(&Tape);

/// A parameter as libraries that shard models see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelParameter {
    /// Elements.
    pub elements: u64,
    /// Bytes.
    pub bytes: u64,
    /// Its layer, counted from 1; 0 outside of all layers.
    pub layer: u32,
    /// Whether it is trained.
    pub trained: bool,
    /// Ranks that have a shard of it each.
    pub ranks: u64,
}

/// A wrapper around each stage of a pipeline, with the calls that the schedule makes to it.
pub trait StageWrapper {
    /// A forward pass of a stage begins.
    fn forward_begins(&self, stage: u64);

    /// A backward pass of a stage begins.
    fn backward_begins(&self, stage: u64);

    /// The parameters of a stage begin to be gathered.
    fn gather(&self, t: &Tape, stage: u64);

    /// Runs when a stage's parameters have been gathered.
    fn gathered(&self, t: &Tape, stage: u64);

    /// Gathered parameters of a stage go.
    fn give_back(&self, stage: u64);

    /// The gradients of a stage, of all micro-batches, are reduced.
    fn reduce(&self, t: &Tape, stage: u64);
}

/// The wrapper around a model on one rank.
pub trait Wrapper {
    /// The wrapper of the stages of a pipeline.
    fn of_stages(&self) -> Option<&dyn StageWrapper> {
        None
    }

    /// Begins a micro-batch. Its gradients are reduced in its backward pass if it `syncs`.
    fn begin_micro_batch(&self, _t: &Tape, _syncs: bool) {}

    /// Says whether the micro-batch that begins is the last of a step.
    fn at_boundary(&self, _is_last: bool) {}

    /// The tensors that the wrapper's engine computes from the loss; backward begins with the last of them. If
    /// `divides`, it divides the loss by the number of micro-batches, which else the caller has done (`scale_wrt_gas`).
    fn scaled(&self, _t: &Tape, _loss: &Tensor, _divides: bool) -> Vec<Tensor> {
        Vec::new()
    }

    /// Whether the model's outputs in this micro-batch are copied.
    fn copies_outputs(&self) -> bool {
        false
    }

    /// A micro-batch's backward pass has ended.
    fn backward_ended(&self, _t: &Tape) {}

    /// Whether clipping is part of its step.
    fn clips(&self) -> bool {
        false
    }

    /// Runs the optimizer's step on this rank's parameters, or parts of them, and their gradients.
    fn step(&self, t: &Tape, run: OnRank) {
        self.on_rank(t, run);
    }

    /// Calls `run`, which steps or makes optimizer states, with the parameters that this rank steps over and their
    /// gradients.
    fn on_rank(&self, t: &Tape, run: OnRank) {
        run(t);
    }

    /// Whether norms of gradients, of which ranks have parts, are summed over ranks where they are clipped.
    fn sums_norms(&self) -> bool {
        false
    }

    /// How often the flag for infinities in gradients of which ranks have parts is summed over ranks
    /// (`found_inf_reduce_handler`, `torch/distributed/tensor/_dispatch.py`, torch 2.15).
    fn flag_sums(&self) -> u64 {
        0
    }

    /// Clips gradients: runs `run` on the gradients that this rank clips.
    fn clip(&self, t: &Tape, run: OnRank) {
        self.on_rank(t, run);
    }

    /// `optimizer.zero_grad(set_to_none=True)`.
    fn drop_gradients(&self, t: &Tape) {
        t.drop_gradients();
    }

    /// Makes the parameters that this rank steps over, with their gradients, the tape's parameters from here on; false
    /// where that cannot be.
    fn hand_over(&self, _t: &Tape) -> bool {
        true
    }

    /// Gathers the whole state of the model for a checkpoint, which goes to the host.
    fn gather_to_save(&self, _t: &Tape) {}

    /// The model's parameters in the order in which they were made, each with its module, where the wrapper
    /// keeps them in shards. Of folded lists, the parameters of the built modules.
    fn parameters(&self) -> Option<Vec<(u32, ModelParameter)>> {
        None
    }

    /// Among the ranks that one copy of the parameters is divided among, one past the last place, from this
    /// rank's on, at which ranks certainly hold what this one holds.
    fn alike_until(&self, mesh: &Mesh) -> u64 {
        mesh.shard
    }

    /// Elements of the parameters that this rank trains, where it has a share of them.
    fn trainable(&self, _t: &Tape) -> Option<u64> {
        None
    }
}

//! What a training program asks of a wrapper.

use super::ddp::Ddp;
use super::fsdp1::Fsdp1;
use super::fsdp2::Fsdp2;
use super::zero::{Stage1And2, Stage3};
use crate::ask::DataParallelKind;
use crate::model::ResolvedSpec;
use crate::tape::{Tape, Tensor};
use std::rc::Rc;

/// What runs on the parameters and gradients of a rank.
pub type OnRank<'a> = &'a mut dyn FnMut(&Tape);

/// A parameter as libraries that shard models see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelParameter {
    /// Elements.
    pub elements: u64,
    /// Bytes.
    pub bytes: u64,
    /// Which layer it belongs to, counted from 1; 0 outside of all layers.
    pub layer: u32,
    /// Whether it is trained.
    pub trained: bool,
}

/// The wrapper around a model on one rank.
pub trait Wrapper {
    /// A micro-batch begins; gradients are reduced in its backward pass if it `syncs`.
    fn begin_micro_batch(&self, _t: &Tape, _syncs: bool) {}

    /// The micro-batch that begins is the last of a step or not.
    fn at_boundary(&self, _is_last: bool) {}

    /// What its engine makes of the loss, the last of which backward begins with.
    fn scaled(&self, _t: &Tape, _loss: &Tensor) -> Vec<Tensor> {
        Vec::new()
    }

    /// A micro-batch's backward pass has ended.
    fn backward_ended(&self, _t: &Tape) {}

    /// Whether clipping is part of its step.
    fn clips(&self) -> bool {
        false
    }

    /// Runs the optimizer's step on what this rank has of parameters and gradients.
    fn step(&self, t: &Tape, run: OnRank) {
        self.on_rank(t, run);
    }

    /// Runs what steps, or makes optimizer states, on what this rank steps over: parameters with their
    /// gradients.
    fn on_rank(&self, t: &Tape, run: OnRank) {
        run(t);
    }

    /// Runs what clips gradients, on those that this rank clips.
    fn clip(&self, t: &Tape, run: OnRank) {
        self.on_rank(t, run);
    }

    /// `optimizer.zero_grad(set_to_none=True)`.
    fn drop_gradients(&self, t: &Tape) {
        t.drop_gradients();
    }

    /// The whole model's parameters in the order in which they were made, where the wrapper keeps them in
    /// shards.
    fn parameters(&self) -> Option<Vec<ModelParameter>> {
        None
    }

    /// Elements of the parameters that this rank trains, where it has a share of them.
    fn trainable(&self) -> Option<u64> {
        None
    }
}

/// Whether the model of a run is wrapped.
pub fn is_wrapped(spec: &ResolvedSpec) -> bool {
    matches!(
        spec.parallelism.dp.kind,
        DataParallelKind::Ddp
            | DataParallelKind::Fsdp1
            | DataParallelKind::Fsdp2
            | DataParallelKind::DeepSpeedZero
    )
}

/// Builds a model and wraps it, where several ranks train it.
pub fn wrapped<M>(
    t: &Tape,
    spec: &ResolvedSpec,
    build: impl FnOnce() -> M,
) -> (M, Option<Rc<dyn Wrapper>>) {
    match spec.parallelism.dp.kind {
        DataParallelKind::Ddp => {
            let model = build();
            (model, Some(Ddp::new(t, spec)))
        }
        DataParallelKind::Fsdp1 => {
            t.register_parameters(true);
            let dtypes = [spec.weights, spec.stored_weights()];
            let model = t.with_memory_of(dtypes, build);
            let registered = t.take_registered();
            (model, Some(Fsdp1::new(t, spec, registered)))
        }
        DataParallelKind::Fsdp2 => {
            t.register_parameters(false);
            let model = if spec.builds_on_meta() {
                t.without_memory(build)
            } else {
                build()
            };
            let registered = t.take_registered();
            (model, Some(Fsdp2::new(t, spec, &registered)))
        }
        DataParallelKind::DeepSpeedZero => {
            t.register_parameters(false);
            let model = build();
            let registered = t.take_registered();
            let wrapper: Rc<dyn Wrapper> = if spec.parallelism.dp.zero.stage == 3 {
                Stage3::new(t, spec, registered)
            } else {
                Stage1And2::new(t, spec)
            };
            // What is measured begins with an empty cache.
            t.empty_cache();
            (model, Some(wrapper))
        }
        _ => (build(), None),
    }
}

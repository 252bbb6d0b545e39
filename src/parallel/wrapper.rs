//! What a training program asks of a wrapper.

use super::ddp::Ddp;
use crate::ask::DataParallelKind;
use crate::model::ResolvedSpec;
use crate::tape::Tape;
use std::rc::Rc;

/// What runs on the parameters and gradients of a rank.
pub type OnRank<'a> = &'a mut dyn FnMut(&Tape);

/// The wrapper around a model on one rank.
pub trait Wrapper {
    /// A micro-batch begins; gradients are reduced in its backward pass if it `syncs`.
    fn begin_micro_batch(&self, _t: &Tape, _syncs: bool) {}

    /// Runs what clips gradients, steps, or makes optimizer states, on what this rank has of parameters
    /// and gradients.
    fn on_rank(&self, t: &Tape, run: OnRank) {
        run(t);
    }

    /// `optimizer.zero_grad(set_to_none=True)`.
    fn drop_gradients(&self, t: &Tape) {
        t.drop_gradients();
    }

    /// Elements of the parameters that this rank trains, where it has a share of them.
    fn trainable(&self) -> Option<u64> {
        None
    }
}

/// Whether the model of a run is wrapped.
pub fn is_wrapped(spec: &ResolvedSpec) -> bool {
    spec.parallelism.dp.kind == DataParallelKind::Ddp
}

/// Wraps the model that stands on the tape, where several ranks train it.
pub fn wrap(t: &Tape, spec: &ResolvedSpec) -> Option<Rc<dyn Wrapper>> {
    match spec.parallelism.dp.kind {
        DataParallelKind::Ddp => Some(Ddp::new(t, spec)),
        _ => None,
    }
}

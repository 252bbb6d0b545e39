//! Reduction of a flat gradient.

use super::Fsdp1;
use super::handle::{ALL_REDUCE, Handle, POST_BACKWARD, State};
use crate::tape::{Category, Collective, Tape, Tensor};
use crate::units::Stream;

impl Fsdp1 {
    /// `_post_backward_hook`: gathered parameters go, and the gradient is reduced and divided.
    pub(super) fn post_backward(&self, t: &Tape, at: usize) {
        let handle = &self.handles[at];
        if !handle.registered.get() {
            return;
        }
        handle.post_backward_called.set(true);
        handle.state.set(State::BackwardPost);
        if handle.flat.gradient().is_none() {
            return;
        }
        self.post_backward_reshard(t, at);
        if !self.syncs.get() {
            if handle.common.use_orig_params {
                handle.use_unsharded_grad_views(t);
            }
            return;
        }
        t.wait_stream(POST_BACKWARD, t.stream());
        t.on_stream(POST_BACKWARD, || {
            let Some(computed) = handle.flat.take_gradient() else {
                return;
            };
            let gradient = t.to(&computed, handle.reduce);
            if handle.common.shards {
                self.reduce_gradient(t, handle, gradient);
            } else {
                t.communicates(Collective::AllReduce, gradient.nbytes(), self.replicas);
                let reduced = in_stored(t, handle, &gradient, POST_BACKWARD);
                handle.flat.set_gradient(Some(reduced));
            }
            handle.use_sharded_grad_views();
            t.record_stream(&computed, POST_BACKWARD);
        });
    }

    /// `_post_backward_reshard`.
    pub(super) fn post_backward_reshard(&self, t: &Tape, at: usize) {
        let handle = &self.handles[at];
        handle.reshard(t, self.frees_in_backward(handle));
        self.prefetch(t, at);
    }

    /// `_should_free_in_backward`.
    pub(super) fn frees_in_backward(&self, handle: &Handle) -> bool {
        handle.common.shards && (self.syncs.get() || handle.common.reshards_after_forward)
    }

    /// `_reduce_grad`: the gradient, padded so that it divides, is reduced and scattered.
    fn reduce_gradient(&self, t: &Tape, handle: &Handle, gradient: Tensor) {
        let (shard, ranks) = (handle.layout.shard, handle.common.ranks);
        let pads = shard * ranks > gradient.numel();
        let padded = pads.then(|| Handle::empty(t, shard * ranks, gradient.dtype()));
        let mut own = Handle::empty(t, shard, gradient.dtype());
        let whole = (shard * ranks, gradient.dtype());
        t.communicates_elements(Collective::ReduceScatter, whole, ranks);
        if self.replicates {
            t.communicates(Collective::AllReduce, own.nbytes(), self.replicas);
            t.wait_stream(ALL_REDUCE, POST_BACKWARD);
            t.on_stream(ALL_REDUCE, || {
                t.record_stream(&own, ALL_REDUCE);
                own = in_stored(t, handle, &own, ALL_REDUCE);
            });
        } else {
            own = in_stored(t, handle, &own, POST_BACKWARD);
        }
        // An existing shard of the gradient is added to (`_accumulate_sharded_grad`).
        let saved = handle.saved.take().unwrap_or(own);
        if handle.common.offloads {
            t.record_stream(&saved, POST_BACKWARD);
        }
        handle.saved.replace(Some(saved));
        drop((gradient, padded));
    }
}

/// `_cast_grad_to_param_dtype`.
fn in_stored(t: &Tape, handle: &Handle, gradient: &Tensor, stream: Stream) -> Tensor {
    let cast = t.to(gradient, handle.stored());
    if cast.dtype() != gradient.dtype() {
        t.record_stream(gradient, stream);
    }
    cast.set_category(Category::Gradients);
    cast
}

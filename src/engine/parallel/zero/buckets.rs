//! The buckets in which stages 1 and 2 reduce gradients (`IPGBucket`).

use super::norm;
use super::stage_1_and_2::{Member, Stage1And2};
use crate::tape::{Category, Collective, Tape, Tensor};
use crate::units::{DType, Shape, Stream};
use std::cell::{Cell, RefCell};

/// `reduction_stream`.
const REDUCTION: Stream = Stream::side(1);

/// The bucket that is being filled, and its buffers, which take turns.
#[derive(Default)]
pub(super) struct Buckets {
    /// Whether there are buffers in this step (`ready_for_gradients`).
    ready: Cell<bool>,
    buffers: RefCell<Vec<Tensor>>,
    index: Cell<usize>,
    /// Its members: indices of parameters.
    members: RefCell<Vec<usize>>,
    elements: Cell<u64>,
    /// Parameters whose gradients go when they are reduced for sure (`previous_reduced_grads`).
    reduced: RefCell<Vec<usize>>,
}

impl Buckets {
    /// `_release_ipg_buffers`.
    pub(super) fn release(&self) {
        self.buffers.borrow_mut().clear();
        self.ready.set(false);
    }
}

impl Stage1And2 {
    /// `setup_buckets`: two buffers where gradients are reduced while others come.
    pub(super) fn set_up_buckets(&self, t: &Tape) {
        if self.buckets.ready.replace(true) || !self.contiguous() {
            return;
        }
        let shape = Shape::from([self.settings.reduce_bucket_size]);
        let mut buffers = self.buckets.buffers.borrow_mut();
        for _ in 0..=u8::from(self.settings.overlaps()) {
            buffers.push(t.allocate("bucket", shape, self.low, Category::Communication));
        }
        self.buckets.index.set(0);
    }

    /// Whether gradients are copied into a buffer; always where they are offloaded.
    fn contiguous(&self) -> bool {
        self.settings.contiguous_gradients || self.offloads()
    }

    /// `reduce_independent_p_g_buckets_and_remove_grads`: a gradient goes into the bucket.
    pub(super) fn reduce_parameter(&self, t: &Tape, at: usize) {
        let (buckets, size) = (&self.buckets, self.settings.reduce_bucket_size);
        let tensor = &self.members[at].tensor;
        let elements = tensor.numel();
        if buckets.elements.get() + elements > size {
            self.reduce_bucket(t);
            if self.contiguous() && self.settings.overlaps() {
                buckets.index.set(1 - buckets.index.get());
            }
        }
        if self.contiguous() {
            if elements > size {
                if self.offloads()
                    && let Some(gradient) = tensor.gradient()
                {
                    tensor.set_gradient(Some(t.clone_contiguous(&gradient)));
                }
            } else if let Some(buffer) = buckets.buffers.borrow().get(buckets.index.get()) {
                tensor.set_gradient(Some(buffer.part(*tensor.shape())));
            }
        }
        buckets.elements.set(buckets.elements.get() + elements);
        buckets.members.borrow_mut().push(at);
    }

    /// `reduce_ipg_grads`: the bucket is reduced and emptied.
    pub(super) fn reduce_bucket(&self, t: &Tape) {
        let members = self.buckets.members.take();
        self.buckets.elements.set(0);
        let overlaps = self.settings.overlaps();
        let stream = if overlaps { REDUCTION } else { Stream::MAIN };
        if self.contiguous() {
            t.wait_stream(stream, t.stream());
            t.wait_stream(t.stream(), stream);
            t.on_stream(stream, || self.average(t, &members));
        } else {
            self.average_apart(t, stream, &members);
        }
        t.on_stream(stream, || {
            for at in members {
                let member = &self.members[at];
                if member.own > 0 {
                    if self.contiguous() {
                        self.keep_own(t, member);
                    }
                } else if self.settings.stage == 2 {
                    if overlaps && !self.contiguous() {
                        self.buckets.reduced.borrow_mut().push(at);
                    } else {
                        member.tensor.set_gradient(None);
                    }
                }
            }
        });
    }

    /// `_clear_previous_reduced_grads`.
    pub(super) fn clear_reduced(&self) {
        for at in self.buckets.reduced.take() {
            self.members[at].tensor.set_gradient(None);
        }
    }

    /// `average_tensor`: gradients that belong to several ranks are copied into one tensor to be reduced.
    fn average(&self, t: &Tape, members: &[usize]) {
        // Ranks with their elements, as they follow one another.
        let mut slices: Vec<(u64, u64)> = Vec::new();
        for &at in members {
            let Member { tensor, offset, .. } = &self.members[at];
            let (mut begin, end) = (*offset, offset + tensor.numel());
            while begin < end {
                let rank = begin / self.part;
                let numel = end.min((rank + 1) * self.part) - begin;
                match slices.last_mut() {
                    Some((last, elements)) if *last == rank => *elements += numel,
                    _ => slices.push((rank, numel)),
                }
                begin += numel;
            }
        }
        let (mut tensors, mut elements) = (0, 0);
        let flush = |tensors: &mut u64, elements: &mut u64| {
            if *tensors > 0 {
                self.reduce_flat(t, *tensors > 1, *elements);
            }
            (*tensors, *elements) = (0, 0);
        };
        for (_, numel) in slices {
            tensors += 1;
            elements += numel;
            if elements > self.settings.reduce_bucket_size {
                flush(&mut tensors, &mut elements);
            }
        }
        flush(&mut tensors, &mut elements);
        let owns = members.iter().any(|&at| self.members[at].own > 0);
        if self.settings.overlaps()
            && (owns || self.offloads())
            && let Some(gradient) = members
                .first()
                .and_then(|&at| self.members[at].tensor.gradient())
        {
            t.record_stream(&gradient, REDUCTION);
        }
    }

    /// `buffered_reduce_fallback`: gradients that lie anywhere are copied together.
    fn average_apart(&self, t: &Tape, stream: Stream, members: &[usize]) {
        if members.is_empty() {
            return;
        }
        if self.settings.overlaps() {
            t.synchronize();
            self.clear_reduced();
        }
        let elements = members.iter().map(|&at| self.members[at].tensor.numel());
        let elements = elements.sum();
        t.on_stream(stream, || self.reduce_flat(t, members.len() > 1, elements));
    }

    /// `allreduce_bucket`: tensors are put together, if there are several, and cast to the dtype of communication.
    fn reduce_flat(&self, t: &Tape, several: bool, elements: u64) {
        t.communicates_elements(
            Collective::AllReduce,
            (elements, self.communicated),
            self.ranks,
        );
        let shape = Shape::from([elements]);
        let flat = several.then(|| t.empty("cat", shape, self.low));
        let cast =
            (self.communicated != self.low).then(|| t.empty("_to_copy", shape, self.communicated));
        drop(flat);
        drop(cast);
    }

    /// `copy_grads_in_partition`: the gradient of a parameter of this rank leaves the bucket.
    fn keep_own(&self, t: &Tape, member: &Member) {
        let Some(gradient) = member.tensor.gradient() else {
            return;
        };
        if self.offloads() {
            if self.boundary.get() {
                let own = gradient.part(Shape::from([member.own]));
                let wide = t.to(&own, DType::Float64);
                let norm = t.reduce("norm", &wide, Shape::new(&[]), DType::Float64);
                self.norms.borrow_mut().push(norm);
                drop(wide);
                drop(norm::has_inf_or_nan(t, &gradient));
                t.synchronize_stream();
                drop(t.to(&own, DType::Float32));
                t.record_stream(&gradient, t.stream());
                member.tensor.set_gradient(None);
            }
            return;
        }
        let mut kept = self.own_gradients.borrow_mut();
        let kept = kept.get_or_insert_with(|| {
            let own = self.members.iter().filter(|member| member.own > 0);
            let elements = own.map(|member| member.tensor.numel()).sum();
            t.allocate(
                "empty",
                Shape::from([elements]),
                self.low,
                Category::Gradients,
            )
        });
        member
            .tensor
            .set_gradient(Some(kept.part(*gradient.shape())));
    }
}

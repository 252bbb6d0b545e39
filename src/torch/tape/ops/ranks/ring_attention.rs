//! Ring attention: `scaled_dot_product_attention` over a sequence that is divided among ranks.
//!
//! Each rank has one piece from the head of the sequence and one from the tail (`_HeadTailLoadBalancer`), and
//! sees the keys and values of all others as they go around.
//! Source: `torch/distributed/tensor/experimental/_context_parallel/_attention.py`, torch 2.15; methods name
//! the function they mirror, and things are let go of in the order in which its variables are.

use super::ring::Ring;
use crate::tape::graph::Grads;
use crate::tape::ops::attention::{Attended, SdpaKernel};
use crate::tape::{Collective, Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Attended {
    /// `out, logsumexp, *rest` get other values: the last of a list goes first.
    fn let_go(self) {
        drop((self.out, self.lse));
        let [seed, offset] = self.generator;
        drop(offset);
        drop(seed);
    }
}

/// The dimension of the sequence.
const SEQUENCE: isize = 2;

/// `_AllGatherRotater`, which asks once, and `_AllToAllRotater`.
struct Rotater {
    ring: Ring,
    buffer: Option<Tensor>,
}

impl Rotater {
    fn new(ring: Ring) -> Self {
        Self { ring, buffer: None }
    }

    /// `exchange_buffers`: the collective that sends `current` begins.
    fn exchange(&mut self, t: &Tape, current: &Tensor) {
        if self.ring.gathers && self.buffer.is_some() {
            return;
        }
        let received = if self.ring.gathers { self.ring.size } else { 1 };
        if self.ring.gathers {
            let whole = current.nbytes().saturating_mul(self.ring.size);
            t.communicates(Collective::AllGather, whole, self.ring.size);
        } else {
            t.sends(current.nbytes());
        }
        let shape = Shape::from([received * current.numel()]);
        self.buffer = Some(t.empty("exchange_buffers", shape, current.dtype()));
    }

    /// `next_buffer`: two parts of the received buffer, of these shapes.
    fn next(&self, shapes: [&Shape; 2]) -> Option<[Tensor; 2]> {
        let buffer = self.buffer.as_ref()?;
        Some(shapes.map(|shape| buffer.part(*shape)))
    }
}

/// `_SDPAMerger`: the attention output and its log-sum-exp so far, in float32.
#[derive(Default)]
struct Merger {
    so_far: Option<[Tensor; 2]>,
}

impl Merger {
    /// `step`: merges the attention over further keys, by all queries or by the second half of them.
    fn step(&mut self, t: &Tape, [out, lse]: [&Tensor; 2], partial: bool) {
        let block_out = t.to(out, DType::Float32);
        let block_lse = t.unsqueeze(lse, 3);
        let Some([merged_out, merged_lse]) = self.so_far.take() else {
            self.so_far = Some([block_out, block_lse]);
            return;
        };
        let part = |x: &Tensor| if partial { t.half(x, 1) } else { x.clone() };
        // out - F.sigmoid(block_lse - lse) * (out - block_out)
        let out = {
            let (out, lse) = (part(&merged_out), part(&merged_lse));
            let share = t.wide("sigmoid", &[&t.wide("sub", &[&block_lse, &lse])]);
            let difference = t.wide("sub", &[&out, &block_out]);
            let product = t.wide("mul", &[&share, &difference]);
            drop(share);
            drop(difference);
            t.wide("sub", &[&out, &product])
        };
        // lse - F.logsigmoid(lse - block_lse)
        let lse = {
            let lse = part(&merged_lse);
            let likelihood = t.wide("log_sigmoid", &[&t.wide("sub", &[&lse, &block_lse])]);
            t.wide("sub", &[&lse, &likelihood])
        };
        self.so_far = Some(if partial {
            // `_partial_update`: the other half stays.
            let whole = |x: Tensor| t.empty("cat", *x.shape(), DType::Float32);
            let all_lse = whole(merged_lse);
            let all_out = whole(merged_out);
            drop(lse);
            drop(out);
            [all_out, all_lse]
        } else {
            drop(merged_lse);
            drop(merged_out);
            [out, lse]
        });
        drop(block_out);
    }

    /// `results`: in the dtype of the queries.
    fn results(&self, t: &Tape, dtype: DType) -> Option<[Tensor; 2]> {
        let [out, lse] = self.so_far.as_ref()?;
        let flat = Shape::from([lse.dim(0), lse.dim(1), lse.dim(2)]);
        Some([t.to(out, dtype), t.view(lse, flat)])
    }
}

impl Tape {
    /// One of two halves of the sequence: `x.chunk(2, dim=2)[i]`.
    fn half(&self, x: &Tensor, i: u64) -> Tensor {
        let half = x.dim(SEQUENCE).div_ceil(2);
        let end = if i == 0 { half } else { x.dim(SEQUENCE) };
        self.slice(x, SEQUENCE, i * half, end)
    }

    fn wide(&self, op: &'static str, inputs: &[&Tensor]) -> Tensor {
        self.elementwise(op, inputs, DType::Float32)
    }

    /// `torch.cat([x.flatten(), y.flatten()])`.
    fn flat_cat(&self, [x, y]: [&Tensor; 2]) -> Tensor {
        let [x, y] = [x, y].map(|x| self.reshape(x, [x.numel()]));
        let both = self.cat(&[&x, &y], 0);
        drop(y);
        drop(x);
        both
    }

    /// `_templated_ring_attention`: q `[B, A, S, D]`, k and v `[B, K, S, D]` of this rank's S tokens.
    pub(in crate::tape::ops) fn ring_attention(
        &self,
        ring: Ring,
        kernel: SdpaKernel,
        all: [&Tensor; 3],
        dropout: bool,
    ) -> Attended {
        self.unrecorded(|| self.attend_around(ring, kernel, all, dropout))
    }

    fn attend_around(
        &self,
        ring: Ring,
        kernel: SdpaKernel,
        [query, key, value]: [&Tensor; 3],
        dropout: bool,
    ) -> Attended {
        let t = self;
        let mut key_value = [key, value].map(|x| t.contiguous(x));
        let shapes = key_value.each_ref().map(|x| *x.shape());
        let mut merger = Merger::default();
        let mut generator = None;
        let mut rotater = Rotater::new(ring);
        let mut given: Option<[Tensor; 3]> = None;
        let mut last: Option<Attended> = None;
        for i in 0..ring.size {
            if i > 0 {
                let next = rotater.next(shapes.each_ref());
                key_value = next.unwrap_or(key_value);
            }
            if i + 1 < ring.size {
                let both = t.flat_cat(key_value.each_ref());
                rotater.exchange(t, &both);
            }
            let [key, value] = key_value.each_ref();
            // With the queries and keys of one rank some of each see none of the others.
            let (q, k, v, partial) = if i == 0 {
                (query.clone(), key.clone(), value.clone(), false)
            } else if i <= ring.rank {
                (query.clone(), t.half(key, 0), t.half(value, 0), false)
            } else {
                (t.half(query, 1), key.clone(), value.clone(), true)
            };
            let [q, k, v] = given.insert([q, k, v]);
            let new = match kernel {
                SdpaKernel::Flash => t.flash_kernel(q, k, dropout),
                _ => t.efficient_kernel(q, v, dropout, true),
            };
            if let Some(last) = last.take() {
                last.let_go();
            }
            generator.get_or_insert_with(|| new.generator.clone());
            merger.step(t, [&new.out, &new.lse], partial);
            last = Some(new);
        }
        let results = merger.results(t, query.dtype());
        drop(merger);
        drop(key_value);
        drop(rotater);
        drop(given);
        if let Some(last) = last {
            last.let_go();
        }
        let [out, lse] = results.expect("a ring has a rank");
        let generator = generator.expect("a ring has a rank");
        Attended {
            out,
            lse,
            generator,
        }
    }

    /// `_templated_ring_attention_backward`, with the log of the sums, the result and the generator's state that
    /// were saved.
    pub(in crate::tape::ops) fn ring_attention_backward(
        &self,
        ring: Ring,
        kernel: SdpaKernel,
        g: &Tensor,
        all: [&Tensor; 3],
        [lse, out, seed, offset]: [Tensor; 4],
    ) -> Grads {
        let results = [&out, &lse];
        let grads = self.unrecorded(|| self.attend_around_backward(ring, kernel, g, all, results));
        drop((offset, seed));
        drop(out);
        drop(lse);
        grads
    }

    fn attend_around_backward(
        &self,
        ring: Ring,
        kernel: SdpaKernel,
        g: &Tensor,
        [query, key, value]: [&Tensor; 3],
        [out, lse]: [&Tensor; 2],
    ) -> Grads {
        let t = self;
        let zeros = |x: &Tensor| t.wide("zeros_like", &[x]);
        let (mut grad_query, mut grads) = (zeros(query), [zeros(key), zeros(value)]);
        let mut key_value = [key, value].map(|x| t.contiguous(x));
        let shapes = key_value.each_ref().map(|x| *x.shape());
        let mut rotater = Rotater::new(ring);
        let mut grad_rotater = Rotater::new(Ring {
            gathers: false,
            ..ring
        });
        let (mut sent, mut sent_grads) = (None, None);
        let mut given: Option<[Tensor; 6]> = None;
        let mut computed: Option<Grads> = None;
        for i in 0..ring.size {
            if i > 0 {
                let next = rotater.next(shapes.each_ref());
                key_value = next.unwrap_or(key_value);
            }
            if i + 1 < ring.size {
                let both = sent.insert(t.flat_cat(key_value.each_ref()));
                rotater.exchange(t, both);
            }
            let [key, value] = key_value.each_ref();
            let partial = i > ring.rank;
            let step = if partial {
                [
                    t.half(query, 1),
                    key.clone(),
                    value.clone(),
                    t.half(out, 1),
                    t.half(g, 1),
                    t.contiguous(&t.half(lse, 1)),
                ]
            } else {
                let seen = |x: &Tensor| if i == 0 { x.clone() } else { t.half(x, 0) };
                let [q, out, g, lse] = [query, out, g, lse].map(Tensor::clone);
                [q, seen(key), seen(value), out, g, lse]
            };
            let [q, k, v, out, g, _] = given.insert(step);
            computed = Some(match kernel {
                SdpaKernel::Flash => t.flash_attention_backward(g, q, k, v, out),
                _ => t.efficient_attention_backward(g, q, k, v, out, None),
            });
            if i > 0 {
                // Gradients come with the keys and values; those of this rank are added in place.
                sent_grads.clone_from(&grad_rotater.buffer);
                if let Some(next) = grad_rotater.next(shapes.each_ref()) {
                    grads = next;
                }
                if !partial {
                    for grad in &mut grads {
                        *grad = t.empty("cat", *grad.shape(), DType::Float32);
                    }
                }
            }
            let both = sent_grads.insert(t.flat_cat(grads.each_ref()));
            grad_rotater.exchange(t, both);
            if partial {
                grad_query = t.empty("cat", *grad_query.shape(), DType::Float32);
            }
        }
        grad_query = t.to(&grad_query, query.dtype());
        let received = grad_rotater.buffer.as_ref().map(|x| t.to(x, key.dtype()));
        drop(sent_grads);
        if let Some(received) = &received {
            grads = shapes.map(|shape| received.part(shape));
        }
        drop(sent);
        drop(computed);
        drop((key_value, grad_rotater, rotater, given));
        let [grad_key, grad_value] = grads;
        smallvec![Some(grad_query), Some(grad_key), Some(grad_value)]
    }
}

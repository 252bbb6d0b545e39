//! Memory-efficient attention (`aten/src/ATen/native/transformers/cuda/attention.cu` and
//! `attention_backward.cu`, torch 2.15).

use super::attention::{Attended, PHILOX, Sdpa, SdpaKernel};
use crate::tape::graph::{Edge, Grads};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::{SmallVec, smallvec};

/// The widest heads whose results memory-efficient attention keeps in registers.
const WIDE_HEAD: u64 = 128;

impl Tape {
    /// Saves q, k, v, the result, the log of the softmax's sums and the generator's state.
    pub(super) fn efficient_attention(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        bias: Option<&Tensor>,
        options: Sdpa,
    ) -> Tensor {
        let Sdpa { dropout, ring, .. } = options;
        let records = self.records(&[q, k, v, bias.unwrap_or(q)]);
        // Let go of in the order of their names.
        let saved = records.then(|| {
            let bias = bias.map(|bias| self.save(bias));
            (bias, [self.save(k), self.save(q), self.save(v)])
        });
        let Attended {
            out,
            lse,
            generator,
        } = match ring {
            Some(ring) => self.ring_attention(ring, SdpaKernel::Efficient, [q, k, v], dropout),
            None => self.kept_attention(|| self.efficient_kernel(q, v, dropout, records)),
        };
        let Some(saved) = saved else { return out };
        let result = [&lse, &out.detach(), &generator[0], &generator[1]].map(|t| self.save(t));
        if ring.is_some() {
            drop(lse);
        }
        let trained = bias.filter(|bias| bias.requires_grad());
        let inputs: SmallVec<[&Tensor; 4]> = [q, k, v].into_iter().chain(trained).collect();
        let bias_shape = trained.map(|bias| *bias.shape());
        let node = self.node(
            &inputs,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let (bias, inputs) = &saved;
                let _bias = bias.as_ref().map(|s| s.unpack(t));
                let [k, q, v] = inputs.each_ref().map(|s| s.unpack(t));
                let result = result.each_ref().map(|s| s.unpack(t));
                match ring {
                    Some(ring) => {
                        let all = [&q, &k, &v];
                        t.ring_attention_backward(ring, SdpaKernel::Efficient, g, all, result)
                    }
                    None => t.efficient_attention_backward(g, &q, &k, &v, &result[1], bias_shape),
                }
            }),
        );
        out.with_edge(Edge::Node(node, 0))
    }

    /// The forward kernel; the log of the sums is computed if somebody `needs` it.
    pub(super) fn efficient_kernel(
        &self,
        q: &Tensor,
        v: &Tensor,
        dropout: bool,
        needs: bool,
    ) -> Attended {
        const OP: &str = "_scaled_dot_product_efficient_attention";
        // With dropout its state stays on the host.
        let state = if dropout { 0 } else { PHILOX };
        let stays = self.backend().efficient_keeps_generator;
        let generator = [
            self.generator_state(OP, state, stays),
            self.generator_state(OP, state, stays),
        ];
        let (b, a, s, d) = (q.dim(0), q.dim(1), q.dim(2), v.dim(3));
        self.attends([b * a, s, v.dim(2)], [q.dim(3), d]);
        // The kernel works on [B, S, A, D]; the caller sees it transposed.
        let strides = Shape::from([s * a * d, d, a * d, 1]);
        let out = self.empty_strided(OP, Shape::from([b, a, s, d]), strides, q.dtype());
        let keeps = if needs { s.next_multiple_of(32) } else { 0 };
        let lse = self.empty(OP, Shape::from([b, a, keeps]), DType::Float32);
        // Wide heads do not fit into registers: halves are accumulated in float32.
        let wide = q.dim(3).max(d) > WIDE_HEAD && q.dtype().is_half();
        drop(wide.then(|| self.scratch(OP, DType::Float32.size() * out.numel())));
        Attended {
            out,
            lse,
            generator,
        }
    }

    pub(super) fn efficient_attention_backward(
        &self,
        g: &Tensor,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        out: &Tensor,
        bias: Option<Shape>,
    ) -> Grads {
        const OP: &str = "_scaled_dot_product_efficient_attention_backward";
        /// The gradient of a bias has rows of a multiple of this many elements.
        const BIAS_ALIGNMENT: u64 = 16;
        // The kernel reads the gradient as [B, S, A, D].
        let _copy = self.contiguous(&self.transpose(g, 1, 2));
        let (b, a, s, d) = (q.dim(0), q.dim(1), q.dim(2), q.dim(3));
        self.attends_backward([b * a, s, k.dim(2)], [d, v.dim(3)]);
        let grouped = k.dim(1) != a;
        // Gradients lie as [B, S, A, D], however q, k and v do.
        let placed = |x: &Tensor| {
            let (heads, s, d) = (x.dim(1), x.dim(2), x.dim(3));
            let strides = Shape::from([s * heads * d, d, heads * d, 1]);
            self.empty_strided(OP, *x.shape(), strides, x.dtype())
        };
        let (dq, dk, dv) = (placed(q), placed(k), placed(v));
        let expanded = grouped.then(|| {
            let shape = Shape::from([b, k.dim(2), a, d]);
            (
                self.empty(OP, shape, k.dtype()),
                self.empty(OP, shape, k.dtype()),
            )
        });
        let d_bias = bias.map(|shape| {
            let mut aligned = shape;
            let last = shape.rank() - 1;
            aligned.dims_mut()[last] = shape.dims()[last].next_multiple_of(BIAS_ALIGNMENT);
            let full = self.empty(OP, aligned, q.dtype());
            if aligned == shape {
                full
            } else {
                full.view_with(shape, full.strides(), None)
            }
        });
        // Halves: the kernel computes delta itself. Float32:
        // delta = (grad.float() * out.float()).sum(-1).transpose(1, 2).contiguous()
        let half = q.dtype().is_half();
        let product = (!half).then(|| self.elementwise(OP, &[g, out], DType::Float32));
        let sum = (!half).then(|| self.empty(OP, Shape::from([b, s, a]), DType::Float32));
        let delta = self.empty(OP, Shape::from([b, a, s]), DType::Float32);
        drop(sum);
        drop(product);
        let workspace = self.scratch(
            OP,
            efficient_workspace(b * a, s, k.dim(2), [d, v.dim(3)], half),
        );
        drop(delta);
        drop(workspace);
        drop(expanded);
        let mut grads: Grads = smallvec![Some(dq), Some(dk), Some(dv)];
        grads.extend(d_bias.map(Some));
        grads
    }
}

/// Bytes of the accumulators of the backward kernel, for `heads` = B x A
/// (`AttentionBackwardKernel::Params::workspace_size`, `mem_eff_attention/kernel_backward.h`,
/// torch 2.15): the query's gradient in float32 by tiles, each with a lock; halves with wide heads
/// also accumulate those of keys and values, a block for each part that the keys are split into
/// (`_efficient_attention_backward`, `attention_backward.cu`).
fn efficient_workspace(
    heads: u64,
    queries: u64,
    keys: u64,
    [head_dim, value_dim]: [u64; 2],
    half: bool,
) -> u64 {
    /// Elements of a tile's lock and counter.
    const LOCK: u64 = 4;
    /// Keys of a block of the kernel for wide heads.
    const KEY_BLOCK: u64 = 64;
    /// Parts of the keys over all heads, at most.
    const MOST_PARTS: u64 = 200;
    let (rows, columns) = match (head_dim.max(value_dim), half) {
        (0..=64, _) => (64, 64),
        (65..=128, true) => (128, 128),
        _ => (128, 64),
    };
    let tiles = queries.div_ceil(rows) * head_dim.div_ceil(columns);
    let mut elements = tiles * (rows * columns + LOCK);
    if half && head_dim.max(value_dim) > 128 {
        let columns = head_dim.next_multiple_of(128) + value_dim.next_multiple_of(128);
        let parts = keys.div_ceil(KEY_BLOCK).min(MOST_PARTS / heads).max(1);
        elements += parts * KEY_BLOCK * columns;
    }
    heads * elements * 4
}

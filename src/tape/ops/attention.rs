//! `torch.nn.functional.scaled_dot_product_attention` and its kernels.

use crate::tape::graph::{Edge, Grads};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// The kernel behind `scaled_dot_product_attention`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SdpaKernel {
    /// `_scaled_dot_product_flash_attention`: halves, no mask.
    Flash,
    /// `_scaled_dot_product_efficient_attention`.
    Efficient,
    /// `_scaled_dot_product_attention_math`.
    Math,
}

/// What masks the scores.
#[derive(Clone)]
pub enum SdpaMask<'a> {
    /// Nothing, or `is_causal=True`.
    Causal,
    /// An explicit boolean mask `[B, 1, S, S]`.
    Bool(&'a Tensor),
}

/// Bytes of the seed and of the offset of the random number generator.
const PHILOX: u64 = 8;

impl Tape {
    /// `scaled_dot_product_attention(q, k, v)`: q `[B, A, S, D]`, k and v `[B, K, S, D]`, to
    /// `[B, A, S, D]`. `forced` names the only kernel that is enabled.
    pub fn sdpa(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        mask: &SdpaMask<'_>,
        forced: Option<SdpaKernel>,
    ) -> Tensor {
        // C++ evaluates the casts from the last argument to the first.
        let v = self.cast_down(v);
        let k = self.cast_down(k);
        let q = self.cast_down(q);
        let _ = mask;
        self.without_autocast(|| {
            let flash = q.dtype().is_half() && matches!(mask, SdpaMask::Causal);
            match forced.unwrap_or(if flash {
                SdpaKernel::Flash
            } else {
                SdpaKernel::Efficient
            }) {
                SdpaKernel::Flash => self.flash_attention(&q, &k, &v),
                SdpaKernel::Efficient | SdpaKernel::Math => self.efficient_attention(&q, &k, &v),
            }
        })
    }

    /// Flash attention (`aten/src/ATen/native/transformers/cuda/flash_attn/flash_api.cpp`, torch
    /// 2.15). Saves q, k, v, the result, the log of the softmax's sums and the generator's state.
    fn flash_attention(&self, q: &Tensor, k: &Tensor, v: &Tensor) -> Tensor {
        const OP: &str = "_scaled_dot_product_flash_attention";
        let records = self.records(&[q, k, v]);
        let saved = records.then(|| [self.save(q), self.save(k), self.save(v)]);
        let out = self.like(OP, q);
        let lse = self.empty(
            OP,
            Shape::from([q.dim(0), q.dim(1), q.dim(2)]),
            DType::Float32,
        );
        let seed = self.empty(OP, Shape::from([2 * PHILOX]), DType::UInt8);
        let unused = self.empty(OP, Shape::from([PHILOX]), DType::UInt8);
        let Some(saved) = saved else { return out };
        let result = [&out.detach(), &lse, &seed, &unused].map(|t| self.save(t));
        let node = self.node(
            OP,
            &[q, k, v],
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [q, k, v] = saved.each_ref().map(|s| s.unpack(t));
                let _result = result.each_ref().map(|s| s.unpack(t));
                t.flash_attention_backward(g, &q, &k, &v)
            }),
        );
        out.with_edge(Edge::Node(node, 0))
    }

    /// `mha_bwd` of `flash_api.cpp`.
    fn flash_attention_backward(&self, g: &Tensor, q: &Tensor, k: &Tensor, v: &Tensor) -> Grads {
        const OP: &str = "_scaled_dot_product_flash_attention_backward";
        let (b, a, s, d) = (q.dim(0), q.dim(1), q.dim(2), q.dim(3));
        let s_keys = k.dim(2);
        let _ = g;
        let rounded = s.next_multiple_of(128);
        let dq = self.like(OP, q);
        let dk = self.like(OP, k);
        let dv = self.like(OP, v);
        let softmax_d = self.empty(OP, Shape::from([b, a, rounded]), DType::Float32);
        let d_rounded = if d <= 128 {
            d.next_multiple_of(32)
        } else {
            d.next_multiple_of(64)
        };
        let dq_accumulated =
            self.empty(OP, Shape::from([b, rounded, a, d_rounded]), DType::Float32);
        let expanded = (k.dim(1) != a).then(|| {
            let shape = Shape::from([b, s_keys, a, d]);
            (
                self.empty(OP, shape, k.dtype()),
                self.empty(OP, shape, k.dtype()),
            )
        });
        drop(expanded);
        drop(dq_accumulated);
        drop(softmax_d);
        smallvec![Some(dq), Some(dk), Some(dv)]
    }

    /// Memory-efficient attention (`aten/src/ATen/native/transformers/cuda/attention.cu`, torch
    /// 2.15). Saves q, k, v, the result, the log of the softmax's sums and the generator's state.
    fn efficient_attention(&self, q: &Tensor, k: &Tensor, v: &Tensor) -> Tensor {
        const OP: &str = "_scaled_dot_product_efficient_attention";
        let records = self.records(&[q, k, v]);
        let saved = records.then(|| [self.save(q), self.save(k), self.save(v)]);
        let seed = self.empty(OP, Shape::from([PHILOX]), DType::UInt8);
        let offset = self.empty(OP, Shape::from([PHILOX]), DType::UInt8);
        let (b, a, s, d) = (q.dim(0), q.dim(1), q.dim(2), q.dim(3));
        // The kernel works on [B, S, A, D]; the caller sees it transposed.
        let strides = Shape::from([s * a * d, d, a * d, 1]);
        let out = self.empty_strided(OP, *q.shape(), strides, q.dtype());
        let keeps = if records { s.next_multiple_of(32) } else { 0 };
        let lse = self.empty(OP, Shape::from([b, a, keeps]), DType::Float32);
        let Some(saved) = saved else { return out };
        let result = [&out.detach(), &lse, &seed, &offset].map(|t| self.save(t));
        let node = self.node(
            OP,
            &[q, k, v],
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [q, k, v] = saved.each_ref().map(|s| s.unpack(t));
                let [out, ..] = result.each_ref().map(|s| s.unpack(t));
                t.efficient_attention_backward(g, &q, &k, &v, &out)
            }),
        );
        out.with_edge(Edge::Node(node, 0))
    }

    fn efficient_attention_backward(
        &self,
        g: &Tensor,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        out: &Tensor,
    ) -> Grads {
        const OP: &str = "_scaled_dot_product_efficient_attention_backward";
        let (b, a, s, d) = (q.dim(0), q.dim(1), q.dim(2), q.dim(3));
        let grouped = k.dim(1) != a;
        let dq = self.like(OP, q);
        let dk = self.like(OP, k);
        let dv = self.like(OP, v);
        let expanded = grouped.then(|| {
            let shape = Shape::from([b, k.dim(2), a, d]);
            (
                self.empty(OP, shape, k.dtype()),
                self.empty(OP, shape, k.dtype()),
            )
        });
        // delta = (grad.float() * out.float()).sum(-1).transpose(1, 2).contiguous()
        let product = self.elementwise(OP, &[g, out], DType::Float32);
        let sum = self.empty(OP, Shape::from([b, s, a]), DType::Float32);
        let delta = self.empty(OP, Shape::from([b, a, s]), DType::Float32);
        drop(sum);
        drop(product);
        let workspace = self.scratch(OP, efficient_workspace(b * a, s, d));
        drop(delta);
        drop(workspace);
        drop(expanded);
        smallvec![Some(dq), Some(dk), Some(dv)]
    }
}

/// Bytes of the accumulators of the backward kernel, for `heads` = B x A
/// (`AttentionBackwardKernel::Params::workspace_size`, `mem_eff_attention/kernel_backward.h`,
/// torch 2.15): the query's gradient in float32 by blocks of 64 x 64, each with a lock.
fn efficient_workspace(heads: u64, queries: u64, head_dim: u64) -> u64 {
    const BLOCK: u64 = 64;
    const LOCK: u64 = 4;
    let blocks = queries.div_ceil(BLOCK) * head_dim.div_ceil(BLOCK);
    heads * blocks * (BLOCK * BLOCK + LOCK) * 4
}

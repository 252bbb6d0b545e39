//! Liger's kernels beside the losses: norms, rotary embeddings, gated products.
//!
//! Source: liger-kernel 0.8.5 and 0.5.10, `ops/{rms_norm,rope,swiglu,geglu}.py`.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// The versions of liger-kernel whose functions are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LigerRelease {
    /// 0.5.10, with torch 2.6.
    V0510,
    /// 0.8.1, as axolotl 0.19 pins it.
    V081,
    /// 0.8.5, with torch 2.15.
    #[default]
    V085,
}

impl Tape {
    /// `LigerRMSNormFunction`: `[.., D]` to the same. Saves x and, in float32, the reciprocal norm
    /// of each row. With `in_place` the gradient of x takes the place of the incoming one.
    pub fn liger_rms_norm(&self, x: &Tensor, weight: &Tensor, in_place: bool) -> Tensor {
        let shape = *x.shape();
        let columns = x.dim(-1);
        let rows = x.numel() / columns.max(1);
        let records = self.records(&[x, weight]);
        let (flat, out, norms) = self.unrecorded(|| {
            let x = self.contiguous(x);
            let out = self.empty("rms_norm", shape, x.dtype());
            let norms = self.empty("rms_norm", Shape::from([rows]), DType::Float32);
            (x.detach(), out, norms)
        });
        if !records {
            return out;
        }
        let saved = [self.save(&flat), self.save(weight), self.save(&norms)];
        drop((flat, norms));
        // Before 0.8 the weight's gradient is computed whether it is needed or not.
        let needed = weight.requires_grad() || self.backend().liger == LigerRelease::V0510;
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let g = t.contiguous(g);
            let [_x, weight, _norms] = saved.each_ref().map(|saved| saved.unpack(t));
            let partial = needed.then(|| {
                let partial = Shape::from([t.backend().multiprocessors, columns]);
                t.empty("rms_norm_backward", partial, DType::Float32)
            });
            let dx = if in_place {
                g.clone()
            } else {
                t.like("zeros_like", &g)
            };
            let dx = dx.view_with(shape, dx.strides(), None);
            let dw = partial.map(|partial| {
                let sum = t.reduce("sum", &partial, *weight.shape(), DType::Float32);
                t.to(&sum, weight.dtype())
            });
            smallvec![Some(dx), dw]
        };
        let [out] = self.function(&[x, weight], [out], Box::new(backward));
        out
    }

    /// `LigerRopeFunction`: queries and keys `[B, A, S, D]`, turned in place by cosines and sines
    /// `[1, S, D]`, which it saves.
    pub fn liger_rope(&self, q: &Tensor, k: &Tensor, cos: &Tensor, sin: &Tensor) -> [Tensor; 2] {
        let records = self.records(&[q, k]);
        let outputs = self.unrecorded(|| self.turned_in_place([q, k]));
        if !records {
            return outputs;
        }
        let saved = [self.save(cos), self.save(sin)];
        let backward = move |t: &Tape, g: &Grads| {
            let _saved = saved.each_ref().map(|saved| saved.unpack(t));
            match (g.first(), g.get(1)) {
                (Some(Some(dq)), Some(Some(dk))) => t.turned_in_place([dq, dk]).map(Some).into(),
                _ => Grads::new(),
            }
        };
        self.function(&[q, k], outputs, Box::new(backward))
    }

    /// Both copied where their rows of heads do not lie one after the other.
    fn turned_in_place(&self, both: [&Tensor; 2]) -> [Tensor; 2] {
        let seen = both.map(|x| self.transpose(&x.detach(), 1, 2));
        let rows = seen.each_ref().map(|x| self.contiguous(x));
        rows.each_ref().map(|x| self.transpose(x, 1, 2))
    }

    /// `LigerSiLUMulFunction` or `LigerGELUMulFunction`: the activated gate times `up`. Saves both,
    /// which the gradients take the place of.
    pub fn liger_gated(&self, gate: &Tensor, up: &Tensor) -> Tensor {
        let records = self.records(&[gate, up]);
        let [kept_gate, kept_up, out] = self.unrecorded(|| {
            let [gate, up] = [gate, up].map(|x| self.contiguous(x).detach());
            let out = self.like("gated", &gate);
            [gate, up, out]
        });
        if !records {
            return out;
        }
        let saved = [self.save(&kept_gate), self.save(&kept_up)];
        drop((kept_gate, kept_up));
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let _g = t.contiguous(g);
            let [gate, up] = saved.each_ref().map(|saved| saved.unpack(t));
            let seen = |x: &Tensor| Some(x.view_with(*x.shape(), x.strides(), None));
            smallvec![seen(&gate), seen(&up)]
        };
        let [out] = self.function(&[gate, up], [out], Box::new(backward));
        out
    }
}

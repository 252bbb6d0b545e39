//! `chunk_gated_delta_rule` of flash-linear-attention 0.6.0 as transformers calls it
//! (`fla/ops/gated_delta_rule/chunk.py`, `fla/ops/common/chunk_o.py`): decays and betas are given, and
//! several heads of values share one of keys.

use super::delta::DeltaForward;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

const OP: &str = "chunk_gated_delta_rule";
const STEP: &str = "fused_recurrent_gated_delta_rule";
const BACKWARD: &str = "chunk_gated_delta_rule_backward";
/// Tokens of a chunk.
const CHUNK: u64 = 64;

impl Tape {
    /// q and k `[B, T, H, K]`, v `[B, T, HV, V]`, g in float32 and beta `[B, T, HV]`, to
    /// `[B, T, HV, V]`, with the state `[B, HV, K, V]` after the last token where there is a cache for
    /// it; q and k are normalized inside.
    pub fn shared_gated_delta_rule(&self, inputs: [&Tensor; 5]) -> (Tensor, Option<Tensor>) {
        let DeltaForward {
            saved: kept,
            out,
            state,
        } = self.unrecorded(|| self.shared_delta_forward(inputs));
        if !self.records(&inputs) {
            return (out, state);
        }
        let saved = kept.each_ref().map(|kept| self.save(kept));
        drop(kept);
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let saved = saved.each_ref().map(|saved| saved.unpack(t));
            t.shared_delta_backward(saved.each_ref(), &t.contiguous(g))
        };
        let [out] = self.function(&inputs, [out], Box::new(backward));
        (out, state)
    }

    /// The gated delta rule for a single token, from the state before it (`fused_recurrent_gated_delta_rule`);
    /// gradients do not flow back through it.
    pub fn shared_gated_delta_step(&self, inputs: [&Tensor; 5]) -> (Tensor, Option<Tensor>) {
        self.unrecorded(|| {
            let [_, k, v, ..] = &inputs.map(|x| self.contiguous(x));
            let out = self.empty(STEP, *v.shape(), v.dtype());
            (out, self.shared_state(STEP, k, v))
        })
    }

    fn shared_state(&self, op: &'static str, k: &Tensor, v: &Tensor) -> Option<Tensor> {
        let shape = [v.dim(0), v.dim(2), k.dim(3), v.dim(3)];
        self.has_cache()
            .then(|| self.empty(op, Shape::from(shape), DType::Float32))
    }

    fn shared_delta_forward(&self, inputs: [&Tensor; 5]) -> DeltaForward<8> {
        let [q_given, k_given, v, g, beta] = inputs.map(|x| self.contiguous(x).detach());
        let normalized = |x: &Tensor| {
            let out = self.empty(OP, *x.shape(), x.dtype());
            let rows = Shape::from([x.numel() / x.dim(-1)]);
            (out, self.empty(OP, rows, DType::Float32))
        };
        let (q, q_norm) = normalized(&q_given);
        let (k, k_norm) = normalized(&k_given);
        let decay = self.empty(OP, *g.shape(), DType::Float32);
        let square = Shape::from([v.dim(0), v.dim(1), v.dim(2), CHUNK]);
        let inverse = self.empty(OP, square, k.dtype());
        let w = self.of_value_heads(OP, &k, &v);
        let u = self.empty(OP, *v.shape(), v.dtype());
        let states = self.delta_states(OP, &k, &v, 1);
        let state = self.shared_state(OP, &k, &v);
        let changed = self.empty(OP, *v.shape(), v.dtype());
        let out = self.empty(OP, *v.shape(), v.dtype());
        drop((w, u, states, changed, k_given, q_given));
        DeltaForward {
            saved: [q, q_norm, k, k_norm, v, decay, beta, inverse],
            out,
            state,
        }
    }

    /// As many columns as keys have for each head of values.
    fn of_value_heads(&self, op: &'static str, k: &Tensor, v: &Tensor) -> Tensor {
        let shape = Shape::from([k.dim(0), k.dim(1), v.dim(2), k.dim(3)]);
        self.empty(op, shape, k.dtype())
    }

    fn shared_delta_backward(&self, saved: [&Tensor; 8], g: &Tensor) -> Grads {
        let [q, _, k, _, v, decay, beta, _] = saved;
        let alike = |x: &Tensor| self.empty(BACKWARD, *x.shape(), x.dtype());
        let of_value_heads = || self.of_value_heads(BACKWARD, k, v);
        // Gradients of heads that share keys are added up.
        let shares = k.dim(2) != v.dim(2);
        let summed = |x: Tensor| if shares { alike(k) } else { x };
        let (w, u) = (of_value_heads(), alike(v));
        let states = self.delta_states(BACKWARD, k, v, 1);
        let changed = alike(v);
        let local = alike(g);
        let state_gradients = self.delta_states(BACKWARD, k, v, 1);
        let dv = alike(&local);
        drop(local);
        let (dq, dk) = (of_value_heads(), of_value_heads());
        let parts = self.decay_gradient(k, decay);
        let dw = alike(&w);
        let (dq, dk) = (summed(dq), summed(dk));
        let d_decay = parts();
        let more_dk = of_value_heads();
        let dv2 = alike(v);
        let more_decay = alike(decay);
        let d_beta = alike(beta);
        let more_dk = summed(more_dk);
        drop(dv);
        let dg = alike(decay);
        drop((d_decay, w, u, states, changed, state_gradients, dw));
        drop((more_dk, more_decay));
        let normal_q = alike(q);
        drop(dq);
        let normal_k = alike(k);
        drop(dk);
        smallvec![
            Some(normal_q),
            Some(normal_k),
            Some(dv2),
            Some(dg),
            Some(d_beta)
        ]
    }
}

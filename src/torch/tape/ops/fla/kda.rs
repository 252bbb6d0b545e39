//! `chunk_kda` and `fused_recurrent_kda` of flash-linear-attention 0.6.0 as transformers calls them (`fla/ops/kda/
//! {chunk,chunk_fwd,chunk_bwd,chunk_intra,wy_fast,fused_recurrent}.py`): decays and betas are given.

use super::delta::DeltaForward;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

const OP: &str = "chunk_kda";
const STEP: &str = "fused_recurrent_kda";
const BACKWARD: &str = "chunk_kda_backward";
/// Tokens of a chunk.
const CHUNK: u64 = 64;
/// Tokens of a block on the diagonal of a chunk.
const DIAGONAL: u64 = 16;
/// Columns of the keys that a program of `chunk_kda_bwd_intra` sees.
const KEY_BLOCK: u64 = 32;

impl Tape {
    /// q, k and v `[B, T, H, D]`, the logarithms of decays `[B, T, H, D]` in float32 and beta `[B, T, H]`, to
    /// `[B, T, H, D]`, with the state `[B, H, D, D]` after the last token where there is a cache for it; q and k are
    /// normalized inside. Saves those, their reciprocal norms, v, the decays and their sums, beta, and two squares
    /// for each chunk.
    pub fn chunk_kda(&self, inputs: [&Tensor; 5]) -> (Tensor, Option<Tensor>) {
        let DeltaForward {
            saved: kept,
            out,
            state,
        } = self.unrecorded(|| self.kda_forward(inputs));
        if !self.records(&inputs) {
            return (out, state);
        }
        let saved = kept.each_ref().map(|kept| self.save(kept));
        drop(kept);
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let saved = saved.each_ref().map(|saved| saved.unpack(t));
            t.kda_backward(saved.each_ref(), &t.contiguous(g))
        };
        let [out] = self.function(&inputs, [out], Box::new(backward));
        (out, state)
    }

    /// KDA of a single token, from the state before it; gradients do not go back through it.
    pub fn fused_recurrent_kda(&self, inputs: [&Tensor; 5]) -> (Tensor, Option<Tensor>) {
        self.unrecorded(|| {
            let [_, k, v, ..] = &inputs.map(|x| self.contiguous(x));
            let out = self.empty(STEP, *v.shape(), v.dtype());
            (out, self.kda_state(STEP, k, v))
        })
    }

    fn kda_state(&self, op: &'static str, k: &Tensor, v: &Tensor) -> Option<Tensor> {
        let shape = [v.dim(0), v.dim(2), k.dim(3), v.dim(3)];
        self.has_cache()
            .then(|| self.empty(op, Shape::from(shape), DType::Float32))
    }

    fn kda_forward(&self, inputs: [&Tensor; 5]) -> DeltaForward<10> {
        let [q_given, k_given, v, g, beta] = inputs.map(|x| self.contiguous(x).detach());
        let normalized = |x: &Tensor| {
            let out = self.empty(OP, *x.shape(), x.dtype());
            let rows = Shape::from([x.numel() / x.dim(-1)]);
            (out, self.empty(OP, rows, DType::Float32))
        };
        let (q, q_norm) = normalized(&q_given);
        let (k, k_norm) = normalized(&k_given);
        let decay = self.empty(OP, *g.shape(), DType::Float32);
        let within = |columns| Shape::from([v.dim(0), v.dim(1), v.dim(2), columns]);
        let [scores, inverse] = [(); 2].map(|()| self.empty(OP, within(CHUNK), k.dtype()));
        let diagonal = self.empty(OP, within(DIAGONAL), DType::Float32);
        // `recompute_w_u_fwd`
        let [w, u, kg] = [&k, &v, &k].map(|x| self.empty(OP, *x.shape(), x.dtype()));
        drop(diagonal);
        let states = self.delta_states(OP, &k, &v, 1);
        let state = self.kda_state(OP, &k, &v);
        let changed = self.empty(OP, *v.shape(), v.dtype());
        let out = self.empty(OP, *v.shape(), v.dtype());
        drop((w, u, kg, changed, states, k_given, q_given));
        DeltaForward {
            saved: [q, q_norm, k, k_norm, v, decay, g, beta, scores, inverse],
            out,
            state,
        }
    }

    fn kda_backward(&self, saved: [&Tensor; 10], g: &Tensor) -> Grads {
        let [q, _, k, _, v, decay, _, beta, scores, _] = saved;
        let alike = |x: &Tensor| self.empty(BACKWARD, *x.shape(), x.dtype());
        let wide = |x: &Tensor| self.empty(BACKWARD, *x.shape(), DType::Float32);
        // `recompute_w_u_fwd`, this time of queries, too.
        let representation = [k, v, q, k].map(alike);
        let states = self.delta_states(BACKWARD, k, v, 1);
        let changed = alike(v);
        let d_scores = wide(scores);
        let local = alike(g);
        let state_gradients = self.delta_states(BACKWARD, k, v, 1);
        let d_changed = alike(&local);
        drop(local);
        let (dq, dk) = (wide(q), wide(k));
        let dv = alike(v);
        let (d_decay, d_beta, d_inverse) = (wide(decay), wide(beta), wide(scores));
        drop(d_changed);
        let (more_dq, more_dk) = (alike(&dq), alike(&dk));
        let blocks = k
            .dim(3)
            .div_ceil(k.dim(3).next_power_of_two().min(KEY_BLOCK));
        let parts = Shape::from([blocks, beta.numel()]);
        let parts = self.empty(BACKWARD, parts, DType::Float32);
        let more_decay = alike(&d_decay);
        let beta_row = Shape::from([1, beta.numel()]);
        let sum = self.reduce("sum", &parts, beta_row, DType::Float32);
        drop((parts, dq, dk, d_beta, d_decay));
        let summed = alike(decay);
        drop(more_decay);
        drop((representation, states, changed));
        drop((d_scores, state_gradients, d_inverse));
        let normal_q = alike(q);
        drop(more_dq);
        let normal_k = alike(k);
        drop(more_dk);
        let sum = sum.detach_as(*beta.shape(), beta.strides());
        let d_beta = self.cast_or_same(&sum, beta.dtype());
        smallvec![
            Some(normal_q),
            Some(normal_k),
            Some(dv),
            Some(summed),
            Some(d_beta)
        ]
    }
}

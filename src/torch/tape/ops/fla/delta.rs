//! `chunk_delta_rule` (`fla/ops/delta_rule/chunk.py`, `wy_fast.py`).

use super::FlaVersion;
use super::chunk::DELTA_CHUNK;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

const OP: &str = "chunk_delta_rule";
const BACKWARD: &str = "chunk_delta_rule_backward";

/// The results of a forward pass with a state.
pub(super) struct DeltaForward<const N: usize> {
    /// Saved tensors, in order.
    pub(super) saved: [Tensor; N],
    /// The result.
    pub(super) out: Tensor,
    /// The state after the last token, where there is a cache for it.
    pub(super) state: Option<Tensor>,
}

/// A tensor without numbers after another.
pub(super) fn alike(t: &Tape, op: &'static str, x: &Tensor) -> Tensor {
    t.empty(op, *x.shape(), x.dtype())
}

impl Tape {
    /// `chunk_delta_rule(q, k, v, beta, use_qk_l2norm_in_kernel=normalized)`: q and k `[B, T, H, K]`,
    /// v `[B, T, H, V]`, beta `[B, T, H]`, to `[B, T, H, V]`. Saves q and k (0.6.0: normalized, with
    /// the reciprocal norms), v, beta and the inverse within chunks.
    pub fn chunk_delta_rule(
        &self,
        [q, k, v, beta]: [&Tensor; 4],
        normalized: bool,
        sequences: u64,
    ) -> Tensor {
        let recent = self.backend().fla == FlaVersion::V060;
        let (given, normal, norms, inverse, out) = self.unrecorded(|| {
            let given = [q, k, v, beta].map(|x| self.contiguous(x).detach());
            let (q, q_norm) = self.l2_normalized(OP, &given[0], normalized);
            let (k, k_norm) = self.l2_normalized(OP, &given[1], normalized);
            let [.., v, _] = &given;
            self.chunk_indices_named(&k);
            self.chunk_offsets(DELTA_CHUNK);
            let inverse = self.triangular_inverse(OP, &k);
            let (new, w) = (alike(self, OP, v), alike(self, OP, &k));
            let states = self.delta_states(OP, &k, v, sequences);
            self.states_at_the_end(OP, &k, v, sequences);
            let changed = alike(self, OP, &new);
            let out = alike(self, OP, v);
            drop((new, w, states, changed));
            (given, [q, k], [q_norm, k_norm], inverse, out)
        });
        if !self.records(&[q, k, v, beta]) {
            return out;
        }
        let (first, second) = if recent {
            (&normal[0], &normal[1])
        } else {
            (&given[0], &given[1])
        };
        let norm = |norm: &Option<Tensor>| norm.as_ref().filter(|_| recent).map(|x| self.save(x));
        let saved_q = (self.save(first), norm(&norms[0]));
        let saved_k = (self.save(second), norm(&norms[1]));
        let saved = [&given[2], &given[3], &inverse].map(|x| self.save(x));
        drop((given, normal, norms, inverse));
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let (q, q_norm) = (saved_q.0.unpack(t), saved_q.1.as_ref().map(|x| x.unpack(t)));
            let (k, k_norm) = (saved_k.0.unpack(t), saved_k.1.as_ref().map(|x| x.unpack(t)));
            let [v, beta, _inverse] = saved.each_ref().map(|saved| saved.unpack(t));
            let g = t.contiguous(g);
            let again = normalized && !recent;
            let (q, q_given) = (t.l2_normalized(BACKWARD, &q, again).0, q);
            let (k, k_given) = (t.l2_normalized(BACKWARD, &k, again).0, k);
            let [mut dq, mut dk, dv, db] =
                t.delta_rule_backward([&q, &k, &v, &beta], &g, sequences);
            if normalized {
                dq = alike(t, BACKWARD, &dq);
                dk = alike(t, BACKWARD, &dk);
            }
            drop((q_norm, k_norm, q_given, k_given));
            smallvec![Some(dq), Some(dk), Some(dv), Some(db)]
        };
        let [out] = self.function(&[q, k, v, beta], [out], Box::new(backward));
        out
    }

    /// `l2norm_fwd`: x with rows of length one and, in 0.6.0, the reciprocal lengths.
    pub(super) fn l2_normalized(
        &self,
        op: &'static str,
        x: &Tensor,
        normalized: bool,
    ) -> (Tensor, Option<Tensor>) {
        if !normalized {
            return (x.clone(), None);
        }
        let out = alike(self, op, x);
        let recent = self.backend().fla == FlaVersion::V060;
        let rows = Shape::from([x.numel() / x.dim(-1)]);
        (out, recent.then(|| self.empty(op, rows, DType::Float32)))
    }

    /// The products of keys within chunks, and their inverse (`chunk_scaled_dot_kkt_fwd`,
    /// `solve_tril`).
    fn triangular_inverse(&self, op: &'static str, k: &Tensor) -> Tensor {
        /// Rows of a block on the diagonal.
        const DIAGONAL: u64 = 16;
        let each = |columns| Shape::from([k.dim(0), k.dim(1), k.dim(2), columns]);
        let products = self.empty(op, each(DELTA_CHUNK), DType::Float32);
        let blocks = match self.backend().fla {
            FlaVersion::V022 => Some(self.empty(op, each(DIAGONAL), DType::Float32)),
            FlaVersion::V060 => None,
        };
        let inverse = self.empty(op, each(DELTA_CHUNK), k.dtype());
        drop((products, blocks));
        inverse
    }

    fn delta_rule_backward(
        &self,
        [q, k, v, beta]: [&Tensor; 4],
        g: &Tensor,
        sequences: u64,
    ) -> [Tensor; 4] {
        self.chunk_indices_named(k);
        self.chunk_offsets(DELTA_CHUNK);
        let new = alike(self, BACKWARD, v);
        let w = alike(self, BACKWARD, k);
        let states = self.delta_states(BACKWARD, k, v, sequences);
        let changed = alike(self, BACKWARD, &new);
        let local = alike(self, BACKWARD, g);
        let state_gradients = self.delta_states(BACKWARD, k, v, sequences);
        let dv = alike(self, BACKWARD, &local);
        drop(local);
        let (dq, dk) = (alike(self, BACKWARD, q), alike(self, BACKWARD, k));
        let dw = alike(self, BACKWARD, &w);
        let more_dk = alike(self, BACKWARD, k);
        let dv2 = alike(self, BACKWARD, v);
        let db = alike(self, BACKWARD, beta);
        drop((new, w, states, changed, state_gradients, dv, dw, more_dk));
        [dq, dk, dv2, db]
    }
}

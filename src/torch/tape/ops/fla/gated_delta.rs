//! `chunk_gated_delta_rule` (`fla/ops/gated_delta_rule/chunk.py`, `chunk_fwd.py`, `wy_fast.py`,
//! `gate.py`).

use super::FlaVersion;
use super::chunk::DELTA_CHUNK;
use super::delta::alike;
use crate::tape::checkpoint::Saved;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::{SmallVec, smallvec};

const OP: &str = "chunk_gated_delta_rule";
const BACKWARD: &str = "chunk_gated_delta_rule_backward";
/// Columns of the keys that a program sees where an SM has the shared memory of an A100, in halves
/// (`chunk_bwd_dqkwg`, `fla/ops/common/chunk_o.py`).
const KEY_BLOCK: u64 = 128;
/// The block of keys in 0.2.2.
const KEY_BLOCK_022: u64 = 64;
/// Tokens of a program of the decay's gradient (`gdn_gate_bwd`).
const GATE_BLOCK: u64 = 32;

fn wide(t: &Tape, op: &'static str, x: &Tensor) -> Tensor {
    t.empty(op, *x.shape(), DType::Float32)
}

impl Tape {
    /// `chunk_gated_delta_rule(q, k, v, g, beta, use_qk_l2norm_in_kernel=True)`: q and k
    /// `[B, T, H, K]`, v `[B, T, H, V]`, g and beta `[B, T, H]`, to `[B, T, H, V]`. In 0.6.0 the decay
    /// and the sigmoid of beta are computed inside, from g and two `parameters` `[H]`.
    pub fn chunk_gated_delta_rule(
        &self,
        inputs: [&Tensor; 5],
        parameters: Option<[&Tensor; 2]>,
        sequences: u64,
    ) -> Tensor {
        let (kept, out) =
            self.unrecorded(|| self.gated_delta_forward(inputs, parameters, sequences));
        let all: SmallVec<[&Tensor; 7]> = inputs
            .into_iter()
            .chain(parameters.into_iter().flatten())
            .collect();
        if !self.records(&all) {
            return out;
        }
        let saved: Vec<Saved> = kept.iter().map(|x| self.save(x)).collect();
        drop(kept);
        let fused = parameters.is_some();
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let saved: Vec<Tensor> = saved.iter().map(|saved| saved.unpack(t)).collect();
            let g = t.contiguous(g);
            if fused {
                t.fused_gated_delta_backward(&saved, &g, sequences)
            } else {
                t.gated_delta_backward(&saved, &g, sequences)
            }
        };
        let [out] = self.function(&all, [out], Box::new(backward));
        out
    }

    /// Saved tensors, in order, and the result.
    fn gated_delta_forward(
        &self,
        inputs: [&Tensor; 5],
        parameters: Option<[&Tensor; 2]>,
        sequences: u64,
    ) -> (Vec<Tensor>, Tensor) {
        let [q_given, k_given, v, g, beta] = inputs.map(|x| self.contiguous(x).detach());
        self.chunk_indices_named(&k_given);
        self.chunk_offsets(DELTA_CHUNK);
        let (q, q_norm) = self.l2_normalized(OP, &q_given, true);
        let (k, k_norm) = self.l2_normalized(OP, &k_given, true);
        let square = Shape::from([v.dim(0), v.dim(1), v.dim(2), DELTA_CHUNK]);
        if let Some([a_log, bias]) = parameters {
            let gate = wide(self, OP, &beta);
            let decay = wide(self, OP, &g);
            let inverse = self.empty(OP, square, k.dtype());
            let (w, u) = (alike(self, OP, &k), alike(self, OP, &v));
            let states = self.delta_states(OP, &k, &v, sequences);
            self.states_at_the_end(OP, &k, &v, sequences);
            let changed = alike(self, OP, &u);
            let out = alike(self, OP, &changed);
            drop((w, u, states, changed));
            let norms = q_norm.into_iter().zip(k_norm);
            let mut kept = Vec::with_capacity(12);
            for (q_norm, k_norm) in norms {
                kept.extend([q.clone(), q_norm, k.clone(), k_norm]);
            }
            kept.extend([v, decay, beta, gate, inverse, g]);
            kept.extend([a_log.detach(), bias.detach()]);
            return (kept, out);
        }
        let decay = wide(self, OP, &g);
        let products = [(); 2].map(|()| self.empty(OP, square, DType::Float32));
        let inverses = products.map(|product| {
            let inverse = self.inverted(&k);
            drop(product);
            inverse
        });
        let (u, w) = (alike(self, OP, &v), alike(self, OP, &k));
        let (states, changed) = self.prepared_states(OP, [&k, &w, &u, &v], sequences);
        let out = alike(self, OP, &v);
        drop((u, w, states, changed, q, k));
        let [first, second] = inverses;
        (vec![q_given, k_given, v, decay, beta, first, second], out)
    }

    /// `solve_tril` of 0.2.2.
    fn inverted(&self, k: &Tensor) -> Tensor {
        /// Rows of a block on the diagonal.
        const DIAGONAL: u64 = 16;
        let each = |columns| Shape::from([k.dim(0), k.dim(1), k.dim(2), columns]);
        let _blocks = self.empty(OP, each(DIAGONAL), DType::Float32);
        self.empty(OP, each(DELTA_CHUNK), k.dtype())
    }

    /// `chunk_gated_delta_rule_fwd_h` of 0.2.2, which prepares keys first: the states and the changed
    /// values.
    fn prepared_states(
        &self,
        op: &'static str,
        [k, w, u, v]: [&Tensor; 4],
        sequences: u64,
    ) -> (Tensor, Tensor) {
        let states = self.delta_states(op, k, v, sequences);
        self.states_at_the_end(op, k, v, sequences);
        let _prepared = (alike(self, op, k), alike(self, op, w));
        (states, alike(self, op, u))
    }

    /// The sums over blocks of keys of the decay's gradient.
    pub(super) fn decay_gradient(&self, k: &Tensor, decay: &Tensor) -> impl FnOnce() -> Tensor {
        let most = match self.backend().fla {
            FlaVersion::V060 => KEY_BLOCK,
            FlaVersion::V022 => KEY_BLOCK_022,
        };
        let blocks = k.dim(3).div_ceil(k.dim(3).next_power_of_two().min(most));
        let parts = self.empty(
            BACKWARD,
            Shape::from([blocks, decay.numel()]),
            DType::Float32,
        );
        let shape = Shape::from([1, decay.numel()]);
        move || self.reduce("sum", &parts, shape, DType::Float32)
    }

    fn fused_gated_delta_backward(&self, saved: &[Tensor], g: &Tensor, sequences: u64) -> Grads {
        let [q, _, k, _, v, decay, beta, gate, _, g_given, a_log, bias] = saved else {
            return Grads::new();
        };
        let (w, u) = (alike(self, BACKWARD, k), alike(self, BACKWARD, v));
        let states = self.delta_states(BACKWARD, k, v, sequences);
        let changed = alike(self, BACKWARD, &u);
        let local = alike(self, BACKWARD, g);
        let state_gradients = self.delta_states(BACKWARD, k, v, sequences);
        let dv = alike(self, BACKWARD, &local);
        drop(local);
        let (dq, dk) = (alike(self, BACKWARD, q), alike(self, BACKWARD, k));
        let summed = self.decay_gradient(k, decay);
        let dw = alike(self, BACKWARD, &w);
        let d_decay = summed();
        let more_dk = alike(self, BACKWARD, k);
        let dv2 = alike(self, BACKWARD, v);
        let more_decay = alike(self, BACKWARD, decay);
        let d_gate = alike(self, BACKWARD, gate);
        drop(dv);
        let sums = alike(self, BACKWARD, &d_decay);
        drop(d_decay);
        let dg = alike(self, BACKWARD, g_given);
        let programs = (g_given.numel() / a_log.numel()).div_ceil(GATE_BLOCK);
        let heads = Shape::from([programs, a_log.numel()]);
        let [a_parts, bias_parts] = [(); 2].map(|()| self.empty(BACKWARD, heads, DType::Float32));
        let total = |parameter: &Tensor, parts: Tensor| {
            let shape = Shape::from([1, parameter.numel()]);
            let sum = self.reduce("sum", &parts, shape, DType::Float32);
            let sum = self.cast_or_same(&sum, parameter.dtype());
            drop(parts);
            sum.detach_as(*parameter.shape(), parameter.strides())
        };
        let d_a = total(a_log, a_parts);
        let d_bias = total(bias, bias_parts);
        drop(sums);
        drop((
            w,
            u,
            states,
            changed,
            state_gradients,
            dw,
            more_dk,
            more_decay,
        ));
        let (dq, dk) = {
            let normal_q = alike(self, BACKWARD, &dq);
            drop(dq);
            let normal_k = alike(self, BACKWARD, &dk);
            drop(dk);
            (normal_q, normal_k)
        };
        let d_beta = alike(self, BACKWARD, beta);
        drop(d_gate);
        // `dg.to(g)`, where g are the sums in float32.
        let dg = self.cast_or_same(&dg, DType::Float32);
        smallvec![
            Some(dq),
            Some(dk),
            Some(dv2),
            Some(dg),
            Some(d_beta),
            Some(d_a),
            Some(d_bias)
        ]
    }

    fn gated_delta_backward(&self, saved: &[Tensor], g: &Tensor, sequences: u64) -> Grads {
        let [q_given, k_given, v, decay, beta, _, _] = saved else {
            return Grads::new();
        };
        self.chunk_indices_named(k_given);
        self.chunk_offsets(DELTA_CHUNK);
        let (q, k) = (
            alike(self, BACKWARD, q_given),
            alike(self, BACKWARD, k_given),
        );
        let (u, w) = (alike(self, BACKWARD, v), alike(self, BACKWARD, &k));
        let (states, changed) = self.prepared_states(BACKWARD, [&k, &w, &u, v], sequences);
        let local = alike(self, BACKWARD, g);
        let state_gradients = self.delta_states(BACKWARD, &k, v, sequences);
        let dv = alike(self, BACKWARD, &local);
        drop([&q, &k, &w].map(|x| alike(self, BACKWARD, x)));
        drop(local);
        let (dq, dk) = (alike(self, BACKWARD, &q), alike(self, BACKWARD, &k));
        let summed = self.decay_gradient(&k, decay);
        let dw = alike(self, BACKWARD, &w);
        let d_decay = summed();
        let more_dk = alike(self, BACKWARD, &k);
        let dv2 = alike(self, BACKWARD, v);
        let d_beta = alike(self, BACKWARD, beta);
        let more_decay = alike(self, BACKWARD, decay);
        drop(dv);
        let dg = alike(self, BACKWARD, &d_decay);
        drop((
            u,
            w,
            states,
            changed,
            state_gradients,
            dw,
            more_dk,
            more_decay,
            d_decay,
        ));
        let normal_q = alike(self, BACKWARD, &dq);
        drop(dq);
        let normal_k = alike(self, BACKWARD, &dk);
        drop(dk);
        let dg = dg.detach_as(*decay.shape(), decay.strides());
        smallvec![
            Some(normal_q),
            Some(normal_k),
            Some(dv2),
            Some(dg),
            Some(d_beta)
        ]
    }

    /// Whether the decay is computed inside of the kernel.
    pub fn computes_decay_inside(&self) -> bool {
        self.backend().fla == FlaVersion::V060
    }
}

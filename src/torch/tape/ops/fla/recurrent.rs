//! The recurrences token by token, for short sequences: `fused_recurrent` (`fla/ops/common/fused_recurrent.py`) and the
//! delta rule's (`fla/ops/delta_rule/fused_recurrent.py`, `fla/ops/gated_delta_rule/fused_recurrent.py`).

use super::FlaVersion;
use super::delta::alike;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

const OP: &str = "fused_recurrent";
const BACKWARD: &str = "fused_recurrent_backward";
/// Columns that a program sees.
const BLOCK: u64 = 64;
/// Columns of the values that a program of the delta rule's backward sees.
const DELTA_BLOCK: u64 = 32;

/// Programs beside each other over `columns`.
fn programs(columns: u64, most: u64) -> u64 {
    columns.div_ceil(columns.next_power_of_two().min(most))
}

/// The shape of x, `count` times.
fn times(count: u64, x: &Tensor) -> Shape {
    Shape::from([count, x.numel()])
}

impl Tape {
    /// `fused_recurrent(q, k, v)` with the log of a decay: q and k `[B, T, H, K]`, v `[B, T, H, V]`, to
    /// `[B, T, H, V]`, of which each sample packs `sequences`. A decay `[B, T, H, K]` is learned; one
    /// of whole heads is fixed. Saves all four and the result in float32.
    pub fn fused_recurrent(&self, [q, k, v, decay]: [&Tensor; 4], sequences: u64) -> Tensor {
        let (given, wide) = self.unrecorded(|| {
            let given = [q, k, v, decay].map(|x| self.contiguous(x).detach());
            let [_, k, v, _] = &given;
            self.states_at_the_end(OP, k, v, sequences);
            let blocks = programs(k.dim(3), BLOCK);
            let parts = self.empty(OP, times(blocks, v), DType::Float32);
            let wide = self.over_programs(parts, blocks, v);
            (given, wide)
        });
        let out = self.unrecorded(|| self.cast_or_same(&wide, q.dtype()));
        let learned = decay.shape().rank() == 4;
        let inputs: &[&Tensor] = if learned {
            &[q, k, v, decay]
        } else {
            &[q, k, v]
        };
        if !self.records(inputs) {
            return out;
        }
        let saved = given.each_ref().map(|x| self.save(x));
        let saved_out = self.save(&wide);
        drop((given, wide));
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let [q, k, v, decay] = saved.each_ref().map(|saved| saved.unpack(t));
            let _out = saved_out.unpack(t);
            let _g = t.contiguous(g);
            t.recurrent_backward([&q, &k, &v, &decay])
        };
        let [out] = self.function(inputs, [out], Box::new(backward));
        out
    }

    /// The sum of the `parts` that `count` programs compute of x; since 0.6.0 the part of a single program as it is.
    fn over_programs(&self, parts: Tensor, count: u64, x: &Tensor) -> Tensor {
        let added = count > 1 || self.backend().fla == FlaVersion::V022;
        let parts = if added {
            self.reduce("sum", &parts, times(1, x), parts.dtype())
        } else {
            parts
        };
        self.view(&parts, *x.shape())
    }

    fn recurrent_backward(&self, [q, k, v, decay]: [&Tensor; 4]) -> Grads {
        let (over_v, over_k) = (programs(v.dim(3), BLOCK), programs(k.dim(3), BLOCK));
        let parts = |count, x| self.empty(BACKWARD, times(count, x), DType::Float32);
        let dq = parts(over_v, q);
        let dk = parts(over_v, k);
        let dv = parts(over_k, v);
        let recent = self.backend().fla == FlaVersion::V060;
        let learned = decay.shape().rank() == 4;
        let dg = (recent && learned).then(|| parts(over_v, decay));
        let dq = self.over_programs(dq, over_v, q);
        let dk = self.over_programs(dk, over_v, k);
        let dv = self.over_programs(dv, over_k, v);
        let dg = if recent {
            dg.map(|dg| {
                let sum = self.over_programs(dg, over_v, decay);
                self.cast_or_same(&sum, decay.dtype())
            })
        } else {
            let dg = self.summed_products([q, k], [&dq, &dk], learned);
            learned.then_some(dg)
        };
        let narrow = |wide: &Tensor, x: &Tensor| Some(self.cast_or_same(wide, x.dtype()));
        let mut grads: Grads = smallvec![narrow(&dq, q), narrow(&dk, k), narrow(&dv, v)];
        grads.extend(dg.map(Some));
        grads
    }

    /// `chunk_global_cumsum(dq * q.float() - dk * k.float())`, of whole heads if it is not `learned`.
    fn summed_products(&self, given: [&Tensor; 2], grads: [&Tensor; 2], learned: bool) -> Tensor {
        let [first, second] = [0, 1].map(|i| {
            let _wide = self.cast_or_same(given[i], DType::Float32);
            alike(self, "mul", grads[i])
        });
        let difference = alike(self, "sub", &first);
        drop((first, second));
        let summed = if learned {
            difference
        } else {
            let shape = Shape::from([difference.dim(0), difference.dim(1), difference.dim(2)]);
            self.reduce("sum", &difference, shape, DType::Float32)
        };
        alike(self, "chunk_global_cumsum", &summed)
    }

    /// `fused_recurrent_delta_rule(q, k, v, beta, use_qk_l2norm_in_kernel=True)`: as
    /// [`Tape::chunk_delta_rule`]. Saves q and k (0.6.0: normalized, with the reciprocal norms), the
    /// changed values and beta.
    pub fn fused_recurrent_delta_rule(
        &self,
        [q, k, v, beta]: [&Tensor; 4],
        sequences: u64,
    ) -> Tensor {
        let recent = self.backend().fla == FlaVersion::V060;
        let (given, normal, norms, changed, out) = self.unrecorded(|| {
            let given = [q, k, v, beta].map(|x| self.contiguous(x).detach());
            let (q, q_norm) = self.l2_normalized(OP, &given[0], true);
            let (k, k_norm) = self.l2_normalized(OP, &given[1], true);
            let out = self.empty(OP, *given[2].shape(), q.dtype());
            self.states_at_the_end(OP, &k, &given[2], sequences);
            let changed = alike(self, OP, &given[2]);
            (given, [q, k], [q_norm, k_norm], changed, out)
        });
        if !self.records(&[q, k, v, beta]) {
            return out;
        }
        let kept = if recent { &normal[..] } else { &given[..] };
        let saved = [&kept[0], &kept[1], &changed, &given[3]].map(|x| self.save(x));
        let norms = norms.each_ref().map(|x| x.as_ref().map(|x| self.save(x)));
        drop((given, normal, changed));
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let [q, k, v, beta] = saved.each_ref().map(|saved| saved.unpack(t));
            let _norms = norms.each_ref().map(|x| x.as_ref().map(|x| x.unpack(t)));
            let _g = t.contiguous(g);
            let normal = [&q, &k].map(|x| (!recent).then(|| alike(t, BACKWARD, x)));
            let over = programs(v.dim(3), DELTA_BLOCK);
            let parts = |count, x: &Tensor| t.empty(BACKWARD, times(count, x), q.dtype());
            let (dq, dk, dv, db) = (
                parts(over, &q),
                parts(over, &k),
                parts(1, &v),
                parts(over, &beta),
            );
            let sum = |parts: Tensor, x: &Tensor| {
                let sum = t.reduce("sum", &parts, times(1, x), parts.dtype());
                t.view(&sum, *x.shape())
            };
            let (dq, dk, dv, db) = (sum(dq, &q), sum(dk, &k), sum(dv, &v), sum(db, &beta));
            let changed = |dx: &Tensor| alike(t, BACKWARD, dx);
            let grads = if recent {
                let first = changed(&dq);
                drop(dq);
                let second = changed(&dk);
                drop(dk);
                [first, second]
            } else {
                [changed(&dq), changed(&dk)]
            };
            drop(normal);
            let [dq, dk] = grads;
            smallvec![Some(dq), Some(dk), Some(dv), Some(db)]
        };
        let [out] = self.function(&[q, k, v, beta], [out], Box::new(backward));
        out
    }

    /// `fused_recurrent_gated_delta_rule(q, k, v, g, beta)`: as [`Tape::chunk_gated_delta_rule`], but
    /// gradients cannot go back through it.
    pub fn fused_recurrent_gated_delta_rule(&self, inputs: [&Tensor; 5], sequences: u64) -> Tensor {
        self.unrecorded(|| {
            let [_, k, v, ..] = inputs.map(|x| self.contiguous(x));
            let out = alike(self, OP, &v);
            self.states_at_the_end(OP, &k, &v, sequences);
            out
        })
    }
}

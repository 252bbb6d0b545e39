//! RMS norms in one kernel (`fla/modules/layernorm.py`, `fla/modules/fused_norm_gate.py`).

use super::FlaVersion;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// `rms_norm(x, weight, residual, prenorm=residual is not None)`: x `[.., D]` to the same and,
    /// with a residual, the sum of both in the residual's dtype. Saves that sum (or x), the weight
    /// and the reciprocal deviation of each row.
    pub fn fused_rms_norm(
        &self,
        x: &Tensor,
        weight: Option<&Tensor>,
        residual: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        const OP: &str = "rms_norm";
        let shape = *x.shape();
        let (rows, flat) = rows_of(x);
        let (y, sum, deviation) = self.unrecorded(|| {
            let x = self.contiguous(x);
            let residual = residual.map(|residual| self.contiguous(residual));
            let y = self.empty(OP, flat, x.dtype());
            let sum = residual.map_or_else(
                || x.clone(),
                |residual| self.empty(OP, flat, residual.dtype()),
            );
            (
                y,
                sum.detach(),
                self.empty(OP, Shape::from([rows]), DType::Float32),
            )
        });
        let seen = |t: &Tensor| self.unrecorded(|| self.view(t, shape));
        let outputs = (seen(&y), residual.map(|_| seen(&sum)));
        drop(y);
        let inputs: smallvec::SmallVec<[&Tensor; 3]> =
            [Some(x), weight, residual].into_iter().flatten().collect();
        if !self.records(&inputs) {
            return outputs;
        }
        let saved = self.save(&sum);
        let saved_weight = weight.map(|weight| self.save(weight));
        let saved_deviation = self.save(&deviation);
        drop((sum, deviation));
        let dtype = x.dtype();
        let has_residual = residual.is_some();
        let backward = move |t: &Tape, g: &Grads| {
            let sum = saved.unpack(t);
            let weight = saved_weight.as_ref().map(|saved| saved.unpack(t));
            let _deviation = saved_deviation.unpack(t);
            let gradients: smallvec::SmallVec<[Tensor; 2]> =
                g.iter().flatten().map(|g| t.contiguous(g)).collect();
            let dx = t.empty("rms_norm_backward", flat, dtype);
            let wide = has_residual && sum.dtype() != dtype;
            let wide = wide.then(|| t.empty("rms_norm_backward", flat, sum.dtype()));
            let programs = t.programs(rows);
            let dw = weight.map(|weight| t.summed_over_programs(programs, &weight));
            drop(gradients);
            let dx = t.view(&dx, shape);
            let residual = has_residual.then(|| {
                let gradient = wide.as_ref().unwrap_or(&dx);
                t.view(gradient, shape)
            });
            let mut grads: Grads = smallvec![Some(dx)];
            grads.extend(dw.map(Some));
            grads.extend(residual.map(Some));
            grads
        };
        match outputs {
            (y, Some(sum)) => {
                let [y, sum] = self.function(&inputs, [y, sum], Box::new(backward));
                (y, Some(sum))
            }
            (y, None) => {
                let [y] = self.function(&inputs, [y], Box::new(backward));
                (y, None)
            }
        }
    }

    /// `rms_norm_gated(x, gate, weight)`: both `[.., D]`. Saves both, the weight and the reciprocal
    /// deviation of each row.
    pub fn fused_rms_norm_gated(
        &self,
        x: &Tensor,
        gate: &Tensor,
        weight: Option<&Tensor>,
    ) -> Tensor {
        let (rows, _) = rows_of(x);
        self.gated_norm([x, gate], weight, x.dtype(), [rows, self.programs(rows)])
    }

    /// `rmsnorm_fn(x, weight, None, z=gate)`: both `[.., D]`, in groups of columns, which 0.2.2 has
    /// one of (`RMSNormGated`, `fla/modules/layernorm_gated.py`). Saves both, the weight and the
    /// reciprocal deviation of each row and group.
    pub fn fused_grouped_rms_norm_gated(
        &self,
        x: &Tensor,
        gate: &Tensor,
        weight: &Tensor,
        groups: u64,
    ) -> Tensor {
        /// Columns that a warp takes, and how many warps a program has at most.
        const WARP: (u64, u64) = (256, 8);
        let groups = match self.backend().fla {
            FlaVersion::V022 => 1,
            FlaVersion::V060 => groups,
        };
        let (rows, _) = rows_of(x);
        let warps = (x.dim(-1) / groups).next_power_of_two() / WARP.0;
        let each = 4_u64.div_ceil(warps.clamp(1, WARP.1));
        let programs = (self.backend().multiprocessors * each).div_ceil(groups);
        let sizes = [groups * rows, programs];
        self.gated_norm([x, gate], Some(weight), gate.dtype(), sizes)
    }

    /// A gated norm with `deviations` reciprocal deviations. `programs` programs compute its gradient, that of the gate
    /// in the gate's own dtype.
    fn gated_norm(
        &self,
        [x, gate]: [&Tensor; 2],
        weight: Option<&Tensor>,
        gate_dtype: DType,
        [deviations, programs]: [u64; 2],
    ) -> Tensor {
        const OP: &str = "rms_norm_gated";
        let (shape, gate_shape) = (*x.shape(), *gate.shape());
        let (_, flat) = rows_of(x);
        let (x_rows, gate_rows, out, deviation) = self.unrecorded(|| {
            let (x, gate) = (self.contiguous(x), self.contiguous(gate));
            let out = self.empty(OP, flat, x.dtype());
            let deviation = self.empty(OP, Shape::from([deviations]), DType::Float32);
            (x.detach(), gate.detach(), self.view(&out, shape), deviation)
        });
        let inputs: smallvec::SmallVec<[&Tensor; 3]> = [Some(x), Some(gate), weight]
            .into_iter()
            .flatten()
            .collect();
        if !self.records(&inputs) {
            return out;
        }
        let saved = [self.save(&x_rows), self.save(&gate_rows)];
        let saved_weight = weight.map(|weight| self.save(weight));
        let saved_deviation = self.save(&deviation);
        drop((x_rows, gate_rows, deviation));
        let dtype = x.dtype();
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let _saved = saved.each_ref().map(|saved| saved.unpack(t));
            let weight = saved_weight.as_ref().map(|saved| saved.unpack(t));
            let _deviation = saved_deviation.unpack(t);
            let _g = t.contiguous(g);
            let dx = t.empty("rms_norm_gated_backward", flat, dtype);
            let dg = t.empty("rms_norm_gated_backward", flat, gate_dtype);
            let dw = weight.map(|weight| t.summed_over_programs(programs, &weight));
            let mut grads: Grads =
                smallvec![Some(t.view(&dx, shape)), Some(t.view(&dg, gate_shape))];
            grads.extend(dw.map(Some));
            grads
        };
        let [out] = self.function(&inputs, [out], Box::new(backward));
        out
    }

    /// Programs of the kernel that computes the gradient of a norm of `rows` rows.
    pub(super) fn programs(&self, rows: u64) -> u64 {
        let most = self.backend().multiprocessors;
        match self.backend().fla {
            FlaVersion::V022 => most,
            FlaVersion::V060 => most.min(rows),
        }
    }

    /// The gradient of a `weight`: each program of the kernel writes its sum over some of the
    /// rows, in float32; those are added up.
    pub(super) fn summed_over_programs(&self, programs: u64, weight: &Tensor) -> Tensor {
        let columns = weight.numel();
        let parts = self.empty(
            "norm_backward",
            Shape::from([programs, columns]),
            DType::Float32,
        );
        let sum = self.reduce("sum", &parts, Shape::from([1, columns]), DType::Float32);
        let sum = self.cast_or_same(&sum, weight.dtype());
        drop(parts);
        sum.detach_as(*weight.shape(), weight.strides())
    }

    /// `x.to(dtype)` where nothing is recorded.
    pub(in crate::tape::ops) fn cast_or_same(&self, x: &Tensor, dtype: DType) -> Tensor {
        if x.dtype() == dtype {
            x.clone()
        } else {
            self.cast_to("_to_copy", x, dtype)
        }
    }
}

/// The number of rows of x, and its shape when it is seen as `[rows, D]`.
pub(super) fn rows_of(x: &Tensor) -> (u64, Shape) {
    let columns = x.dim(-1);
    let rows = x.numel() / columns.max(1);
    (rows, Shape::from([rows, columns]))
}

//! `rms_norm_linear` (`fla/modules/norm/layernorm.py`; `fla/modules/layernorm.py` in 0.2.2).

use super::norm::rows_of;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::{SmallVec, smallvec};

impl Tape {
    /// `rms_norm_linear(x, weight, None, linear_weight, None)`: x `[.., D]` and a linear weight
    /// `[O, D]` to `[.., O]`. Saves x, the weights as they are multiplied and the reciprocal
    /// deviation of each row, but not the normalized x, which backward computes again.
    pub fn fused_rms_norm_linear(
        &self,
        x: &Tensor,
        weight: Option<&Tensor>,
        linear_weight: &Tensor,
    ) -> Tensor {
        const OP: &str = "rms_norm_linear";
        const BACKWARD: &str = "rms_norm_linear_backward";
        let shape = *x.shape();
        let (rows, flat) = rows_of(x);
        let (kept, multiplied, deviation, out) = self.unrecorded(|| {
            let x = self.contiguous(x).detach();
            let dtype = self.autocast_dtype().unwrap_or(x.dtype());
            let y = self.empty(OP, shape, dtype);
            let deviation = self.empty(OP, Shape::from([rows]), DType::Float32);
            let multiplied = self.cast_or_same(&linear_weight.detach(), dtype);
            self.note_uncached_copy(&multiplied);
            let out = self.linear(&y, &multiplied, None);
            (x, multiplied, deviation, out)
        });
        let inputs: SmallVec<[&Tensor; 3]> = [Some(x), weight, Some(linear_weight)]
            .into_iter()
            .flatten()
            .collect();
        if !self.records(&inputs) {
            return out;
        }
        let saved = self.save(&kept);
        let saved_weight = weight.map(|weight| self.save(weight));
        let saved_linear = self.save(&multiplied);
        let saved_deviation = self.save(&deviation);
        drop((kept, multiplied, deviation));
        let dtype = x.dtype();
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let _x = saved.unpack(t);
            let weight = saved_weight.as_ref().map(|saved| saved.unpack(t));
            let linear_weight = saved_linear.unpack(t);
            let _deviation = saved_deviation.unpack(t);
            let outputs = linear_weight.dim(0);
            let g = t.reshape(g, [g.numel() / outputs, outputs]);
            let dy = t.product("mm", (flat, outputs), g.dtype());
            let dx = t.empty(BACKWARD, flat, dtype);
            let _again = t.empty(BACKWARD, flat, dy.dtype());
            let dw = weight.map(|weight| t.summed_over_programs(t.programs(rows), &weight));
            let dl = t.product("bmm", (*linear_weight.shape(), g.dim(0)), dy.dtype());
            let mut grads: Grads = smallvec![Some(t.view(&dx, shape))];
            grads.extend(dw.map(Some));
            grads.push(Some(dl));
            grads
        };
        let [out] = self.function(&inputs, [out], Box::new(backward));
        out
    }
}

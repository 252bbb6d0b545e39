//! The recurrence of HGRN, whose state is a vector (`fla/ops/hgrn`).

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// `chunk_hgrn(x, g)`, or `fused_recurrent_hgrn(x, g)` where tokens go `one_by_one`: both
    /// `[B, T, D]`, to the same. Saves g and the result.
    pub fn hgrn(&self, x: &Tensor, g: &Tensor, one_by_one: bool) -> Tensor {
        const OP: &str = "hgrn";
        let (shape, dtype) = (*x.shape(), x.dtype());
        let state = Shape::from([shape.dim(0), shape.dim(2)]);
        let (given, out) = self.unrecorded(|| {
            let (x, g) = (self.contiguous(x), self.contiguous(g).detach());
            if one_by_one {
                let out = self.empty(OP, shape, dtype);
                self.recurrent_state(OP, state, dtype);
                return (g, out);
            }
            let sums = self.empty(OP, shape, DType::Float32);
            let wide = self.empty(OP, shape, DType::Float32);
            self.recurrent_state(OP, state, DType::Float32);
            let out = self.cast_or_same(&wide, x.dtype());
            drop((wide, sums));
            (g, out)
        });
        if !self.records(&[x, g]) {
            return out;
        }
        let saved = [self.save(&given), self.save(&out.detach())];
        drop(given);
        let backward = move |t: &Tape, grads: &Grads| {
            let Some(grad) = &grads[0] else {
                return Grads::new();
            };
            let [g, out] = saved.each_ref().map(|saved| saved.unpack(t));
            let _grad = t.contiguous(grad);
            let wide = || t.empty("hgrn_backward", shape, DType::Float32);
            let sums = (!one_by_one).then(wide);
            let (dx, dg) = (wide(), wide());
            drop((g, out, sums));
            let dx = if one_by_one {
                dx
            } else {
                t.cast_or_same(&dx, dtype)
            };
            smallvec![Some(dx), Some(dg)]
        };
        let [out] = self.function(&[x, g], [out], Box::new(backward));
        out
    }
}

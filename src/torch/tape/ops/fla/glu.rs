//! `swish`, `swiglu` and the linear layer after it (`fla/modules/activations.py`).

use super::FlaVersion;
use crate::tape::graph::Grads;
use crate::tape::ops::pointwise::promote;
use crate::tape::{Tape, Tensor, layout};
use crate::units::Shape;
use smallvec::smallvec;

impl Tape {
    /// `swish(x)`: `x * sigmoid(x)`. Saves x.
    pub fn fused_swish(&self, x: &Tensor) -> Tensor {
        let out = self.swished("swish", x, None);
        if !self.records(&[x]) {
            return out;
        }
        let saved = self.save(x);
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let x = saved.unpack(t);
            smallvec![Some(t.swished("swish_backward", &x, Some(g)))]
        };
        let [out] = self.function(&[x], [out], Box::new(backward));
        out
    }

    /// The result of the `swish` kernel for x, or its gradient for x and g. Since 0.6.0 the kernel reads rows at equal
    /// distances, makes copies of other inputs, and writes row-major (`prepare_input`,
    /// `fla/modules/activations/ops.py`); before, it is one of PyTorch's own.
    fn swished(&self, op: &'static str, x: &Tensor, g: Option<&Tensor>) -> Tensor {
        if self.backend().fla == FlaVersion::V022 {
            let operands: smallvec::SmallVec<[&Tensor; 2]> =
                [Some(x), g].into_iter().flatten().collect();
            return self.elementwise(op, &operands, x.dtype());
        }
        let of_rows = |x: &Tensor| {
            if layout::has_even_rows(x.shape(), &x.strides()) {
                x.detach()
            } else {
                self.contiguous(&x.detach())
            }
        };
        let _x = of_rows(x);
        let _g = g.map(of_rows);
        self.empty(op, *x.shape(), x.dtype())
    }

    /// `swiglu(x, y)`: `silu(x) * y`. Saves both.
    pub fn fused_swiglu(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let recent = self.backend().fla == FlaVersion::V060;
        // Before 0.6.0 the kernel is one of PyTorch's own, of a common dtype.
        let common = promote(x, y);
        let dtype_of = move |x: &Tensor| if recent { x.dtype() } else { common };
        let out = self.elementwise("swiglu", &[x], dtype_of(x));
        if !self.records(&[x, y]) {
            return out;
        }
        let saved = [self.save(x), self.save(y)];
        let backward = move |t: &Tape, g: &Grads| {
            if g[0].is_none() {
                return Grads::new();
            }
            let [x, y] = saved.each_ref().map(|saved| saved.unpack(t));
            let gradient = |x: &Tensor| t.elementwise("swiglu_backward", &[x], dtype_of(x));
            let (dx, dy) = (gradient(&x), gradient(&y));
            smallvec![Some(dx), Some(dy)]
        };
        let [out] = self.function(&[x, y], [out], Box::new(backward));
        out
    }

    /// `swiglu_linear(x, y, weight, None)`: x and y `[.., I]`, weight `[O, I]`, to `[.., O]`. Saves
    /// all three but not the product of x and y, which backward computes again.
    pub fn fused_swiglu_linear(&self, x: &Tensor, y: &Tensor, weight: &Tensor) -> Tensor {
        let autocast = self.autocast_dtype();
        let out = self.unrecorded(|| {
            let product = self.like("swiglu", x);
            self.linear(&product, weight, None)
        });
        if !self.records(&[x, y, weight]) {
            return out;
        }
        // The weight as it is now, not the parameter: it stays where the parameter is given other data (under ZeRO 3).
        let saved = [x, y, &self.detached_data(weight)].map(|x| self.save(x));
        let needed = self.backend().fla == FlaVersion::V022 || weight.requires_grad();
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            // `custom_bwd` runs backward under the autocast of forward.
            if let Some(dtype) = autocast {
                t.enter_autocast(dtype);
            }
            let [x, y, weight] = saved.each_ref().map(|saved| saved.unpack(t));
            let (outputs, inputs) = (weight.dim(0), weight.dim(1));
            let g = t.reshape(g, [g.numel() / outputs, outputs]);
            let product = {
                let weight = t.t(&weight.detach());
                let cast = autocast.map(|dtype| t.cast_or_same(&weight, dtype));
                let dtype = cast.as_ref().unwrap_or(&weight).dtype();
                t.product("mm", (Shape::from([g.dim(0), inputs]), outputs), dtype)
            };
            let dx = t.like("swiglu_backward", &x);
            let dy = t.like("swiglu_backward", &y);
            let dw = needed.then(|| {
                let _again = t.like("swiglu_backward", &x);
                t.product("bmm", (Shape::from([outputs, inputs]), g.dim(0)), x.dtype())
            });
            drop(product);
            t.exit_autocast();
            smallvec![Some(dx), Some(dy), dw]
        };
        let [out] = self.function(&[x, y, weight], [out], Box::new(backward));
        out
    }
}

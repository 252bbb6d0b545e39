//! Elementwise functions of one tensor.

use crate::tape::{Tape, Tensor};

/// The tensor that a function saves for its gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Nothing, and its gradient is the incoming one times a number.
    Nothing,
    /// Its input.
    Input,
    /// Its result.
    Result,
}

impl Tape {
    /// A function `op` whose gradient is one kernel over the `kept` tensor, beside `temporaries` of its size.
    pub fn function_of(
        &self,
        op: &'static str,
        x: &Tensor,
        kept: Kept,
        temporaries: usize,
    ) -> Tensor {
        let saved = self
            .records(&[x])
            .then(|| (kept == Kept::Input).then(|| self.save(x)))
            .flatten();
        let out = self.like(op, x);
        let saved = match kept {
            Kept::Nothing => return self.with_nothing_saved(x, out, move |t, g| t.like(op, g)),
            Kept::Input => saved,
            Kept::Result => self.records(&[x]).then(|| self.save(&out.detach())),
        };
        self.with_saved(x, out, saved, move |t, g, kept| {
            let _temporaries: Vec<Tensor> = (0..temporaries).map(|_| t.like(op, kept)).collect();
            t.elementwise(op, &[g, kept], g.dtype())
        })
    }

    /// `torch.nn.functional.glu(x, dim)`: one kernel over both halves of x, forward and backward
    /// (`aten/src/ATen/native/GatedLinearUnit.cpp`, torch 2.15). Saves x.
    pub fn gated_linear_unit(&self, x: &Tensor, dim: usize) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(x));
        let mut half = *x.shape();
        if let Some(size) = half.dims_mut().get_mut(dim) {
            *size /= 2;
        }
        let out = self.empty("glu", half, x.dtype());
        self.with_saved(x, out, saved, |t, _, x| {
            t.empty("glu_backward", *x.shape(), x.dtype())
        })
    }

    /// A function in x's place: where its input is saved, a copy of it is.
    pub fn function_in_place(&self, op: &'static str, x: &Tensor, kept: Kept) -> Tensor {
        if !self.records(&[x]) {
            return x.clone();
        }
        let saved = match kept {
            Kept::Nothing => {
                return self.with_nothing_saved(x, x.detach(), move |t, g| t.like(op, g));
            }
            Kept::Input => {
                let before = self.like("clone", &x.detach());
                self.save(&before)
            }
            Kept::Result => self.save(&x.detach()),
        };
        self.with_saved(x, x.detach(), Some(saved), move |t, g, kept| {
            t.elementwise(op, &[g, kept], g.dtype())
        })
    }

    /// A function without a slope (`floor`, `sign`), whose gradient is zero.
    pub fn step_function(&self, op: &'static str, x: &Tensor) -> Tensor {
        let out = self.like(op, x);
        self.with_nothing_saved(x, out, |t, g| t.like("zeros_like", g))
    }

    /// A function without a slope in x's place.
    pub fn step_in_place(&self, x: &Tensor) -> Tensor {
        self.with_nothing_saved(x, x.detach(), |t, g| t.like("zeros_like", g))
    }

    /// A function of x and a number through which the gradient goes as it is (`remainder`). Saves nothing.
    pub fn with_gradient_passed(&self, op: &'static str, x: &Tensor) -> Tensor {
        let out = self.like(op, x);
        self.with_nothing_saved(x, out, |_, g| g.clone())
    }

    /// An operation that autocast computes in float32.
    pub fn widened(&self, x: &Tensor) -> Tensor {
        self.cast_up(x)
    }

    /// An operation that autocast computes in low precision.
    pub fn narrowed(&self, x: &Tensor) -> Tensor {
        self.cast_down(x)
    }

    /// Tensors as autocast hands them to an operation that computes in the widest dtype of all.
    pub fn promoted(&self, all: &[Tensor]) -> Vec<Tensor> {
        let wide = self.autocast_dtype().is_some()
            && all
                .iter()
                .any(|x| x.dtype().is_float() && !x.dtype().is_half());
        let each = |x: &Tensor| {
            if wide && x.dtype().is_half() {
                self.cast_up(x)
            } else {
                x.clone()
            }
        };
        all.iter().map(each).collect()
    }
}

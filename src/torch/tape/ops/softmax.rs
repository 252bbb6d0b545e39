//! Softmax over the last dimension.

use crate::tape::{Tape, Tensor};
use crate::units::DType;
use smallvec::smallvec;

impl Tape {
    /// `torch.nn.functional.softmax(x, dim=-1, dtype=dtype)`. Saves its result.
    pub fn softmax(&self, x: &Tensor, dtype: Option<DType>) -> Tensor {
        // Autocast asks for float32 where the caller does not say (`fp32_set_opt_dtype`).
        let widens = self.autocast_dtype().is_some() && x.dtype().is_half();
        let dtype = dtype.or(widens.then_some(DType::Float32));
        // One kernel reads a float16 and writes a float32; anything else is cast first.
        let fused = x.dtype() == DType::Float16 && dtype == Some(DType::Float32);
        let x = match dtype {
            Some(_) if fused => x.clone(),
            Some(dtype) => self.to(x, dtype),
            None => self.cast_up(x),
        };
        let out = self.empty("_softmax", *x.shape(), dtype.unwrap_or(x.dtype()));
        if !x.is_contiguous() {
            drop(self.empty("_softmax", *x.shape(), x.dtype()));
        }
        self.softmax_node(&x, out)
    }

    /// Puts the result of a softmax of `x` into the graph. Its gradient holds the product of the
    /// incoming gradient and the result for a moment (`softmax_backward_cuda_out`,
    /// `aten/src/ATen/native/cuda/SoftMax.cu`, torch 2.15).
    pub(super) fn softmax_node(&self, x: &Tensor, out: Tensor) -> Tensor {
        if !self.records(&[x]) {
            return out;
        }
        let from = x.dtype();
        let saved = self.save(&out.detach());
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return smallvec![] };
                let result = saved.unpack(t);
                let grad = t.empty("_softmax_backward_data", *result.shape(), from);
                let _product = t.elementwise("_softmax_backward_data", &[g, &result], g.dtype());
                smallvec![Some(grad)]
            }),
        )
    }

    /// `torch.nn.functional.log_softmax(x, dim=-1)`. Saves its result.
    pub fn log_softmax(&self, x: &Tensor) -> Tensor {
        let x = self.cast_up(x);
        self.log_softmax_to(&x, x.dtype())
    }

    /// `log_softmax` with `dtype=torch.float32`.
    pub fn log_softmax_wide(&self, x: &Tensor) -> Tensor {
        // One kernel reads a float16 and writes a float32; anything else is cast first.
        if x.dtype() == DType::Float16 {
            return self.log_softmax_to(x, DType::Float32);
        }
        self.log_softmax_to(&self.to(x, DType::Float32), DType::Float32)
    }

    fn log_softmax_to(&self, x: &Tensor, dtype: DType) -> Tensor {
        const BACKWARD: &str = "_log_softmax_backward_data";
        let out = self.empty("_log_softmax", *x.shape(), dtype);
        if !x.is_contiguous() {
            drop(self.empty("_log_softmax", *x.shape(), x.dtype()));
        }
        if !self.records(&[x]) {
            return out;
        }
        let saved = self.save(&out.detach());
        let from = x.dtype();
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return smallvec![] };
                let result = saved.unpack(t);
                let grad = t.empty(BACKWARD, *result.shape(), from);
                drop(t.contiguous(g));
                smallvec![Some(grad)]
            }),
        )
    }
}

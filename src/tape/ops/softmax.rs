//! Softmax over the last dimension.

use crate::tape::{Tape, Tensor};
use crate::units::DType;
use smallvec::smallvec;

impl Tape {
    /// `torch.nn.functional.softmax(x, dim=-1, dtype=dtype)`. Saves its result.
    pub fn softmax(&self, x: &Tensor, dtype: Option<DType>) -> Tensor {
        self.saving_softmax("_softmax", "_softmax_backward_data", x, dtype)
    }

    /// `torch.nn.functional.log_softmax(x, dim=-1)`. Saves its result.
    pub fn log_softmax(&self, x: &Tensor) -> Tensor {
        self.saving_softmax("_log_softmax", "_log_softmax_backward_data", x, None)
    }

    fn saving_softmax(
        &self,
        op: &'static str,
        backward: &'static str,
        x: &Tensor,
        dtype: Option<DType>,
    ) -> Tensor {
        // Autocast runs it in float32. The kernel reads a half and writes float32 in one go when a
        // dtype is asked for, and so does its gradient.
        let x = if dtype.is_none() {
            self.cast_up(x)
        } else {
            x.clone()
        };
        let from = x.dtype();
        let out = self.empty(op, *x.shape(), dtype.unwrap_or(from));
        if !self.records(&[&x]) {
            return out;
        }
        let saved = self.save(&out.detach());
        self.attach(
            &[&x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return smallvec![] };
                let result = saved.unpack(t);
                smallvec![Some(t.empty(
                    backward,
                    *result.shape(),
                    if from.is_half() { from } else { g.dtype() }
                ))]
            }),
        )
    }
}

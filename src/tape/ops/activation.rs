//! Activation functions that are one kernel.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use smallvec::smallvec;

impl Tape {
    /// `torch.nn.functional.relu(x)`. Saves its result.
    pub fn relu(&self, x: &Tensor) -> Tensor {
        self.saving_result("relu", "threshold_backward", x)
    }

    /// `torch.tanh(x)`. Saves its result.
    pub fn tanh(&self, x: &Tensor) -> Tensor {
        self.saving_result("tanh", "tanh_backward", x)
    }

    /// `torch.nn.functional.silu(x)`. Saves x.
    pub fn silu(&self, x: &Tensor) -> Tensor {
        self.saving_input("silu", "silu_backward", x)
    }

    /// `torch.nn.functional.gelu(x)`, exact or with tanh. Saves x.
    pub fn gelu(&self, x: &Tensor) -> Tensor {
        self.saving_input("gelu", "gelu_backward", x)
    }

    fn saving_result(&self, op: &'static str, backward: &'static str, x: &Tensor) -> Tensor {
        let out = self.like(op, x);
        if !self.records(&[x]) {
            return out;
        }
        let saved = self.save(&out.detach());
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let result = saved.unpack(t);
                smallvec![Some(t.elementwise(backward, &[g, &result], g.dtype()))]
            }),
        )
    }

    fn saving_input(&self, op: &'static str, backward: &'static str, x: &Tensor) -> Tensor {
        if !self.records(&[x]) {
            return self.like(op, x);
        }
        let saved = self.save(x);
        let out = self.like(op, x);
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let x = saved.unpack(t);
                smallvec![Some(t.elementwise(backward, &[g, &x], g.dtype()))]
            }),
        )
    }
}

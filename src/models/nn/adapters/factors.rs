//! The two factors of low rank of an adapter.

use crate::nn::build::Division;
use crate::tape::{Tape, Tensor};

/// The factors A `[r, inputs]` and B `[outputs, r]`, in float32 whatever the layer's dtype is
/// (`autocast_adapter_dtype`).
pub(crate) struct Factors {
    pub(super) a: Tensor,
    pub(super) b: Tensor,
    /// How ranks divide the columns of the result, of which each has those of its rows of B
    /// (`add_lora_tp_hooks_dtensor`, `tuners/lora/model.py`, peft 0.21).
    pub(super) division: Option<Box<Division>>,
}

impl Factors {
    /// A and B.
    pub(crate) fn both(&self) -> [&Tensor; 2] {
        [&self.a, &self.b]
    }

    /// `B(A(x))`.
    pub(crate) fn product(&self, t: &Tape, x: &Tensor) -> Tensor {
        let narrow = self.narrow(t, x);
        self.widen(t, &narrow)
    }

    /// `A(x)`.
    pub(super) fn narrow(&self, t: &Tape, x: &Tensor) -> Tensor {
        t.with_own("linear", [Some(&self.a)], x, |x| {
            t.linear_module(x, &self.a)
        })
    }

    /// `B(x)`.
    pub(super) fn widen(&self, t: &Tape, x: &Tensor) -> Tensor {
        if let Some(division) = &self.division {
            return division.linear(t, x, &self.b, None);
        }
        t.with_own("linear", [Some(&self.b)], x, |x| {
            t.linear_module(x, &self.b)
        })
    }
}

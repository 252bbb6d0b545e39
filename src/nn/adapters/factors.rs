//! The two factors of low rank of an adapter.

use crate::tape::{Tape, Tensor};

/// The factors A `[r, inputs]` and B `[outputs, r]`, in float32 whatever the layer's dtype is
/// (`autocast_adapter_dtype`).
pub(crate) struct Factors {
    pub(super) a: Tensor,
    pub(super) b: Tensor,
}

impl Factors {
    /// A and B.
    pub(crate) fn both(&self) -> [&Tensor; 2] {
        [&self.a, &self.b]
    }

    /// `B(A(x))`.
    pub(crate) fn product(&self, t: &Tape, x: &Tensor) -> Tensor {
        let narrow = t.linear(x, &self.a, None);
        t.linear(&narrow, &self.b, None)
    }
}

//! Indices from which masks are computed.

use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Booleans `[n]`.
pub(crate) fn flags(t: &Tape, op: &'static str, n: u64) -> Tensor {
    t.empty(op, Shape::from([n]), DType::Bool)
}

/// Whole numbers `[n]`.
pub(crate) fn indices(t: &Tape, op: &'static str, n: u64) -> Tensor {
    t.empty(op, Shape::from([n]), DType::Int64)
}

/// The indices of samples and of keys, broadcast: an index that has their common shape already is not copied.
pub(crate) fn broadcast_indices(t: &Tape, b: u64, s: u64) -> [Option<Tensor>; 2] {
    [s, b].map(|others| (others > 1).then(|| indices(t, "index", b * s)))
}

//! Causal masks as `AttentionMaskConverter` makes them (`modeling_attn_mask_utils.py` of transformers
//! 4), added to the scores.

use super::size::{BatchShape, ScoreShape};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `AttentionMaskConverter.to_causal_4d` (transformers 4): for B samples, `[B, 1, S, S]`, added to
/// the scores.
pub fn triangle(t: &Tape, BatchShape { b, s }: BatchShape, dtype: DType) -> Tensor {
    let mask = t.empty("full", Shape::from([s, s]), DType::Float32);
    let range = t.empty("arange", Shape::from([s]), DType::Int64);
    {
        let _next = t.add_scalar(&range);
        drop(t.empty("lt", Shape::from([s, s]), DType::Bool));
    }
    let narrow = t.to(&mask, dtype);
    drop((mask, range));
    let view = t.view(&narrow, [1, 1, s, s]);
    t.expand(&view, [b, 1, s, s])
}

/// `AttentionMaskConverter.to_4d` (transformers 4) of a padding mask `[B, S]` of the dtype `given`:
/// `[B, 1, S, S]`, added to the scores.
pub fn padded_triangle(t: &Tape, size: BatchShape, given: DType, dtype: DType) -> Tensor {
    let BatchShape { b, s } = size;
    let causal = triangle(t, size, dtype);
    let full = |op, dtype| t.empty(op, Shape::from([b, 1, s, s]), dtype);
    let padding = expanded(t, size.scores(), given, dtype);
    let mask = {
        let _flags = full("_to_copy", DType::Bool);
        full("masked_fill", dtype)
    };
    drop((padding, causal));
    mask
}

/// `AttentionMaskConverter._expand_mask` of a padding mask of the dtype `given`: for B samples, queries
/// and keys; `[B, 1, Q, K]`.
pub fn expanded(t: &Tape, size: ScoreShape, given: DType, dtype: DType) -> Tensor {
    let shape = Shape::from([size.b, 1, size.queries, size.keys]);
    let full = |op, dtype| t.empty(op, shape, dtype);
    let cast = (given != dtype).then(|| full("_to_copy", dtype));
    let flipped = full("rsub", dtype);
    let flags = full("_to_copy", DType::Bool);
    let mask = full("masked_fill", dtype);
    drop((flags, flipped, cast));
    mask
}

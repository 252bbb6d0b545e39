//! Masks of texts with images whose tokens see each other, later ones too
//! (`create_masks_for_vision_model` in `models/gemma3/modeling_gemma3.py`, and in
//! `models/paligemma/modeling_paligemma.py`, transformers 5.23).

use super::indices::{broadcast_indices, flags, indices};
use super::mask;
use super::mask::MaskRequest;
use super::size::BatchShape;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `get_block_sequence_ids_for_mask`: to which image each token `[B, S]` belongs.
pub fn groups(t: &Tape, BatchShape { b, s }: BatchShape) -> Tensor {
    let n = b * s;
    let is_image = flags(t, "eq", n);
    let padded = flags(t, "constant_pad_nd", b * (s + 1));
    let starts = {
        let _not = flags(t, "bitwise_not", n);
        flags(t, "bitwise_and", n)
    };
    let numbers = t.empty("_to_copy", Shape::from([n]), DType::Int32);
    let sums = indices(t, "cumsum", n);
    drop(indices(t, "cumsum", n));
    drop(numbers);
    let groups = indices(t, "sub", n);
    drop(sums);
    let scalar = indices(t, "scalar_tensor", 1);
    let found = indices(t, "where", n);
    drop((scalar, is_image, padded, starts, groups));
    found
}

/// The tokens `[B, S]` before an answer (`PaliGemmaModel`).
pub fn prefixes(t: &Tape, BatchShape { b, s }: BatchShape) -> Tensor {
    let n = b * s;
    let _before = flags(t, "eq", n);
    let numbers = [0, 1].map(|_| indices(t, "scalar_tensor", 1));
    let found = indices(t, "where", n);
    drop(numbers);
    found
}

/// The mask of layers that see all tokens or, where the request has a window, near ones.
pub(crate) fn of_groups(t: &Tape, r: MaskRequest, window: bool) -> Tensor {
    let BatchShape { b, s } = r.size;
    let square = |op| flags(t, op, b * s * s);
    let shifted = || t.add_scalar(&indices(t, "arange", s));
    let at_places = |read: fn(&Tape, u64) -> Tensor| {
        let indexed = broadcast_indices(t, b, s);
        let read = read(t, b * s);
        drop(indexed);
        read
    };
    let cast = || r.padding.then(|| flags(t, "_to_copy", b * s));
    if window {
        drop(cast());
    }
    let padding = cast();
    let positions = (
        indices(t, "arange", b),
        indices(t, "arange", 1),
        shifted(),
        shifted(),
    );
    let width = if window { s } else { 1 };
    let of_all = r.padding.then(|| flags(t, "new_ones", width));
    let ones = window.then(|| flags(t, "new_ones", s));
    let zeros = flags(t, "new_zeros", width);
    let causal = {
        let _later = flags(t, "le", s * s);
        flags(t, "bitwise_or", s * s)
    };
    drop(zeros);
    let same = {
        let read = || at_places(|t, n| indices(t, "index", n));
        let (of_queries, of_keys) = (read(), read());
        let equal = square("eq");
        let image = flags(t, "ge", b * s);
        let same = square("bitwise_and");
        drop((equal, image, of_queries, of_keys));
        same
    };
    let mut allowed = square("bitwise_or");
    drop((same, causal));
    if let Some(ones) = ones {
        allowed = square("bitwise_and");
        drop(ones);
        let near = {
            let _edge = indices(t, "sub", s);
            flags(t, "gt", s * s)
        };
        allowed = {
            let both = square("bitwise_and");
            drop(allowed);
            both
        };
        drop(near);
    }
    if let Some(ones) = of_all {
        allowed = square("bitwise_and");
        drop(ones);
        let valid = at_places(|t, n| flags(t, "index", n));
        allowed = {
            let both = square("bitwise_and");
            drop((valid, allowed));
            both
        };
    }
    drop(positions);
    let made = mask::given_to_attention(t, r, allowed);
    drop(padding);
    made
}

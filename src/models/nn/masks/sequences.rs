//! The mask of several sequences in one row, which do not see each other
//! (`packed_sequence_compatibility_function`, `masking_utils.py`, transformers 5.23).

use super::indices::{broadcast_indices, flags, indices};
use super::mask;
use super::mask::MaskRequest;
use super::size::BatchShape;
use crate::tape::{Tape, Tensor};

/// `find_packed_sequence_indices`: to which sequence each token `[B, S]` belongs.
pub fn numbers(t: &Tape, BatchShape { b, s }: BatchShape) -> Tensor {
    let first = indices(t, "sub", b);
    let differences = {
        let _prepended = indices(t, "cat", b * (s + 1));
        indices(t, "diff", b * s)
    };
    let begins = flags(t, "ne", b * s);
    let numbers = {
        let numbers = indices(t, "cumsum", b * s);
        drop(indices(t, "cumsum", b * s));
        numbers
    };
    drop(begins);
    let alone = flags(t, "eq", b);
    drop(flags(t, "all", 1));
    t.synchronize_stream();
    drop((alone, differences, first));
    numbers
}

/// The places of their own sequence that tokens may see, by their positions in it.
pub(crate) fn apart(t: &Tape, r: MaskRequest) -> Tensor {
    let BatchShape { b, s } = r.size;
    let square = |op| flags(t, op, b * s * s);
    let numbers = numbers(t, r.size);
    let of_tokens = || {
        let indexed = broadcast_indices(t, b, s);
        let read = indices(t, "index", b * s);
        drop(indexed);
        read
    };
    let both = |allowed: Tensor, other: Tensor| {
        let both = square("bitwise_and");
        drop(other);
        drop(allowed);
        both
    };
    let ranges = [
        indices(t, "arange", b),
        indices(t, "arange", 1),
        t.add_scalar(&indices(t, "arange", s)),
        t.add_scalar(&indices(t, "arange", s)),
    ];
    let ones = flags(t, "new_ones", 1);
    let same = {
        let (of_queries, of_keys) = (of_tokens(), of_tokens());
        let same = square("eq");
        drop((of_queries, of_keys));
        same
    };
    let allowed = both(ones, same);
    let seen = {
        let positions = (of_tokens(), of_tokens());
        let seen = if r.window {
            let ones = flags(t, "new_ones", 1);
            let near = {
                let _edge = indices(t, "sub", b * s);
                square("gt")
            };
            let near = both(ones, near);
            both(near, square("le"))
        } else {
            square("le")
        };
        drop(positions);
        seen
    };
    let allowed = both(allowed, seen);
    drop(ranges);
    let mask = mask::given_to_attention(t, r, allowed);
    drop(numbers);
    mask
}

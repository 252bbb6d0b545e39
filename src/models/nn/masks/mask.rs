//! The attention mask of a decoder, as each version of transformers builds it.

use super::both_sides::bidirectional;
use super::indices::{broadcast_indices, flags, indices};
use super::size::{BatchShape, ScoreShape};
use crate::ask::Attention;
use crate::model::MaskStyle;
use crate::tape::{Places, Tape, Tensor};
use crate::units::{DType, Shape};

/// The request for a mask: whether it is made, and of which kind.
#[derive(Clone, Copy)]
pub(crate) struct MaskRequest {
    /// Whether attention adds the mask to scores (eager) or hands it to sdpa.
    pub(crate) eager: bool,
    /// Whether a padding mask came with the batch.
    pub(crate) padding: bool,
    /// Whether the window is shorter than the sequence.
    pub(crate) window: bool,
    /// Whether the window is a chunk of the sequence, the same for all tokens in it.
    pub(crate) chunked: bool,
    /// Whether the mask that came with the batch has padding in it, so that sdpa needs it.
    pub(crate) padded: bool,
    /// B and S.
    pub(crate) size: BatchShape,
    /// Tokens that earlier passes left in the cache.
    pub(crate) cached: u64,
    /// Keys that a layer sees: keys of the cache and of this pass.
    pub(crate) keys: u64,
    /// The dtype of the hidden states.
    pub(crate) dtype: DType,
    /// How the version makes it.
    pub(crate) style: MaskStyle,
}

/// `create_causal_mask` (transformers 5) or `_update_causal_mask` (transformers 4): nothing when
/// sdpa can be told `is_causal`, else a boolean or additive mask `[B, 1, S, S]`.
pub(crate) fn causal(t: &Tape, request: MaskRequest) -> Option<Tensor> {
    if !request.eager && !request.padded && !request.window {
        // A mask is cast before it is looked at; before transformers 5 it is only looked at.
        let seen = request.size.with_len(request.cached + request.size.s);
        if request.style == MaskStyle::Boolean {
            let given = seen.b * seen.s;
            let padding = request.padding.then(|| flags(t, "_to_copy", given));
            drop((padding, left_padding(t, request)));
        } else if request.padding {
            looks_for_padding(t, seen);
        }
        return None;
    }
    Some(if request.style == MaskStyle::Boolean {
        boolean(t, request, true)
    } else {
        additive(t, request, request.dtype)
    })
}

/// The boolean mask (added to scores in eager attention) that is made whether it is needed or not.
pub(crate) fn always(t: &Tape, request: MaskRequest) -> Tensor {
    boolean(t, request, false)
}

/// The additive mask that is made whether it is needed or not.
pub(crate) fn whole(t: &Tape, request: MaskRequest) -> Tensor {
    additive(t, request, request.dtype)
}

/// The request for a mask that is always made, of all tokens with the padding among them.
fn of_padded(size: BatchShape, dtype: DType, style: MaskStyle) -> MaskRequest {
    MaskRequest {
        eager: true,
        padding: true,
        window: false,
        chunked: false,
        padded: true,
        size,
        cached: 0,
        keys: size.s,
        dtype,
        style,
    }
}

/// The mask of B samples of S tokens `[B, 1, S, K]` over a cache that has K `places`, with a padding mask of the cached
/// tokens and of these (`keys` in all).
pub fn of_places(t: &Tape, size: BatchShape, keys: u64, places: Places) -> Tensor {
    let request = MaskRequest {
        cached: keys - size.s,
        keys: places.tokens,
        ..of_padded(size, places.dtype, MaskStyle::Exact)
    };
    additive(t, request, places.dtype)
}

/// The causal mask of a decoder that gives itself a padding mask of ones in float32 (T5, BLOOM and OPT of
/// transformers 4), made from a triangle and added to the scores.
pub fn causal_of_ones(t: &Tape, size: BatchShape, dtype: DType) -> Tensor {
    let request = of_padded(size, dtype, MaskStyle::Triangle);
    additive(t, request, DType::Float32)
}

/// `flash_attention_mask` (transformers 5), or what `_update_causal_mask` gives flash-attn
/// (transformers 4): the padding mask `[B, S]` itself, once it is known to hold padding.
pub fn of_padding(t: &Tape, size: BatchShape, style: MaskStyle) -> Tensor {
    let tokens = size.b * size.s;
    if style == MaskStyle::Boolean {
        let mask = flags(t, "_to_copy", tokens);
        drop(flags(t, "all", 1));
        t.synchronize_stream();
        return mask;
    }
    let equal = flags(t, "eq", tokens);
    let _any = flags(t, "any", 1);
    t.synchronize_stream();
    drop(equal);
    // The batch holds the mask.
    flags(t, "mask", 0)
}

/// The causal mask of a decoder that gives itself a padding mask of ones (BART of transformers 5):
/// for B samples of S tokens after those in the cache. For sdpa there is none when all of them have
/// been counted.
pub(crate) fn causal_of_all(
    t: &Tape,
    size: BatchShape,
    cached: u64,
    eager: bool,
    dtype: DType,
) -> Option<Tensor> {
    let BatchShape { b, s } = size;
    let keys = cached + s;
    if !eager {
        let _padding = flags(t, "_to_copy", b * keys);
        let sum = indices(t, "sum", 1);
        drop(indices(t, "sum", b * keys));
        drop(flags(t, "eq", 1));
        drop(sum);
        return None;
    }
    let request = MaskRequest {
        eager,
        padding: true,
        window: false,
        chunked: false,
        padded: true,
        size,
        cached,
        keys,
        dtype,
        style: MaskStyle::Boolean,
    };
    Some(boolean(t, request, true))
}

/// `masking_utils.py`, transformers 5.23. Sdpa can do without a mask if it `may_skip` it.
fn boolean(t: &Tape, r: MaskRequest, may_skip: bool) -> Tensor {
    let BatchShape { b, s } = r.size;
    let keys = r.keys;
    let given = b * (r.cached + s);
    let padding = r.padding.then(|| flags(t, "_to_copy", given));
    let left_padding = left_padding(t, r);
    if r.padded && !r.eager && may_skip {
        // Is everything or nothing padding? (`mask.sum() == ...`, twice for a prompt)
        for _ in 0..if r.cached == 0 { 2 } else { 1 } {
            let sum = indices(t, "sum", 1);
            drop(indices(t, "sum", given));
            let _equal = flags(t, "eq", 1);
            drop(sum);
        }
    }
    let positions = {
        let batch = indices(t, "arange", b);
        let head = indices(t, "arange", 1);
        let shifted = |n| {
            let range = indices(t, "arange", n);
            t.add_scalar(&range)
        };
        (batch, head, shifted(s), shifted(keys))
    };
    let allowed = if r.padding {
        let ones = flags(t, "new_ones", 1);
        let base = within(t, r);
        let causal = flags(t, "bitwise_and", base.numel());
        drop((base, ones));
        let indexed = broadcast_indices(t, b, keys);
        let valid = flags(t, "index", b * keys);
        drop(indexed);
        let both = flags(t, "bitwise_and", b * s * keys);
        drop((valid, causal));
        both
    } else {
        within(t, r)
    };
    drop(positions);
    let mask = given_to_attention(t, r, allowed);
    drop((padding, left_padding));
    mask
}

/// The mask `[.., S, keys]` that attention is given, from the flags `allowed`: the flags or, in eager attention,
/// numbers to be added to the scores.
pub(crate) fn given_to_attention(t: &Tape, r: MaskRequest, allowed: Tensor) -> Tensor {
    let BatchShape { b, s } = r.size;
    let keys = r.keys;
    if r.eager {
        let scalars = (
            t.empty("zeros", Shape::new(&[]), r.dtype),
            t.empty("scalar_tensor", Shape::new(&[]), r.dtype),
        );
        let mask = t.empty("where", Shape::from([b, 1, s, keys]), r.dtype);
        drop(scalars);
        drop(allowed);
        mask
    } else {
        let view = t.view(&allowed, [allowed.numel() / (s * keys), 1, s, keys]);
        t.expand(&view, [b, 1, s, keys])
    }
}

/// How many tokens are padding before the first of each of B samples, where chunks begin after them.
fn left_padding(t: &Tape, r: MaskRequest) -> Option<Tensor> {
    let BatchShape { b, s } = r.size;
    let given = b * (r.cached + s);
    r.chunked.then(|| {
        if !r.padding {
            return indices(t, "zeros", b);
        }
        let equal = {
            let _sums = {
                let _cast = indices(t, "cumsum", given);
                indices(t, "cumsum", given)
            };
            let _zeros = flags(t, "zeros_like", given);
            flags(t, "eq", given)
        };
        let sum = indices(t, "sum", b);
        drop(equal);
        sum
    })
}

/// `[S, keys]`, of chunks `[B, S, keys]`: positions that are not later and, of a window, not before
/// it.
fn within(t: &Tape, r: MaskRequest) -> Tensor {
    let s = r.size.s;
    if !r.window {
        return flags(t, "le", s * r.keys);
    }
    let samples = if r.chunked { r.size.b } else { 1 };
    let square = |op| flags(t, op, samples * s * r.keys);
    let near = {
        let ones = flags(t, "new_ones", 1);
        let near = if r.chunked {
            let chunks = |n| {
                let shifted = {
                    let _padding = indices(t, "index", samples);
                    indices(t, "sub", samples * n)
                };
                let chunks = indices(t, "floor_divide", samples * n);
                drop(shifted);
                chunks
            };
            let _both = (chunks(r.keys), chunks(s));
            square("eq")
        } else {
            let _edge = indices(t, "sub", s);
            square("gt")
        };
        let both = square("bitwise_and");
        drop((near, ones));
        both
    };
    let causal = flags(t, "le", s * r.keys);
    let both = square("bitwise_and");
    drop((causal, near));
    both
}

/// `_prepare_4d_causal_attention_mask_with_cache_position`, transformers 4.48 and 4.51.
/// `sum_dtype` is that of the mask with a padding mask added to it.
fn additive(t: &Tape, r: MaskRequest, sum_dtype: DType) -> Tensor {
    let BatchShape { b, s } = r.size;
    let seen = r.cached + s;
    let square = |op, columns| t.empty(op, Shape::from([b, 1, s, columns]), r.dtype);
    if r.padding && !r.eager {
        looks_for_padding(t, r.size.with_len(seen));
    }
    // Without a padding mask the length of the cache is one more than the sequence.
    let keys = match r.style {
        MaskStyle::Exact => r.keys,
        _ if r.padding => seen,
        _ => seen + 1,
    };
    let (triangle, locals) = future(t, r, keys);
    if !r.padding {
        let view = t.view(&triangle, [1, 1, s, keys]);
        let view = t.expand(&view, Shape::from([b, 1, s, keys]));
        return t.slice(&view, -1, 0, seen);
    }
    let mut mask = square("clone", keys);
    drop(triangle);
    {
        let sum = t.empty("add", Shape::from([b, 1, s, seen]), sum_dtype);
        let equal = flags(t, "eq", b * s * seen);
        drop(sum);
        drop(square("masked_fill", seen));
        drop(equal);
    }
    drop(locals);
    if !r.eager {
        mask = unmasked(t, &mask);
    }
    mask
}

/// `_unmask_unattended` of a mask `[.., S, S]`: rows that see nothing see everything.
pub(crate) fn unmasked(t: &Tape, mask: &Tensor) -> Tensor {
    let rows = mask.numel() / mask.dim(-1).max(1);
    let _empty_rows = {
        let equal = flags(t, "eq", mask.numel());
        let all = flags(t, "all", rows);
        drop(equal);
        let not = flags(t, "bitwise_not", rows);
        drop(all);
        not
    };
    t.empty("mul", *mask.shape(), mask.dtype())
}

/// The lowest value where a position `[S]` looks at a later one, or at one before the window,
/// `[S, keys]`, with what stays in local variables.
fn future(t: &Tape, r: MaskRequest, keys: u64) -> (Tensor, Vec<Tensor>) {
    let s = r.size.s;
    let matrix = |op| t.empty(op, Shape::from([s, keys]), r.dtype);
    let mut mask = matrix("full");
    let triangle = matches!(r.style, MaskStyle::Triangle | MaskStyle::Exact);
    if triangle && s != 1 {
        mask = matrix("triu");
    }
    let range = indices(t, "arange", keys);
    let later = flags(t, "gt", s * keys);
    drop(range);
    if triangle {
        return (mask, Vec::new());
    }
    if r.style == MaskStyle::Compared {
        return (mask, vec![later]);
    }
    let range = indices(t, "arange", keys);
    let edge = indices(t, "sub", s);
    let outside = flags(t, "le", s * keys);
    drop((range, edge));
    (mask, vec![later, outside])
}

/// [`bidirectional`] of a mask that came with the batch: none where it holds no padding.
pub(crate) fn of_given(
    t: &Tape,
    size: ScoreShape,
    eager: bool,
    padded: bool,
    dtype: DType,
) -> Option<Tensor> {
    if padded {
        return Some(bidirectional(t, size, eager, dtype));
    }
    let _padding = flags(t, "_to_copy", size.b * size.keys);
    drop(flags(t, "all", 1));
    t.synchronize_stream();
    None
}

/// `(1.0 - mask) * lowest` of a padding mask `[B, K]` in the dtype `given` (transformers 4).
pub fn inverted(t: &Tape, seen: BatchShape, given: DType, dtype: DType) -> Tensor {
    let mask = |op| t.empty(op, Shape::from([seen.b, 1, 1, seen.s]), dtype);
    let cast = (given != dtype).then(|| mask("_to_copy"));
    let flipped = mask("rsub");
    let inverted = mask("mul");
    drop((flipped, cast));
    inverted
}

/// `torch.all(mask == 1)` of a padding mask `[B, K]`, before sdpa is given one (transformers 4).
pub fn looks_for_padding(t: &Tape, seen: BatchShape) {
    let equal = flags(t, "eq", seen.b * seen.s);
    let _all = flags(t, "all", 1);
    t.synchronize_stream();
    drop(equal);
}

/// `warn_if_padding_and_no_attention_mask` (transformers 4): looks at the first and last tokens.
pub(crate) fn looks_like_padding(t: &Tape, b: u64) {
    let columns = t.empty("_to_copy", Shape::from([2]), DType::Int64);
    let _tokens = t.empty("index", Shape::from([b, 2]), DType::Int64);
    drop(columns);
    let _equal = t.empty("eq", Shape::from([b, 2]), DType::Bool);
    drop(t.empty("any", Shape::new(&[]), DType::Bool));
    t.synchronize_stream();
}

/// The mask of an encoder with padding (`create_bidirectional_mask`, transformers 5): for B samples
/// of S tokens.
pub fn of_encoder(t: &Tape, size: BatchShape, attention: Attention, dtype: DType) -> Tensor {
    if attention == Attention::FlashAttention2 {
        return of_padding(t, size, MaskStyle::Boolean);
    }
    bidirectional(t, size.scores(), attention == Attention::Eager, dtype)
}

/// Looks for padding in a mask `[B, S]` (`create_recurrent_attention_mask`, `masking_utils.py`).
pub(crate) fn looked_through(t: &Tape, shape: Shape) {
    let flags = t.empty("eq", shape, DType::Bool);
    drop(t.reduce("all", &flags, Shape::new(&[]), DType::Bool));
    t.synchronize_stream();
}

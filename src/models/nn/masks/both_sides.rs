//! The masks of layers that see tokens on both sides, as transformers 5 builds them.

use super::indices::{broadcast_indices, flags, indices};
use super::size::{BatchShape, ScoreShape};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `create_bidirectional_mask` of a padding mask (`masking_utils.py`, transformers 5.23): for B
/// samples, queries and keys; `[B, 1, Q, K]`, boolean or added to the scores.
pub fn bidirectional(t: &Tape, size: ScoreShape, eager: bool, dtype: DType) -> Tensor {
    around(
        t,
        size,
        BothSides {
            eager,
            padded: true,
            window: None,
        },
        dtype,
    )
}

/// The request for the mask of layers that see tokens on both sides.
#[derive(Clone, Copy)]
pub(crate) struct BothSides {
    /// Whether attention adds the mask to scores (eager) or hands it to sdpa.
    pub(crate) eager: bool,
    /// Whether there is padding.
    pub(crate) padded: bool,
    /// How far a token sees on each side, where not everything.
    pub(crate) window: Option<u64>,
}

/// [`bidirectional`] for B samples of S tokens, each of which sees a `window` on each side
/// (`create_bidirectional_sliding_window_mask`), where there is padding or a window.
pub(crate) fn of_both_sides(
    t: &Tape,
    size: BatchShape,
    sees: BothSides,
    dtype: DType,
) -> Option<Tensor> {
    let made = sees.padded || sees.window.is_some();
    made.then(|| around(t, size.scores(), sees, dtype))
}

fn around(t: &Tape, size: ScoreShape, sees: BothSides, dtype: DType) -> Tensor {
    let ScoreShape { b, queries, keys } = size;
    let BothSides {
        eager,
        padded,
        window,
    } = sees;
    let padding = padded.then(|| {
        let padding = flags(t, "_to_copy", b * keys);
        drop(flags(t, "all", 1));
        t.synchronize_stream();
        padding
    });
    let shifted = |n| {
        let range = indices(t, "arange", n);
        t.add_scalar(&range)
    };
    let positions = (
        indices(t, "arange", b),
        indices(t, "arange", 1),
        shifted(queries),
        shifted(keys),
    );
    let all = Shape::from([b, 1, queries, keys]);
    let outer = (padded && window.is_some()).then(|| flags(t, "new_ones", 1));
    let rows = match window {
        Some(_) => near(t, queries, keys),
        None if padded => {
            let _ones = flags(t, "new_ones", 1);
            let _anywhere = flags(t, "ge", queries);
            flags(t, "bitwise_and", queries)
        }
        None => flags(t, "ge", queries),
    };
    let rows = if outer.is_some() {
        let both = flags(t, "bitwise_and", rows.numel());
        drop((rows, outer));
        both
    } else {
        rows
    };
    let allowed = if padded {
        let valid = {
            let _indices = broadcast_indices(t, b, keys);
            flags(t, "index", b * keys)
        };
        let allowed = t.empty("bitwise_and", all, DType::Bool);
        drop((valid, rows));
        allowed
    } else {
        t.expand(&t.view(&rows, [1, 1, queries, rows.numel() / queries]), all)
    };
    drop(positions);
    let mask = if eager {
        let _scalars = (
            t.empty("zeros", Shape::new(&[]), dtype),
            t.empty("scalar_tensor", Shape::new(&[]), dtype),
        );
        t.empty("where", all, dtype)
    } else {
        allowed
    };
    drop(padding);
    mask
}

/// Positions at most a window away on either side `[Q, K]` (`sliding_window_bidirectional_mask_function`).
fn near(t: &Tape, queries: u64, keys: u64) -> Tensor {
    let square = |op| flags(t, op, queries * keys);
    let near = {
        let ones = flags(t, "new_ones", 1);
        let near = {
            let _distance = {
                let _difference = indices(t, "sub", queries * keys);
                indices(t, "abs", queries * keys)
            };
            square("le")
        };
        let both = square("bitwise_and");
        drop((near, ones));
        both
    };
    let anywhere = flags(t, "ge", queries);
    let both = square("bitwise_and");
    drop((anywhere, near));
    both
}

//! Common parts of functions that work chunk by chunk.

use super::FlaVersion;
use super::packing::Chunks;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Tokens of a chunk.
pub(super) const CHUNK: u64 = 64;
/// The fewest tokens of a chunk.
const SMALLEST_CHUNK: u64 = 16;

/// Tokens of a chunk of the delta rule.
pub(super) const DELTA_CHUNK: u64 = 64;

/// Tokens of a chunk of a sequence of `tokens`.
pub(super) fn chunk_size(tokens: u64) -> u64 {
    tokens.next_power_of_two().clamp(SMALLEST_CHUNK, CHUNK)
}

impl Tape {
    /// One state `[K, V]` for each chunk of k `[B, T, H, K]` and v `[B, T, H, V]`, of which each
    /// sample packs `sequences` (`chunk_fwd_h` and `chunk_bwd_dh`, `fla/ops/common/chunk_h.py`).
    pub(super) fn chunk_states(
        &self,
        op: &'static str,
        k: &Tensor,
        v: &Tensor,
        dtype: DType,
        sequences: u64,
    ) -> Tensor {
        let chunks = sequences * (k.dim(1) / sequences).div_ceil(chunk_size(k.dim(1)));
        let shape = Shape::from([k.dim(0), chunks, k.dim(2), k.dim(3), v.dim(3)]);
        self.empty(op, shape, dtype)
    }

    /// The chunks of x `[B, T, ..]`, for which 0.6.0 asks first, by name.
    pub(super) fn chunk_indices_named(&self, x: &Tensor) {
        if self.backend().fla == FlaVersion::V060 {
            self.chunk_indices(Chunks::Named(CHUNK), x.dim(1));
        } else {
            self.chunk_indices(Chunks::Of(CHUNK), x.dim(1));
        }
    }

    /// One state for each of the sequences that the samples of k and v pack.
    pub(super) fn states_at_the_end(
        &self,
        op: &'static str,
        k: &Tensor,
        v: &Tensor,
        sequences: u64,
    ) {
        let count = k.dim(0) * sequences;
        self.final_state(op, Shape::from([count, v.dim(2), k.dim(3), v.dim(3)]));
    }

    /// The states of the delta rule, in the dtype of the keys (`chunk_gated_delta_rule_fwd_h`,
    /// `fla/ops/common/chunk_delta_h.py`).
    pub(super) fn delta_states(
        &self,
        op: &'static str,
        k: &Tensor,
        v: &Tensor,
        sequences: u64,
    ) -> Tensor {
        let chunks = sequences * (k.dim(1) / sequences).div_ceil(DELTA_CHUNK);
        let shape = Shape::from([k.dim(0), chunks, v.dim(2), k.dim(3), v.dim(3)]);
        self.empty(op, shape, k.dtype())
    }

    /// A number for each token, head and token of its chunk.
    pub(super) fn within_chunks(&self, op: &'static str, k: &Tensor, dtype: DType) -> Tensor {
        let shape = Shape::from([k.dim(0), k.dim(1), k.dim(2), chunk_size(k.dim(1))]);
        self.empty(op, shape, dtype)
    }
}

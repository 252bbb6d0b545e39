//! Sequences that are packed into rows without padding.

use crate::units::names;
use serde::{Deserialize, Serialize};

names! {
    /// How packed sequences are told apart.
    PackingKind {
        /// Each sample is one sequence.
        None = "none",
        /// By `position_ids` `[B, S]` that begin anew with each sequence.
        PositionIds = "position_ids",
        /// As TRL's `padding_free` collator does: one row with its positions, `cu_seq_lens` and
        /// `seq_idx`.
        PaddingFree = "padding_free",
    }
}

/// Rows of S tokens that hold several sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Packing {
    /// How they are told apart.
    pub kind: PackingKind,
    /// Sequences of a row, of equal length.
    pub sequences: u64,
}

impl Default for Packing {
    fn default() -> Self {
        Self {
            kind: PackingKind::None,
            sequences: 4,
        }
    }
}

impl Packing {
    /// Whether batches say where sequences begin.
    pub fn is_on(self) -> bool {
        self.kind != PackingKind::None
    }
}

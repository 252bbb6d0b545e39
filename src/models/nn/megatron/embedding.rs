//! The embedding (`core/models/common/embeddings/language_model_embedding.py`).

use super::modules::Modules;
use crate::tape::{Tape, Tensor};

/// `LanguageModelEmbedding` without positions, whose rows ranks divide.
pub(super) struct Embedding {
    pub(super) weight: Tensor,
    ranks: u64,
    parts: u64,
}

impl Embedding {
    pub(super) fn new(m: &Modules) -> Self {
        let config = &m.config;
        Self {
            weight: m.weight([config.vocab_size / config.tensor_ranks, config.hidden_size]),
            ranks: config.tensor_ranks,
            parts: config.sequence_parts(),
        }
    }

    /// Token ids `[B, S]` to `[S, B, H]`, or this rank's part of the sequence.
    pub(super) fn forward(&self, t: &Tape, ids: &Tensor) -> Tensor {
        let rows = if self.ranks > 1 {
            t.parallel_embedding(&self.weight, ids)
        } else {
            t.embedding(&self.weight, ids)
        };
        if self.parts > 1 {
            let scattered = {
                let rows = t.contiguous(&t.transpose(&{ rows }, 0, 1));
                t.scattered_first(&rows, self.parts)
            };
            return t.clone_contiguous(&scattered);
        }
        let rows = t.summed_in_place(&{ rows });
        t.contiguous(&t.transpose(&rows, 0, 1))
    }
}

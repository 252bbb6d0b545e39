//! Tokens predicted by the embedding's own table (`BertLMPredictionHead` and its like).

use super::layers::{LayerNorm, Linear};
use crate::tape::{Tape, Tensor};

/// A transformation of hidden states, and the table of tokens with a bias of its own.
pub(super) struct MaskedTokens {
    pub(super) dense: Linear,
    pub(super) layer_norm: LayerNorm,
    /// The embedding's table `[V, H]`.
    pub(super) weight: Tensor,
    pub(super) bias: Tensor,
}

impl MaskedTokens {
    /// Hidden states `[B, S, H]` to logits `[B, S, V]`.
    pub(super) fn forward(&self, t: &Tape, hidden: &Tensor) -> Tensor {
        let transformed = {
            let x = self.dense.forward(t, hidden);
            let x = t.gelu(&x);
            self.layer_norm.forward(t, &x)
        };
        t.linear(&transformed, &self.weight, Some(&self.bias))
    }
}

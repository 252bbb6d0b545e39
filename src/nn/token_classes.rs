//! A class for each token (`BertForTokenClassification` and its like).

use super::attention::dropped;
use super::builder::Builder;
use super::layers::Linear;
use crate::tape::{Tape, Tensor};

/// The linear layer over all tokens.
pub(super) struct TokenClasses {
    classifier: Linear,
    /// Whether what it reads is dropped out.
    dropout: bool,
}

impl TokenClasses {
    /// Of `hidden` columns, at the model `b`.
    pub(super) fn new(b: &Builder, hidden: u64, classes: u64, dropout: bool) -> Self {
        Self {
            classifier: Linear::new(&b.at("classifier"), hidden, classes, true),
            dropout,
        }
    }

    /// Hidden states `[B, S, H]` to logits `[B, S, classes]`, with what the classifier read, which stays
    /// in a local variable.
    pub(super) fn forward(&self, t: &Tape, hidden: &Tensor) -> (Tensor, Tensor) {
        let read = dropped(t, hidden.clone(), self.dropout);
        let logits = t.scoped("classifier", None, || self.classifier.forward(t, &read));
        (logits, read)
    }
}

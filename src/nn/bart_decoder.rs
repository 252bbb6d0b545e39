//! The decoder of BART and its kin alone (`BartForCausalLM` and its like, transformers 5.23). Attention to an
//! encoder is built, and has no gradients.

use super::attention::AttentionOptions;
use super::bart::Stack;
use super::builder::Builder;
use super::facts::Facts;
use super::layers::{Embedding, Linear};
use super::loss;
use super::model::Output;
use crate::spec::{BartConfig, ResolvedSpec};
use crate::tape::{Tape, Tensor};

/// `BartForCausalLM`.
pub(super) struct BartDecoder {
    embed_tokens: Embedding,
    decoder: Stack,
    lm_head: Linear,
}

impl BartDecoder {
    pub(super) fn new(b: &Builder, c: &BartConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions {
            dropout: c.dropout.attention,
            ..AttentionOptions::of(spec, facts)
        };
        let decoder = b.at("model").at("decoder");
        let table = decoder.at("embed_tokens");
        let embed_tokens = Embedding::of_input(&table, c.vocab_size, c.d_model).scaled();
        let decoder = Stack::new(&decoder, true, c, spec, options);
        let tied = c.tie_word_embeddings.then_some(&embed_tokens.weight);
        let lm_head = Linear::of_output(&b.at("lm_head"), c.d_model, c.vocab_size, tied);
        Self {
            embed_tokens,
            decoder,
            lm_head,
        }
    }

    /// Token ids `[B, S]` to logits `[B, S, V]` and the loss of labels that are not shifted.
    pub(super) fn forward(&self, t: &Tape, ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let decode = || self.decoder.forward(t, &self.embed_tokens, ids, None);
        let hidden = t.scoped("model.decoder", None, decode);
        let kept = self.decoder.kept_positions(t, &hidden);
        let logits = t.scoped("lm_head", None, || self.lm_head.forward(t, &kept));
        let loss = labels.map(|labels| loss::of_classes(t, &logits, labels));
        drop((hidden, kept));
        Output::of(logits, loss)
    }
}

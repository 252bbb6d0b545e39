//! The decoder of BART and its kin alone (`BartForCausalLM` and its like, transformers 5.23). Attention to an
//! encoder is built, and has no gradients.

use super::network::{Bart, Stack};
use crate::families::network::{Encoder, Net};
use crate::model::{BartConfig, ResolvedSpec};
use crate::nn::attention::AttentionOptions;
use crate::nn::build::{Builder, Embedding, Facts, Linear, Output};
use crate::nn::heads::loss;
use crate::tape::{Tape, Tensor};

/// `BartForCausalLM`.
pub(crate) struct BartDecoder {
    embed_tokens: Embedding,
    decoder: Stack,
    lm_head: Linear,
}

impl BartDecoder {
    pub(crate) fn new(b: &Builder, c: &BartConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
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
}

impl Encoder for BartDecoder {
    /// Token ids `[B, S]` to logits `[B, S, V]` and the loss of labels that are not shifted.
    fn forward(&self, t: &Tape, ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let decode = || self.decoder.forward(t, &self.embed_tokens, ids, None);
        let hidden = t.scoped("model.decoder", None, decode);
        let kept = self.decoder.kept_positions(t, &hidden);
        let logits = t.scoped("lm_head", None, || self.lm_head.forward(t, &kept));
        let loss = labels.map(|labels| loss::of_classes(t, &logits, labels));
        drop((hidden, kept));
        Output::of(logits, loss)
    }
}

/// Builds the model, or its decoder alone.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    let config: &BartConfig = spec.config();
    if config.alone {
        return Net::encoder(BartDecoder::new(b, config, spec, facts));
    }
    Net::seq2seq(Bart::new(b, config, spec, facts))
}

//! `T5Gemma` (`models/t5gemma/configuration_t5gemma.py` of transformers 5.23): an encoder and a decoder of
//! Gemma 2's layers.

use super::config_fields::ConfigFields;
use super::modules::{Module, embedding, linear, other, output};
use super::{DecoderConfig, DecoderType, gemma};
use serde_json::{Map, Value};

/// `T5Gemma` as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct T5GemmaConfig {
    /// The encoder's layers, whose tokens see those on both sides.
    pub encoder: DecoderConfig,
    /// The decoder's, each of which attends to the encoder's result, too.
    pub decoder: DecoderConfig,
    /// Whether dropout is active in training.
    pub dropout: bool,
    /// Whether the head is tied to the decoder's embedding.
    pub tie_word_embeddings: bool,
}

impl T5GemmaConfig {
    /// The larger of both stacks in each: H, F, V, A, D, a window and rows of positions.
    pub(super) fn sizes(&self) -> (u64, u64, u64, u64, u64, Option<u64>, u64) {
        let larger = |size: fn(&DecoderConfig) -> u64| size(&self.encoder).max(size(&self.decoder));
        (
            larger(|c| c.hidden_size),
            larger(|c| c.intermediate_size),
            larger(|c| c.vocab_size),
            larger(|c| c.num_attention_heads),
            larger(|c| c.head_dim),
            self.decoder.sliding_window,
            0,
        )
    }
}

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(super) fn read(fields: &mut ConfigFields<'_>) -> T5GemmaConfig {
    let nothing = Map::new();
    let attention = fields.drops("attention_dropout", false);
    let mut stack = |name: &str, key| {
        let part = match fields.get(name) {
            Some(Value::Object(part)) => part,
            _ => &nothing,
        };
        let mut part = ConfigFields::new(part, &nothing, key);
        let mut config = gemma::read(DecoderType::Gemma2, &mut part);
        config.dropout.attention = attention;
        for finding in part.into_findings() {
            fields.push(finding);
        }
        config
    };
    T5GemmaConfig {
        encoder: stack("encoder", "model.hf_config.encoder"),
        decoder: stack("decoder", "model.hf_config.decoder"),
        dropout: fields.drops("dropout_rate", false),
        tie_word_embeddings: fields.flag("tie_word_embeddings", true),
    }
}

/// All modules with parameters, in the order in which they are built.
pub(super) fn modules(c: &T5GemmaConfig) -> Vec<Module> {
    let mut all = Vec::new();
    for (stack, config, crosses) in [
        ("encoder", &c.encoder, false),
        ("decoder", &c.decoder, true),
    ] {
        let stack = format!("model.{stack}");
        all.push(embedding(format!("{stack}.embed_tokens")));
        all.push(other(format!("{stack}.norm")));
        for layer in 0..config.num_hidden_layers {
            let at = |name: String| format!("{stack}.layers.{layer}.{name}");
            let mut sublayer = |name: &str, projections: &[&str], bias: bool, norms: &str| {
                let path = |part: &&str| linear(at(format!("{name}.{part}")), bias);
                all.extend(projections.iter().map(path));
                all.extend(
                    ["pre", "post"].map(|when| other(at(format!("{when}_{norms}_layernorm")))),
                );
            };
            let (attention, bias) = (
                ["q_proj", "k_proj", "v_proj", "o_proj"],
                config.attention_bias,
            );
            sublayer("self_attn", &attention, bias, "self_attn");
            sublayer(
                "mlp",
                &["gate_proj", "up_proj", "down_proj"],
                false,
                "feedforward",
            );
            if crosses {
                sublayer("cross_attn", &attention, bias, "cross_attn");
            }
        }
    }
    all.push(output("lm_head.out_proj", c.tie_word_embeddings));
    all
}

//! `T5Gemma` (`models/t5gemma/configuration_t5gemma.py` of transformers 5.23): an encoder and a decoder of
//! Gemma 2's layers.

use crate::families::gemma::GEMMA2;
use crate::families::gemma::reader as gemma;
use crate::model::ConfigFields;
use crate::model::{Family, Module, T5GemmaConfig, embedding, linear, other, output};
use serde_json::{Map, Value};

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> T5GemmaConfig {
    let nothing = Map::new();
    let attention = fields.drops("attention_dropout", false);
    let mut stack = |name: &str, key| {
        let part = match fields.get(name) {
            Some(Value::Object(part)) => part,
            _ => &nothing,
        };
        let mut part = ConfigFields::new(part, &nothing, key);
        let mut config = gemma::read(&GEMMA2, &mut part);
        config.dropout.attention = attention;
        for finding in part.into_findings() {
            fields.push(finding);
        }
        config
    };
    T5GemmaConfig {
        family,
        encoder: stack("encoder", "model.hf_config.encoder"),
        decoder: stack("decoder", "model.hf_config.decoder"),
        dropout: fields.drops("dropout_rate", false),
        tie_word_embeddings: fields.flag("tie_word_embeddings", true),
    }
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(c: &T5GemmaConfig) -> Vec<Module> {
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

//! `EuroBERT` (`models/eurobert/configuration_eurobert.py` of transformers 5.23).

use crate::ask::{Finding, HEADS, LAYERS, VOCABULARY, WIDTH, message};
use crate::model::ConfigFields;
use crate::model::{EuroBertConfig, Family, Pooling};

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> EuroBertConfig {
    let hidden_size = fields.optional("hidden_size", &WIDTH, 768);
    let heads = fields.optional("num_attention_heads", &HEADS, 12);
    let head_dim = fields.divided(hidden_size, heads, "num_attention_heads");
    fields.check_activation("hidden_act", &["silu", "swish"]);
    EuroBertConfig {
        family,
        hidden_size,
        intermediate_size: fields.optional("intermediate_size", &WIDTH, 3072),
        num_hidden_layers: fields.optional("num_hidden_layers", &LAYERS, 12),
        num_attention_heads: heads,
        num_key_value_heads: fields.shared_heads(heads, heads),
        head_dim: fields.optional("head_dim", &WIDTH, head_dim),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 128_256),
        attention_bias: fields.flag("attention_bias", false),
        mlp_bias: fields.flag("mlp_bias", false),
        attention_dropout: fields.drops("attention_dropout", false),
        tie_word_embeddings: fields.flag("tie_word_embeddings", false),
        pooling: pooling(fields),
        num_labels: fields.labels(2),
    }
}

fn pooling(fields: &mut ConfigFields<'_>) -> Pooling {
    match fields.text("classifier_pooling").unwrap_or("late") {
        "late" => Pooling::Late,
        "mean" => Pooling::Mean,
        "bos" => Pooling::First,
        name => {
            let key = fields.key("classifier_pooling");
            fields.push(
                Finding::error(&key, message!(eurobert::pooling, name)).with_fix(&key, "late"),
            );
            Pooling::Late
        }
    }
}

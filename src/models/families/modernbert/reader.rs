//! `ModernBERT` (`models/modernbert/configuration_modernbert.py` of transformers 5.23, 4.51 and 4.48) and its
//! decoder (`models/modernbert_decoder` of 5.23).

use crate::ask::{Finding, HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH, message};
use crate::model::ConfigFields;
use crate::model::{Dropout, Family, ModernBertBiases, ModernBertConfig};

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(
    family: &'static Family,
    decoder: bool,
    fields: &mut ConfigFields<'_>,
) -> ModernBertConfig {
    let hidden_size = fields.optional("hidden_size", &WIDTH, 768);
    let heads = fields.optional("num_attention_heads", &HEADS, 12);
    let layers = fields.optional("num_hidden_layers", &LAYERS, 22);
    let every = fields.optional("global_attn_every_n_layers", &LAYERS, 3);
    if !decoder && fields.flag("sparse_prediction", false) {
        let key = fields.key("sparse_prediction");
        fields.push(
            Finding::error(&key, message!(modernbert::sparse_prediction)).with_fix(&key, false),
        );
    }
    ModernBertConfig {
        family,
        decoder,
        hidden_size,
        intermediate_size: fields.optional("intermediate_size", &WIDTH, 1152),
        num_attention_heads: heads,
        head_dim: fields.divided(hidden_size, heads, "num_attention_heads"),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 50_368),
        windowed: fields.windowed_layers(layers, |layer| layer % every != 0),
        window: fields.optional("local_attention", &SEQ_LEN, 128) / 2,
        biases: ModernBertBiases {
            attention: fields.flag("attention_bias", false),
            mlp: fields.flag("mlp_bias", false),
            norm: fields.flag("norm_bias", false),
            classifier: fields.flag("classifier_bias", false),
            decoder: fields.flag("decoder_bias", true),
        },
        activation: fields.activation("hidden_activation", "gelu"),
        classifier_activation: fields.activation("classifier_activation", "gelu"),
        dropout: Dropout {
            embedding: fields.drops("embedding_dropout", false),
            attention: fields.drops("attention_dropout", false),
            residual: fields.drops("mlp_dropout", false),
        },
        classifier_dropout: fields.drops("classifier_dropout", false),
        mean_pooling: fields.text("classifier_pooling") == Some("mean"),
        tie_word_embeddings: fields.flag("tie_word_embeddings", true),
        compiled: fields.flag("reference_compile", true),
        num_labels: fields.labels(2),
    }
}

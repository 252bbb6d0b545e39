//! `NomicBERT` (`models/nomic_bert/configuration_nomic_bert.py` of transformers 5.23): BERT with rotary
//! positions and gated feed-forward layers.

use crate::ask::{HEADS, LAYERS, VOCABULARY, WIDTH};
use crate::model::ConfigFields;
use crate::model::{Activation, BertConfig, BertKind, Dropout, Family};

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> BertConfig {
    let hidden_size = fields.optional("hidden_size", &WIDTH, 768);
    let heads = fields.optional("num_attention_heads", &HEADS, 12);
    let hidden = fields.drops("hidden_dropout_prob", false);
    fields.check_activation("hidden_act", &["silu"]);
    let head_dim = if fields.get("head_dim").is_some() {
        fields.optional("head_dim", &WIDTH, 64)
    } else {
        fields.divided(hidden_size, heads, "num_attention_heads")
    };
    BertConfig {
        family,
        kind: BertKind::Nomic,
        hidden_size,
        embedding_size: hidden_size,
        output_embedding_size: hidden_size,
        rotary_value: false,
        intermediate_size: fields.optional("intermediate_size", &WIDTH, 3072),
        num_hidden_layers: fields.optional("num_hidden_layers", &LAYERS, 12),
        num_attention_heads: heads,
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 30_528),
        max_position_embeddings: fields.optional("max_position_embeddings", &VOCABULARY, 2048),
        type_vocab_size: fields.optional("type_vocab_size", &VOCABULARY, 2),
        task_type_vocab_size: 0,
        activation: Activation::Silu,
        dropout: Dropout {
            embedding: hidden,
            attention: fields.drops("attention_probs_dropout_prob", false),
            residual: hidden,
        },
        classifier_dropout: fields.drops("classifier_dropout", hidden),
        num_labels: fields.labels(2),
        page_positions: 0,
        buckets: 0,
        relative: None,
        esm: None,
    }
}

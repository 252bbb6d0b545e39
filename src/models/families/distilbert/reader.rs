//! `DistilBERT` (`models/distilbert/configuration_distilbert.py` of transformers 5.23 and 4.51).

use crate::ask::{HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use crate::model::ConfigFields;
use crate::model::{DistilBertConfig, Dropout, Family};

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DistilBertConfig {
    let dim = fields.optional("dim", &WIDTH, 768);
    let n_heads = fields.optional("n_heads", &HEADS, 12);
    let dropped = fields.drops("dropout", true);
    DistilBertConfig {
        family,
        dim,
        hidden_dim: fields.optional("hidden_dim", &WIDTH, 3072),
        n_layers: fields.optional("n_layers", &LAYERS, 6),
        n_heads,
        head_dim: fields.divided(dim, n_heads, "n_heads"),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 30_522),
        max_position_embeddings: fields.optional("max_position_embeddings", &SEQ_LEN, 512),
        activation: fields.activation("activation", "gelu"),
        dropout: Dropout {
            embedding: dropped,
            attention: fields.drops("attention_dropout", true),
            residual: dropped,
        },
        classifier_dropout: fields.drops("seq_classif_dropout", true),
        qa_dropout: fields.drops("qa_dropout", true),
        num_labels: fields.labels(2),
    }
}

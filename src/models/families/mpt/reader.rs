//! MPT's config (`models/mpt` of transformers 5.23).

use crate::ask::{HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{DecoderConfig, Dropout};
use serde_json::Value;

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let sizes = &family.sizes;
    let hidden_size = fields.named(&["d_model", "hidden_size"], &WIDTH, sizes.hidden);
    let heads = fields.named(&["n_heads", "num_attention_heads"], &HEADS, sizes.heads);
    let attention = fields.get("attn_config").and_then(Value::as_object);
    let number = |field| attention.and_then(|a| a.get(field)).and_then(Value::as_f64);
    let drops = number("attn_pdrop").is_some_and(|p| p > 0.0);
    let clips = number("clip_qkv").is_some_and(|limit| limit != 0.0);
    DecoderConfig {
        num_labels: fields.labels(2),
        head_dim: fields.divided(hidden_size, heads, "n_heads"),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", family.options.tied),
        position_rows: fields.optional("max_seq_len", &SEQ_LEN, 2048),
        alibi: true,
        clips_heads: clips,
        dropout: Dropout {
            embedding: false,
            attention: drops,
            residual: drops,
        },
        ..DecoderConfig::plain(
            family,
            hidden_size,
            fields.named(&["n_layers", "num_hidden_layers"], &LAYERS, sizes.layers),
            heads,
        )
    }
}

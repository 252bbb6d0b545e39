//! The config of Llama 4's text part (`models/llama4/configuration_llama4.py` of transformers 5.23).

use super::windows;
use crate::ask::{HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use crate::families::reading::experts;
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{DecoderConfig, DecoderType, Dropout};

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let hidden = fields.optional("hidden_size", &WIDTH, 5120);
    let layers = fields.optional("num_hidden_layers", &LAYERS, 48);
    let heads = fields.optional("num_attention_heads", &HEADS, 40);
    let head_dim = fields.optional("head_dim", &WIDTH, 128);
    fields.check_activation("hidden_act", &["silu", "swish"]);
    let expert_size = fields.optional("intermediate_size", &WIDTH, 8192);
    let unturned = windows::unturned_by_config(layers, fields);
    // Layers that are turned see a chunk of the sequence only.
    let turned = |layer: u64| usize::try_from(layer).is_ok_and(|layer| !unturned[layer]);
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("intermediate_size_mlp", &WIDTH, 16_384),
        num_key_value_heads: fields.shared_heads(heads, 8.min(heads)),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 202_048),
        tie_word_embeddings: fields.flag("tie_word_embeddings", false),
        rotary_dim: head_dim,
        attention_bias: fields.flag("attention_bias", false),
        head_norms: fields.flag("use_qk_norm", true),
        scales_queries: fields.flag("attn_temperature_tuning", true),
        windowed: fields.windowed_layers(layers, turned),
        unturned,
        sliding_window: Some(fields.optional("attention_chunk_size", &SEQ_LEN, 8192)),
        dropout: Dropout {
            attention: fields.drops("attention_dropout", false),
            ..Dropout::default()
        },
        experts: experts::read(DecoderType::Llama4, layers, expert_size, fields),
        ..DecoderConfig::plain(family, hidden, layers, heads)
    }
}

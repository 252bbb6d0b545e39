//! The config of Llama 4's text part (`models/llama4/configuration_llama4.py` of transformers 5.23).

use crate::ask::{HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use crate::families::reading::{experts, layer_lists, options};
use crate::model::ConfigFields;
use crate::model::DecoderConfig;
use crate::model::Family;

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let layers = fields.optional("num_hidden_layers", &LAYERS, sizes.layers);
    let heads = fields.optional("num_attention_heads", &HEADS, sizes.heads);
    let head_dim = options::head_dim(
        sizes.head_dim,
        [hidden, heads],
        "num_attention_heads",
        fields,
    );
    fields.check_activation("hidden_act", &["silu", "swish"]);
    let expert_size = fields.optional("intermediate_size", &WIDTH, sizes.inner);
    let unturned = layer_lists::unturned(layers, fields);
    // Layers that are rotated see a chunk of the sequence only.
    let rotated = |layer: u64| usize::try_from(layer).is_ok_and(|layer| !unturned[layer]);
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("intermediate_size_mlp", &WIDTH, 16_384),
        num_key_value_heads: fields.shared_heads(heads, sizes.kv_heads.unwrap_or(heads).min(heads)),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        rotary_dim: head_dim,
        attention_bias: options::biases(&rules.biases, fields).output,
        head_norms: options::holds(rules.head_norms, fields),
        scales_queries: fields.flag("attn_temperature_tuning", true),
        windowed: fields.windowed_layers(layers, rotated),
        unturned,
        sliding_window: Some(fields.optional("attention_chunk_size", &SEQ_LEN, 8192)),
        dropout: options::dropout(&rules.dropout, fields),
        experts: experts::read(family.experts.as_ref(), layers, expert_size, fields),
        ..DecoderConfig::plain(family, hidden, layers, heads)
    }
}

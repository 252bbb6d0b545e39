//! BLOOM's config (`models/bloom` of transformers 5.23).

use crate::ask::{HEADS, LAYERS, VOCABULARY, WIDTH};
use crate::families::reading::options;
use crate::model::ConfigFields;
use crate::model::DecoderConfig;
use crate::model::Family;

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden_size = fields.named(&["n_embed", "hidden_size"], &WIDTH, sizes.hidden);
    let heads = fields.named(&["n_head", "num_attention_heads"], &HEADS, sizes.heads);
    DecoderConfig {
        num_labels: fields.labels(2),
        head_dim: fields.divided(hidden_size, heads, "n_head"),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        attention_bias: options::biases(&rules.biases, fields).output,
        alibi: true,
        residual_after_norm: fields.flag("apply_residual_connection_post_layernorm", false),
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(
            family,
            hidden_size,
            fields.named(&["n_layer", "num_hidden_layers"], &LAYERS, sizes.layers),
            heads,
        )
    }
}

//! Phi's config (`models/phi` of transformers 5.23).

use crate::ask::{HEADS, LAYERS, VOCABULARY, WIDTH};
use crate::families::reading::options;
use crate::model::ConfigFields;
use crate::model::DecoderConfig;
use crate::model::Family;

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden_size = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let num_attention_heads = fields.optional("num_attention_heads", &HEADS, sizes.heads);
    let head_dim = fields.divided(hidden_size, num_attention_heads, "num_attention_heads");
    fields.check_activation("hidden_act", &["gelu_new"]);
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("intermediate_size", &WIDTH, sizes.inner),
        num_key_value_heads: fields.shared_heads(num_attention_heads, num_attention_heads),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        rotary_dim: options::rotary_columns(rules.rotary_columns, head_dim, fields),
        attention_bias: options::biases(&rules.biases, fields).output,
        parallel_residual: options::holds(rules.parallel_residual, fields),
        head_norms: options::holds(rules.head_norms, fields),
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(
            family,
            hidden_size,
            fields.optional("num_hidden_layers", &LAYERS, sizes.layers),
            num_attention_heads,
        )
    }
}

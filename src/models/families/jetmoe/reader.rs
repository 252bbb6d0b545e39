//! The config of `JetMoE` (`models/jetmoe` of transformers 5.23), whose attention is a mixture of
//! experts, too.

use crate::ask::{HEADS, LAYERS, VOCABULARY, WIDTH};
use crate::families::reading::{experts, options};
use crate::model::ConfigFields;
use crate::model::DecoderConfig;
use crate::model::Family;

/// Reads the config with transformers' defaults for absent fields. An expert of attention has as many
/// heads as there are of keys and values.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let layers = fields.optional("num_hidden_layers", &LAYERS, sizes.layers);
    let shared = fields.optional("num_key_value_heads", &HEADS, sizes.heads);
    let head_dim = fields.optional("kv_channels", &WIDTH, 128);
    let width = fields.optional("intermediate_size", &WIDTH, sizes.inner);
    fields.check_activation("activation_function", &["silu", "swish"]);
    let experts = experts::read(family.experts.as_ref(), layers, width, fields);
    let per_token = experts.as_ref().map_or(1, |experts| experts.per_token);
    DecoderConfig {
        num_labels: fields.labels(2),
        num_key_value_heads: shared,
        head_dim,
        rotary_dim: head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        intermediate_size: width,
        experts,
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(family, hidden, layers, shared * per_token)
    }
}

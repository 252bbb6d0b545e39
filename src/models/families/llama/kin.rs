//! The configs of decoders that differ from Llama in few things
//! (`models/*/configuration_*.py` of transformers 5.23).

use crate::ask::{HEADS, LAYERS, VOCABULARY, WIDTH};
use crate::families::reading::{experts, options, window};
use crate::model::{ConfigFields, DecoderConfig, Family, Flag};

/// Reads the config by the rules of its family, with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden_size = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let heads = fields.optional("num_attention_heads", &HEADS, sizes.heads);
    let layers = fields.optional("num_hidden_layers", &LAYERS, sizes.layers);
    let names_heads = "num_attention_heads";
    let head_dim = options::head_dim(sizes.head_dim, [hidden_size, heads], names_heads, fields);
    let biased = options::biases(&rules.biases, fields);
    let windows = window::read(&family.window, layers, fields);
    let unturned = window::unturned(rules.rotary_layers, layers, &windows, fields);
    let intermediate_size = fields.optional("intermediate_size", &WIDTH, sizes.inner);
    let unshared = sizes.null_is_unshared && fields.is_null("num_key_value_heads");
    let kv_heads = sizes.kv_heads.filter(|_| !unshared).unwrap_or(heads);
    let is = |flag: Flag, fields: &mut ConfigFields<'_>| options::holds(flag, fields);
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size,
        experts: experts::read(family.experts.as_ref(), layers, intermediate_size, fields),
        num_key_value_heads: fields.shared_heads(heads, kv_heads),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        head_bias: if rules.head_bias == rules.biases.mlp {
            biased.mlp
        } else {
            is(rules.head_bias, fields)
        },
        rotary_dim: options::rotary_columns(rules.rotary_columns, head_dim, fields),
        attention_bias: biased.output,
        qkv_bias: biased.qkv,
        mlp_bias: biased.mlp,
        activation: options::function(rules.function, fields),
        head_norms: is(rules.head_norms, fields),
        clips_heads: is(rules.clips_heads, fields),
        post_norms: is(rules.post_norms, fields),
        scales_queries: rules.scales_queries,
        scales_embedding: is(rules.scales_embedding, fields),
        final_softcap: is(rules.final_softcap, fields),
        root_norms: is(rules.root_norms, fields),
        unturned,
        parallel_residual: is(rules.parallel_residual, fields),
        sliding_window: windows.width,
        windowed: windows.layers,
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(family, hidden_size, layers, heads)
    }
}

//! The configs of OPT, `BioGPT` and XGLM (`models/{opt,biogpt,xglm}` of transformers 5.23).

use crate::ask::{Finding, HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH, message};
use crate::families::reading::options;
use crate::model::ConfigFields;
use crate::model::DecoderConfig;
use crate::model::Family;

/// Rows of the table of positions before the first (`OPTLearnedPositionalEmbedding.offset`).
const POSITION_OFFSET: u64 = 2;

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden_size = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let num_attention_heads = fields.optional("num_attention_heads", &HEADS, sizes.heads);
    fields.check_activation("activation_function", &["relu"]);
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("ffn_dim", &WIDTH, sizes.inner),
        embedding_size: fields.optional("word_embed_proj_dim", &WIDTH, hidden_size),
        head_dim: fields.divided(hidden_size, num_attention_heads, "num_attention_heads"),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        position_rows: fields.optional("max_position_embeddings", &SEQ_LEN, 2048) + POSITION_OFFSET,
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        attention_bias: options::biases(&rules.biases, fields).output,
        norm_after: !fields.flag("do_layer_norm_before", true),
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(
            family,
            hidden_size,
            fields.optional("num_hidden_layers", &LAYERS, sizes.layers),
            num_attention_heads,
        )
    }
}

/// Reads `BioGPT`.
pub(crate) fn read_biogpt(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden_size = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let num_attention_heads = fields.optional("num_attention_heads", &HEADS, sizes.heads);
    drops_nothing_else(fields, "BioGPT");
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("intermediate_size", &WIDTH, sizes.inner),
        head_dim: fields.divided(hidden_size, num_attention_heads, "num_attention_heads"),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        position_rows: fields.optional("max_position_embeddings", &SEQ_LEN, 1024) + POSITION_OFFSET,
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        attention_bias: options::biases(&rules.biases, fields).output,
        activation: options::function(rules.function, fields),
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(
            family,
            hidden_size,
            fields.optional("num_hidden_layers", &LAYERS, sizes.layers),
            num_attention_heads,
        )
    }
}

/// Refuses dropout of layers and behind activations.
fn drops_nothing_else(fields: &mut ConfigFields<'_>, name: &str) {
    for (field, why) in [
        ("layerdrop", message!(opt::layerdrop, name)),
        (
            "activation_dropout",
            message!(opt::activation_dropout, name),
        ),
    ] {
        if fields.drops(field, false) {
            let key = fields.key(field);
            fields.push(Finding::error(&key, why).with_fix(&key, 0));
        }
    }
}

/// Reads XGLM, whose positions are sines.
pub(crate) fn read_xglm(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden_size = fields.optional("d_model", &WIDTH, sizes.hidden);
    let num_attention_heads = fields.optional("attention_heads", &HEADS, sizes.heads);
    drops_nothing_else(fields, "XGLM");
    DecoderConfig {
        intermediate_size: fields.optional("ffn_dim", &WIDTH, sizes.inner),
        head_dim: fields.divided(hidden_size, num_attention_heads, "attention_heads"),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        position_rows: fields.optional("max_position_embeddings", &SEQ_LEN, 2048) + POSITION_OFFSET,
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        attention_bias: options::biases(&rules.biases, fields).output,
        activation: options::function(rules.function, fields),
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(
            family,
            hidden_size,
            fields.optional("num_layers", &LAYERS, sizes.layers),
            num_attention_heads,
        )
    }
}

//! The configs of GPT-2, `GPTBigCode`, GPT-Neo, GPT-J and `CodeGen`
//! (`models/{gpt2,gpt_bigcode,gpt_neo,gptj,codegen}` of transformers 5.23).

use crate::ask::{HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use crate::families::reading::options;
use crate::model::{ConfigFields, DecoderConfig, Family};

/// Reads the config by the rules of its family, with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden_size = fields.named(&["n_embd", "hidden_size"], &WIDTH, sizes.hidden);
    let heads = fields.named(&["n_head", "num_attention_heads"], &HEADS, sizes.heads);
    let layers = fields.named(&["n_layer", "num_hidden_layers"], &LAYERS, sizes.layers);
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("n_inner", &WIDTH, 4 * hidden_size),
        activation: options::function(rules.function, fields),
        head_dim: fields.divided(hidden_size, heads, "n_head"),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        position_rows: fields.named(&["n_positions", "max_position_embeddings"], &SEQ_LEN, 1024),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(family, hidden_size, layers, heads)
    }
}

/// Reads models with more names for each field, of which `names_heads` is that of the heads.
pub(crate) fn read_wide(
    family: &'static Family,
    names_heads: &str,
    fields: &mut ConfigFields<'_>,
) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden_size = fields.named(&["n_embd", "hidden_size"], &WIDTH, sizes.hidden);
    let heads = &["n_head", "num_heads", "num_attention_heads"];
    let heads = fields.named(heads, &HEADS, sizes.heads);
    let layers = &["n_layer", "num_layers", "num_hidden_layers"];
    let layers = fields.named(layers, &LAYERS, sizes.layers);
    let inner = &["n_inner", "intermediate_size"];
    let head_dim = fields.divided(hidden_size, heads, names_heads);
    DecoderConfig {
        intermediate_size: fields.named(inner, &WIDTH, 4 * hidden_size),
        activation: options::function(rules.function, fields),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        position_rows: fields.named(&["n_positions", "max_position_embeddings"], &SEQ_LEN, 2048),
        rotary_dim: options::rotary_columns(rules.rotary_columns, head_dim, fields),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        parallel_residual: options::holds(rules.parallel_residual, fields),
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(family, hidden_size, layers, heads)
    }
}

//! The configs of Gemma, Gemma 2, the text parts of Gemma 3, 3n and 4, and `VaultGemma`
//! (`models/{gemma,gemma2,gemma3,gemma3n,gemma4,vaultgemma}` of transformers 5.23).

use crate::ask::{HEADS, LAYERS, VOCABULARY, WIDTH};
use crate::families::reading::{options, window};
use crate::model::{ConfigFields, DecoderConfig, Family};

/// Reads the config by the rules of its family, with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden_size = fields.optional("hidden_size", &WIDTH, sizes.hidden);
    let layers = fields.optional("num_hidden_layers", &LAYERS, sizes.layers);
    let heads = fields.optional("num_attention_heads", &HEADS, sizes.heads);
    let head_dim = options::head_dim(
        sizes.head_dim,
        [hidden_size, heads],
        "num_attention_heads",
        fields,
    );
    let windows = window::read(&family.window, layers, fields);
    let biased = options::biases(&rules.biases, fields);
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("intermediate_size", &WIDTH, sizes.inner),
        num_key_value_heads: fields.shared_heads(heads, sizes.kv_heads.unwrap_or(heads)),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, sizes.vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", rules.tied),
        rotary_dim: options::rotary_columns(rules.rotary_columns, head_dim, fields),
        attention_bias: biased.output,
        activation: options::function(rules.function, fields),
        attention_softcap: options::holds(rules.attention_softcap, fields),
        final_softcap: options::holds(rules.final_softcap, fields),
        sliding_window: windows.width,
        windowed: windows.layers,
        dropout: options::dropout(&rules.dropout, fields),
        ..DecoderConfig::plain(family, hidden_size, layers, heads)
    }
}

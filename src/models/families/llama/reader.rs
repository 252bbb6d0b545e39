//! Reading the config of a Llama-like model, with transformers' defaults for absent fields
//! (`models/{llama,mistral,qwen2,qwen3}/configuration_*.py` of transformers 5.23).

use crate::ask::{Finding, HEADS, LAYERS, VOCABULARY, WIDTH, message};
use crate::families::reading::{experts, options, window};
use crate::model::{Activation, ConfigFields, DecoderConfig, Family, HeadDim, Sizes};

/// Reads a Llama-like config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let (sizes, rules) = (&family.sizes, &family.options);
    let hidden_size = fields.required("hidden_size", &WIDTH, sizes.hidden);
    let intermediate_size = fields.required("intermediate_size", &WIDTH, sizes.inner);
    let layers = fields.required("num_hidden_layers", &LAYERS, sizes.layers);
    let heads = fields.required("num_attention_heads", &HEADS, sizes.heads);
    let vocab_size = fields.required("vocab_size", &VOCABULARY, sizes.vocabulary);
    let num_key_value_heads = key_value_heads(sizes, heads, fields);
    let head_dim = head_dim(sizes, hidden_size, heads, fields);
    let experts = experts::read(family.experts.as_ref(), layers, intermediate_size, fields);
    let known = ["silu", "swish", "relu", "gelu", "gelu_pytorch_tanh"];
    // Experts are estimated with silu.
    let known = if experts.is_some() {
        &known[..2]
    } else {
        &known[..]
    };
    fields.check_activation("hidden_act", known);
    let activation = match fields.text("hidden_act").and_then(Activation::named) {
        Some(named @ (Activation::Relu | Activation::Gelu)) if experts.is_none() => named,
        _ => Activation::Silu,
    };
    let windows = window::read(&family.window, layers, fields);
    let num_labels = fields.labels(2);
    let tie_word_embeddings = fields.flag("tie_word_embeddings", rules.tied);
    let biased = options::biases(&rules.biases, fields);
    DecoderConfig {
        num_labels,
        intermediate_size,
        num_key_value_heads,
        head_dim,
        vocab_size,
        tie_word_embeddings,
        rotary_dim: head_dim,
        attention_bias: biased.output,
        qkv_bias: biased.qkv,
        mlp_bias: biased.mlp,
        sliding_window: windows.width,
        idle_window: windows.idle,
        windowed: windows.layers,
        dropout: options::dropout(&rules.dropout, fields),
        clips_heads: options::holds(rules.clips_heads, fields),
        activation,
        experts,
        ..DecoderConfig::plain(family, hidden_size, layers, heads)
    }
}

/// Key-value heads, which every one of must serve the same number of attention heads.
fn key_value_heads(sizes: &Sizes, heads: u64, fields: &mut ConfigFields<'_>) -> u64 {
    let default = sizes.kv_heads.unwrap_or(heads);
    let kv_heads = fields.optional("num_key_value_heads", &HEADS, default);
    if !heads.is_multiple_of(kv_heads) {
        let key = fields.key("num_key_value_heads");
        let nearest = nearest_divisor(heads, kv_heads);
        fields.push(
            Finding::error(&key, message!(llama::shared_heads, heads, kv_heads))
                .with_fix(&key, nearest),
        );
        return heads;
    }
    kv_heads
}

/// Columns of one head: given, or the hidden size divided by the heads.
fn head_dim(sizes: &Sizes, hidden: u64, heads: u64, fields: &mut ConfigFields<'_>) -> u64 {
    let default = match sizes.head_dim {
        HeadDim::Of(default) => Some(default),
        _ => None,
    };
    if let (None, None) = (fields.get("head_dim"), default)
        && !hidden.is_multiple_of(heads)
    {
        let key = fields.key("num_attention_heads");
        fields.push(
            Finding::error(&key, message!(llama::divided_heads, hidden, heads))
                .with_fix(&key, nearest_divisor(hidden, heads)),
        );
        return 1;
    }
    let dim = fields.optional("head_dim", &WIDTH, default.unwrap_or(hidden / heads));
    if !dim.is_multiple_of(2) {
        // Rotary embeddings rotate pairs of columns.
        let key = fields.key("head_dim");
        fields.push(Finding::error(&key, message!(llama::odd_head, dim)).with_fix(&key, dim + 1));
    }
    dim
}

/// The divisor of `number` nearest to `wanted`, which both are some number of heads.
fn nearest_divisor(number: u64, wanted: u64) -> u64 {
    let smaller = (1..=wanted.min(number))
        .rev()
        .find(|d| number.is_multiple_of(*d))
        .unwrap_or(1);
    (wanted..(2 * wanted - smaller).min(*HEADS.end()))
        .find(|d| number.is_multiple_of(*d))
        .unwrap_or(smaller)
}

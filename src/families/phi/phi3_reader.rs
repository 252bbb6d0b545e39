//! Phi-3's config and modules (`models/phi3` of transformers 5.23).

use crate::ask::{HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{DecoderConfig, Dropout, Module, embedding, linear, other, output};

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let hidden_size = fields.optional("hidden_size", &WIDTH, 3072);
    let num_attention_heads = fields.optional("num_attention_heads", &HEADS, 32);
    let num_hidden_layers = fields.optional("num_hidden_layers", &LAYERS, 32);
    let head_dim = fields.divided(hidden_size, num_attention_heads, "num_attention_heads");
    fields.check_activation("hidden_act", &["silu", "swish"]);
    let given = fields.get("sliding_window").is_some();
    let window = given.then(|| fields.optional("sliding_window", &SEQ_LEN, 2047));
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("intermediate_size", &WIDTH, 8192),
        num_key_value_heads: fields.shared_heads(num_attention_heads, num_attention_heads),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 32_064),
        tie_word_embeddings: fields.flag("tie_word_embeddings", false),
        rotary_dim: fields.turned(head_dim, "partial_rotary_factor", 1000),
        sliding_window: window,
        windowed: window
            .map(|_| fields.windowed_layers(num_hidden_layers, |_| true))
            .unwrap_or_default(),
        dropout: Dropout {
            // `embd_pdrop` is read by nobody.
            embedding: false,
            attention: fields.drops("attention_dropout", false),
            residual: fields.drops("resid_pdrop", false),
        },
        ..DecoderConfig::plain(family, hidden_size, num_hidden_layers, num_attention_heads)
    }
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(config: &DecoderConfig) -> Vec<Module> {
    let mut all = vec![embedding("model.embed_tokens")];
    for layer in 0..config.num_hidden_layers {
        let at = |name| format!("model.layers.{layer}.{name}");
        all.extend([
            linear(at("self_attn.o_proj"), false),
            linear(at("self_attn.qkv_proj"), false),
            linear(at("mlp.gate_up_proj"), false),
            linear(at("mlp.down_proj"), false),
            other(at("input_layernorm")),
            other(at("post_attention_layernorm")),
        ]);
    }
    all.push(other("model.norm"));
    all.push(output("lm_head", config.tie_word_embeddings));
    all
}

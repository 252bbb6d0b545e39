//! The configs and modules of Gemma, Gemma 2 and the text part of Gemma 3
//! (`models/{gemma,gemma2,gemma3}` of transformers 5.23).

use super::config_fields::ConfigFields;
use super::limits::{HEADS, LAYERS, SEQ_LEN, VOCABULARY, WIDTH};
use super::modules::{Module, embedding, linear, other, output};
use super::{Activation, DecoderConfig, DecoderType, Dropout};

/// Defaults by which the members differ: H, F, L, A, K, D, V.
fn defaults(model_type: DecoderType) -> [u64; 7] {
    match model_type {
        DecoderType::Gemma2 => [2304, 9216, 26, 8, 4, 256, 256_000],
        DecoderType::Gemma3 => [2304, 9216, 26, 8, 4, 256, 262_208],
        _ => [3072, 24_576, 28, 16, 16, 256, 256_000],
    }
}

/// Reads the config with transformers' defaults for absent fields.
pub(super) fn read(model_type: DecoderType, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let [
        hidden,
        intermediate,
        layers,
        heads,
        kv_heads,
        head_dim,
        vocabulary,
    ] = defaults(model_type);
    let num_hidden_layers = fields.optional("num_hidden_layers", &LAYERS, layers);
    let num_attention_heads = fields.optional("num_attention_heads", &HEADS, heads);
    let head_dim = fields.optional("head_dim", &WIDTH, head_dim);
    let second = model_type == DecoderType::Gemma2;
    let window = match model_type {
        DecoderType::Gemma => None,
        _ if fields.is_null("sliding_window") => None,
        _ => Some(fields.optional("sliding_window", &SEQ_LEN, 4096)),
    };
    // Every second layer of Gemma 2 and every sixth of Gemma 3 sees everything.
    let period = if second {
        2
    } else {
        fields.optional("sliding_window_pattern", &LAYERS, 6)
    };
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: fields.optional("intermediate_size", &WIDTH, intermediate),
        num_key_value_heads: fields.shared_heads(num_attention_heads, kv_heads),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, vocabulary),
        tie_word_embeddings: fields.flag("tie_word_embeddings", true),
        rotary_dim: head_dim,
        attention_bias: fields.flag("attention_bias", false),
        activation: Activation::Gelu,
        attention_softcap: second && !fields.is_null("attn_logit_softcapping"),
        final_softcap: second && !fields.is_null("final_logit_softcapping"),
        sliding_window: window,
        windowed: if window.is_some() {
            fields.windowed_layers(num_hidden_layers, |layer| (layer + 1) % period != 0)
        } else {
            Vec::new()
        },
        dropout: Dropout {
            attention: fields.drops("attention_dropout", false),
            ..Dropout::default()
        },
        ..DecoderConfig::plain(
            model_type,
            fields.optional("hidden_size", &WIDTH, hidden),
            num_hidden_layers,
            num_attention_heads,
        )
    }
}

/// All modules with parameters, in the order in which they are built.
pub(super) fn modules(config: &DecoderConfig) -> Vec<Module> {
    let mut all = vec![embedding("model.embed_tokens")];
    for layer in 0..config.num_hidden_layers {
        let at = |name| format!("model.layers.{layer}.{name}");
        all.extend(
            ["q_proj", "k_proj", "v_proj", "o_proj"]
                .map(|name| linear(at("self_attn.") + name, config.attention_bias)),
        );
        if config.model_type == DecoderType::Gemma3 {
            all.extend([other(at("self_attn.q_norm")), other(at("self_attn.k_norm"))]);
        }
        all.extend(
            ["gate_proj", "up_proj", "down_proj"].map(|name| linear(at("mlp.") + name, false)),
        );
        all.extend([
            other(at("input_layernorm")),
            other(at("post_attention_layernorm")),
        ]);
        if config.model_type != DecoderType::Gemma {
            all.extend([
                other(at("pre_feedforward_layernorm")),
                other(at("post_feedforward_layernorm")),
            ]);
        }
    }
    all.push(other("model.norm"));
    all.push(output("lm_head", config.tie_word_embeddings));
    all
}

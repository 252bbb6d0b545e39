//! Mamba's config and modules (`models/mamba` of transformers 5.23).

use super::config_fields::ConfigFields;
use super::limits::{LAYERS, VOCABULARY, WIDTH};
use super::modules::{Module, embedding, linear, other, output};
use super::{DecoderConfig, DecoderType, StateSpace};
use serde_json::Value;

/// Columns of a channel's state, tokens of a convolution, factors of expansion.
const SMALL: std::ops::RangeInclusive<u64> = 1..=4096;

/// Reads the config with transformers' defaults for absent fields.
pub(super) fn read(fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let hidden = fields.optional("hidden_size", &WIDTH, 768);
    let expand = fields.optional("expand", &SMALL, 2);
    let automatic = fields.get("time_step_rank") == Some(&Value::from("auto"));
    let time_step_rank = if automatic {
        hidden.div_ceil(16)
    } else {
        fields.optional("time_step_rank", &WIDTH, hidden.div_ceil(16))
    };
    DecoderConfig {
        intermediate_size: hidden.saturating_mul(expand).min(*WIDTH.end()),
        vocab_size: fields.optional("vocab_size", &VOCABULARY, 50_280),
        tie_word_embeddings: fields.flag("tie_word_embeddings", true),
        attention_bias: fields.flag("use_bias", false),
        state_space: Some(StateSpace {
            state_size: fields.optional("state_size", &SMALL, 16),
            conv_kernel: fields.optional("conv_kernel", &SMALL, 4),
            time_step_rank,
            conv_bias: fields.flag("use_conv_bias", true),
            wide_residual: fields.flag("residual_in_fp32", true),
        }),
        ..DecoderConfig::plain(
            DecoderType::Mamba,
            hidden,
            fields.optional("num_hidden_layers", &LAYERS, 32),
            1,
        )
    }
}

/// All modules with parameters, in the order in which they are built.
pub(super) fn modules(config: &DecoderConfig) -> Vec<Module> {
    let bias = config.attention_bias;
    let sizes = config.state_space.unwrap_or_default();
    let mut all = vec![embedding("backbone.embeddings")];
    for layer in 0..config.num_hidden_layers {
        let at = |name: &str| format!("backbone.layers.{layer}.{name}");
        let conv: &[&str] = if sizes.conv_bias {
            &["weight", "bias"]
        } else {
            &["weight"]
        };
        all.extend([
            other(at("norm")),
            Module {
                parameters: &["A_log", "D"],
                ..other(at("mixer"))
            },
            Module {
                parameters: conv,
                ..other(at("mixer.conv1d"))
            },
            linear(at("mixer.in_proj"), bias),
            linear(at("mixer.x_proj"), false),
            Module {
                parameters: &["weight", "bias"],
                ..other(at("mixer.dt_proj"))
            },
            linear(at("mixer.out_proj"), bias),
        ]);
    }
    all.push(other("backbone.norm_f"));
    all.push(output("lm_head", config.tie_word_embeddings));
    all
}

//! Decoders whose layers mix tokens in different ways: attention in some, a state space or a short
//! convolution in the others (`models/bamba` and `models/lfm2` of transformers 5.23).

use super::config_fields::ConfigFields;
use super::layer_names::LayerNames;
use super::limits::{HEADS, LAYERS, VOCABULARY, WIDTH};
use super::mamba::{self, SMALL};
use super::modules::{Module, embedding, linear, other, output};
use super::{DecoderConfig, DecoderType, Dropout, Finding, Mixing, StateSpace};
use serde_json::Value;

/// Reads the config with transformers' defaults for absent fields.
pub(super) fn read(model_type: DecoderType, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let bamba = model_type == DecoderType::Bamba;
    let [hidden, vocabulary] = if bamba {
        [4096, 128_000]
    } else {
        [2560, 65_536]
    };
    let hidden = fields.optional("hidden_size", &WIDTH, hidden);
    let layers = fields.optional("num_hidden_layers", &LAYERS, 32);
    let heads = fields.optional("num_attention_heads", &HEADS, 32);
    let head_dim = fields.divided(hidden, heads, "num_attention_heads");
    fields.check_activation("hidden_act", &["silu", "swish"]);
    let attends = attending(fields, bamba, layers);
    let other = if bamba {
        Mixing::StateSpace
    } else {
        Mixing::ShortConv
    };
    let mixers = attends
        .into_iter()
        .map(|attends| if attends { Mixing::Attention } else { other });
    DecoderConfig {
        mixers: mixers.collect(),
        num_key_value_heads: fields.shared_heads(heads, 8.min(heads)),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, vocabulary),
        rotary_dim: if bamba { head_dim / 2 } else { head_dim },
        intermediate_size: if bamba {
            fields.optional("intermediate_size", &WIDTH, 14_336)
        } else {
            adjusted(fields)
        },
        tie_word_embeddings: if bamba || fields.get("tie_embedding").is_none() {
            fields.flag("tie_word_embeddings", !bamba)
        } else {
            fields.flag("tie_embedding", true)
        },
        attention_bias: bamba && fields.flag("attention_bias", false),
        mlp_bias: bamba && fields.flag("mlp_bias", false),
        head_norms: !bamba,
        state_space: Some(if bamba {
            state_space(fields, hidden)
        } else {
            StateSpace {
                state_size: 1,
                conv_kernel: fields.optional("conv_L_cache", &SMALL, 3),
                conv_bias: fields.flag("conv_bias", false),
                ..StateSpace::default()
            }
        }),
        dropout: Dropout {
            attention: bamba && fields.drops("attention_dropout", false),
            ..Dropout::default()
        },
        ..DecoderConfig::plain(model_type, hidden, layers, heads)
    }
}

/// Of each layer whether it has attention.
fn attending(fields: &ConfigFields<'_>, bamba: bool, layers: u64) -> Vec<bool> {
    let list = |field| fields.get(field).and_then(Value::as_array);
    let types = list("layer_types").or_else(|| list("layers_block_type"));
    if let (Some(types), false) = (types, bamba) {
        let attends = |layer: usize| types.get(layer).is_none_or(|kind| kind != "conv");
        return (0..layers)
            .map(|layer| usize::try_from(layer).is_ok_and(attends))
            .collect();
    }
    let given = list(if bamba {
        "attn_layer_indices"
    } else {
        "full_attn_idxs"
    });
    let named = |layer: u64| given.map(|all| all.contains(&Value::from(layer)));
    (0..layers)
        .map(|layer| named(layer).unwrap_or(!bamba))
        .collect()
}

/// The width of LFM2's MLP: two thirds of what the config names, times a factor, rounded up.
fn adjusted(fields: &mut ConfigFields<'_>) -> u64 {
    let width = fields.named(&["block_ff_dim", "intermediate_size"], &WIDTH, 12_288);
    if !fields.flag("block_auto_adjust_ff_dim", true) {
        return width;
    }
    let multiple = fields.optional("block_multiple_of", &WIDTH, 256);
    let factor = fields
        .get("block_ffn_dim_multiplier")
        .and_then(Value::as_f64);
    if factor.is_some_and(|factor| (factor - 1.0).abs() > f64::EPSILON) {
        let key = fields.key("block_ffn_dim_multiplier");
        fields.push(
            Finding::error(
                &key,
                "block_ffn_dim_multiplier other than 1 is not supported yet.",
                "暂不支持 block_ffn_dim_multiplier 不为 1 的情形。",
            )
            .with_fix(&key, 1),
        );
    }
    (2 * width / 3).next_multiple_of(multiple)
}

/// The state space of Bamba's layers.
fn state_space(fields: &mut ConfigFields<'_>, hidden: u64) -> StateSpace {
    let expand = fields.optional("mamba_expand", &SMALL, 2);
    let inner = hidden.saturating_mul(expand).min(*WIDTH.end());
    let count = fields.optional("mamba_n_heads", &HEADS, 128);
    let columns = fields.divided(inner, count, "mamba_n_heads");
    if fields.flag("mamba_proj_bias", false) {
        let key = fields.key("mamba_proj_bias");
        fields.push(
            Finding::error(
                &key,
                "Biases on the projections of a state space are not supported yet.",
                "暂不支持状态空间投影层的偏置。",
            )
            .with_fix(&key, false),
        );
    }
    StateSpace {
        state_size: fields.optional("mamba_d_state", &SMALL, 256),
        conv_kernel: fields.optional("mamba_d_conv", &SMALL, 4),
        conv_bias: fields.flag("mamba_conv_bias", true),
        heads: Some(mamba::scan_heads(
            fields,
            ["mamba_n_groups", "mamba_chunk_size"],
            [count, columns, 1],
        )),
        ..StateSpace::default()
    }
}

/// All modules with parameters, in the order in which they are built.
pub(super) fn modules(config: &DecoderConfig) -> Vec<Module> {
    let names = LayerNames::of(config);
    let mut all = vec![embedding("model.embed_tokens")];
    for (layer, mixing) in config.mixers.iter().enumerate() {
        let at = |name: &str| format!("model.layers.{layer}.{name}");
        let mixer = mixer(config, &names, *mixing, &at);
        let feed_forward = names.mlp.all().iter();
        let feed_forward = feed_forward.map(|name| {
            linear(
                at(&format!("{}.{name}", names.feed_forward(false))),
                config.mlp_bias,
            )
        });
        let norms = names
            .norms
            .into_iter()
            .flatten()
            .map(|name| other(at(name)));
        if names.mixer_last {
            all.extend(feed_forward.chain(norms).chain(mixer));
        } else {
            all.extend(mixer.into_iter().chain(feed_forward).chain(norms));
        }
    }
    all.push(other(format!("model.{}", names.last_norm)));
    all.push(output("lm_head", config.tie_word_embeddings));
    all
}

fn mixer(
    config: &DecoderConfig,
    names: &LayerNames,
    mixing: Mixing,
    at: &dyn Fn(&str) -> String,
) -> Vec<Module> {
    let sizes = config.state_space.unwrap_or_default();
    let of = |name: &str| at(&format!("{}.{name}", names.mixer));
    match mixing {
        Mixing::Attention => {
            let bias = config.attention_bias;
            let of = |name: &str| at(&format!("self_attn.{name}"));
            let mut all: Vec<Module> = ["q_proj", "k_proj", "v_proj", names.attention_output]
                .map(|name| linear(of(name), bias))
                .into();
            if config.head_norms {
                all.extend(names.head_norms.map(|name| other(of(name))));
            }
            all
        }
        Mixing::StateSpace => {
            mamba::mixer(&sizes, false, &|name| at(&format!("{}{name}", names.mixer)))
        }
        Mixing::ShortConv => {
            let bias = sizes.conv_bias;
            let parameters: &[&str] = if bias {
                &["weight", "bias"]
            } else {
                &["weight"]
            };
            let conv = Module {
                parameters,
                ..other(of("conv"))
            };
            vec![
                conv,
                linear(of("in_proj"), bias),
                linear(of("out_proj"), bias),
            ]
        }
    }
}

//! Decoders whose layers mix tokens in different ways: attention in some, a state space or a short
//! convolution in the others (`models/{bamba,lfm2,lfm2_moe,falcon_h1,granitemoehybrid,jamba,qwen3_next,qwen3_5,qwen3_5_moe}` of transformers 5.23).

use crate::ask::{Finding, Framework, HEADS, LAYERS, VOCABULARY, WIDTH};
use crate::families::deepseek::reader as deepseek;
use crate::families::mamba::{SMALL, reader as mamba};
use crate::families::reading::{expert_modules, experts};
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{
    DecoderConfig, DecoderType, Dropout, Experts, InnerNorms, LayerNames, Mixing, Module, Piece,
    SHARED_OF_HYBRID, ScanHeads, StateSpace, embedding, linear, other, output,
};
use serde_json::Value;

/// Defaults of H, V, L, A and K.
const fn defaults(model_type: DecoderType) -> [u64; 5] {
    match model_type {
        DecoderType::Lfm2 => [2560, 65_536, 32, 32, 8],
        DecoderType::Lfm2Moe => [2048, 65_536, 32, 32, 8],
        DecoderType::GraniteMoeHybrid => [4096, 32_000, 32, 32, 8],
        DecoderType::Jamba => [4096, 65_536, 32, 32, 8],
        DecoderType::Qwen3Next => [2048, 151_936, 48, 16, 2],
        DecoderType::Qwen35 => [4096, 248_320, 32, 16, 4],
        DecoderType::Qwen35Moe => [2048, 248_320, 40, 16, 2],
        _ => [4096, 128_000, 32, 32, 8],
    }
}

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let model_type = family.decoder_type();
    let convolves = model_type.convolves();
    let both = model_type == DecoderType::FalconH1;
    let granite = model_type == DecoderType::GraniteMoeHybrid;
    let selective = model_type == DecoderType::Jamba;
    let delta = model_type.follows_delta_rule();
    let [hidden, vocabulary, layers, heads, kv_heads] = defaults(model_type);
    let hidden = fields.optional("hidden_size", &WIDTH, hidden);
    let layers = fields.optional("num_hidden_layers", &LAYERS, layers);
    let heads = fields.optional("num_attention_heads", &HEADS, heads);
    let head_dim = if delta {
        fields.optional("head_dim", &WIDTH, 256)
    } else if both && fields.get("head_dim").is_some() {
        fields.optional("head_dim", &WIDTH, 64)
    } else {
        fields.divided(hidden, heads, "num_attention_heads")
    };
    fields.check_activation("hidden_act", &["silu", "swish"]);
    let attends = attending(fields, model_type, layers);
    let other = if convolves {
        Mixing::ShortConv
    } else if delta {
        Mixing::GatedDelta
    } else {
        Mixing::StateSpace
    };
    let mixing = |attends| match attends {
        _ if both => Mixing::Both,
        true => Mixing::Attention,
        false => other,
    };
    let (intermediate_size, experts) = if granite {
        granite_mlp(layers, fields)
    } else if model_type == DecoderType::Lfm2Moe {
        let width = fields.optional("intermediate_size", &WIDTH, 7168);
        (width, deepseek::experts_of_kin(model_type, layers, fields))
    } else if convolves {
        (adjusted(fields), None)
    } else {
        let default = match model_type {
            DecoderType::Qwen35 => 12_288,
            _ if delta => 5632,
            _ => 14_336,
        };
        let width = fields.optional("intermediate_size", &WIDTH, default);
        (width, experts::read(model_type, layers, width, fields))
    };
    DecoderConfig {
        mixers: attends.into_iter().map(mixing).collect(),
        num_key_value_heads: fields
            .shared_heads(heads, if granite { heads } else { kv_heads.min(heads) }),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, vocabulary),
        rotary_dim: match model_type {
            DecoderType::Bamba => head_dim / 2,
            DecoderType::Jamba => 0,
            _ if delta => fields.turned(head_dim, "partial_rotary_factor", 250),
            DecoderType::GraniteMoeHybrid
                if fields.text("position_embedding_type") != Some("rope") =>
            {
                0
            }
            _ => head_dim,
        },
        intermediate_size,
        experts,
        tie_word_embeddings: if convolves && fields.get("tie_embedding").is_some() {
            fields.flag("tie_embedding", true)
        } else {
            fields.flag("tie_word_embeddings", convolves)
        },
        attention_bias: !convolves && !selective && fields.flag("attention_bias", false),
        mlp_bias: !convolves && !granite && !selective && !delta && fields.flag("mlp_bias", false),
        head_norms: convolves || delta,
        state_space: Some(if convolves {
            StateSpace {
                state_size: 1,
                conv_kernel: fields.optional("conv_L_cache", &SMALL, 3),
                conv_bias: fields.flag("conv_bias", false),
                ..StateSpace::default()
            }
        } else if delta {
            delta_rule(fields)
        } else if selective {
            selective_space(fields, hidden)
        } else {
            state_space(fields, hidden, both)
        }),
        dropout: Dropout {
            attention: !convolves && fields.drops("attention_dropout", false),
            ..Dropout::default()
        },
        ..DecoderConfig::plain(family, hidden, layers, heads)
    }
}

/// The width of Granite's MLP, which is that of the expert beside the mixture where there is none.
fn granite_mlp(layers: u64, fields: &mut ConfigFields<'_>) -> (u64, Option<Experts>) {
    let width = fields.optional("intermediate_size", &WIDTH, 11_008);
    let experts = experts::read(DecoderType::GraniteMoeHybrid, layers, width, fields);
    if experts.is_some() {
        return (width, experts);
    }
    let default = SHARED_OF_HYBRID;
    let shared = fields.optional("shared_intermediate_size", &WIDTH, default);
    (shared, None)
}

/// Of each layer whether it has attention.
pub(crate) fn attending(
    fields: &mut ConfigFields<'_>,
    model_type: DecoderType,
    layers: u64,
) -> Vec<bool> {
    if model_type == DecoderType::Jamba {
        let names = ["attn_layer_period", "attn_layer_offset"];
        return experts::periodic(layers, names, [8, 4], fields);
    }
    let bamba = model_type == DecoderType::Bamba;
    if model_type.follows_delta_rule() && fields.get("layer_types").is_none() {
        let every = fields.optional("full_attention_interval", &LAYERS, 4);
        return (1..=layers)
            .map(|layer| layer.is_multiple_of(every))
            .collect();
    }
    let list = |field| fields.get(field).and_then(Value::as_array);
    let types = list("layer_types").or_else(|| list("layers_block_type"));
    if let (Some(types), false) = (types, bamba) {
        let others = ["conv", "mamba", "linear_attention"];
        let attends = |layer: usize| {
            let kind = types.get(layer).and_then(Value::as_str);
            kind.is_none_or(|kind| !others.contains(&kind))
        };
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
        .map(|layer| match model_type {
            DecoderType::MiniMax => layer.is_multiple_of(2),
            _ => named(layer).unwrap_or(model_type.convolves()),
        })
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

/// Refuses a flag that is set.
pub(crate) fn refuse_set(fields: &mut ConfigFields<'_>, field: &str) {
    if !fields.flag(field, false) {
        return;
    }
    let key = fields.key(field);
    fields.push(
        Finding::error(
            &key,
            format!("{field} is not supported yet for this type of model; it must be false."),
            format!("暂不支持此类模型的 {field}；必须为 false。"),
        )
        .with_fix(&key, false),
    );
}

/// The gated delta rule of Qwen3-Next's layers: heads of values in groups that share keys.
fn delta_rule(fields: &mut ConfigFields<'_>) -> StateSpace {
    let count = fields.optional("linear_num_value_heads", &HEADS, 32);
    let groups = fields.shared_by("linear_num_key_heads", count, 16.min(count));
    StateSpace {
        state_size: fields.optional("linear_key_head_dim", &SMALL, 128),
        conv_kernel: fields.optional("linear_conv_kernel_dim", &SMALL, 4),
        heads: Some(ScanHeads {
            count,
            columns: fields.optional("linear_value_head_dim", &SMALL, 128),
            groups,
            // Tokens of a chunk of flash-linear-attention's kernels (0.6.0).
            chunk: 64,
        }),
        ..StateSpace::default()
    }
}

/// The state space of Jamba's layers, which is that of Mamba.
fn selective_space(fields: &mut ConfigFields<'_>, hidden: u64) -> StateSpace {
    refuse_set(fields, "mamba_proj_bias");
    let expand = fields.optional("mamba_expand", &SMALL, 2);
    StateSpace {
        state_size: fields.optional("mamba_d_state", &SMALL, 16),
        conv_kernel: fields.optional("mamba_d_conv", &SMALL, 4),
        time_step_rank: mamba::rank(fields, "mamba_dt_rank", hidden),
        conv_bias: fields.flag("mamba_conv_bias", true),
        inner: hidden.saturating_mul(expand).min(*WIDTH.end()),
        inner_norms: InnerNorms::Trained,
        ..StateSpace::default()
    }
}

/// The state space of Bamba's, Falcon-H1's and Granite's layers.
fn state_space(fields: &mut ConfigFields<'_>, hidden: u64, both: bool) -> StateSpace {
    let expand = fields.optional("mamba_expand", &SMALL, 2);
    let inner = hidden.saturating_mul(expand).min(*WIDTH.end());
    let inner = if both && !fields.is_null("mamba_d_ssm") {
        fields.optional("mamba_d_ssm", &WIDTH, 1024)
    } else {
        inner
    };
    let count = fields.optional("mamba_n_heads", &HEADS, 128);
    let columns = fields.divided(inner, count, "mamba_n_heads");
    for field in ["mamba_proj_bias", "mamba_rms_norm", "projectors_bias"] {
        refuse_set(fields, field);
    }
    StateSpace {
        state_size: fields.optional("mamba_d_state", &SMALL, 256),
        conv_kernel: fields.optional("mamba_d_conv", &SMALL, 4),
        conv_bias: fields.flag("mamba_conv_bias", true),
        multiplied: both,
        heads: Some(mamba::scan_heads(
            fields,
            ["mamba_n_groups", "mamba_chunk_size"],
            [count, columns, 1, 256],
        )),
        ..StateSpace::default()
    }
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(config: &DecoderConfig, framework: Framework) -> Vec<Module> {
    let names = LayerNames::of(config);
    let mut all = vec![embedding(format!("model.{}", names.embedding))];
    for (layer, mixing) in (0..).zip(&config.mixers) {
        let names = LayerNames::of_layer(config, *mixing);
        let at = |name: &str| format!("model.layers.{layer}.{name}");
        for piece in names.order {
            match piece {
                Piece::Mixer if mixing == &Mixing::Nothing => {}
                Piece::Mlp if names.alone && mixing != &Mixing::Nothing => {}
                Piece::Mixer => all.extend(mixer(config, &names, *mixing, &at)),
                Piece::Mlp => {
                    let sparse = expert_modules::modules(config, layer, framework, at);
                    if sparse.is_empty() {
                        let block = at(names.feed_forward(false)) + ".";
                        let layers = names.mlp.all().iter();
                        all.extend(
                            layers.map(|name| linear(block.clone() + name, config.mlp_bias)),
                        );
                    }
                    all.extend(sparse);
                }
                Piece::Norms => {
                    all.extend(
                        names
                            .norms
                            .into_iter()
                            .flatten()
                            .map(|name| other(at(name))),
                    );
                }
                Piece::Beside => all.extend(expert_modules::beside(config, at)),
            }
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
            let of = |name: &str| at(&format!("{}.{name}", names.attention));
            let mut all: Vec<Module> = ["q_proj", "k_proj", "v_proj", names.attention_output]
                .map(|name| linear(of(name), bias))
                .into();
            if config.head_norms {
                all.extend(names.head_norms.map(|name| other(of(name))));
            }
            all
        }
        Mixing::Nothing => Vec::new(),
        Mixing::Lightning => {
            let projections = ["qkv_proj", "out_proj", "output_gate"];
            let projections = projections.map(|name| linear(of(name), false));
            [other(of("norm"))].into_iter().chain(projections).collect()
        }
        Mixing::GatedDelta if config.model_type == DecoderType::OlmoHybrid => {
            let own = Module {
                parameters: &["A_log", "dt_bias"],
                ..other(at(names.mixer))
            };
            let projections = [
                "q_proj", "k_proj", "v_proj", "a_proj", "b_proj", "g_proj", "o_proj",
            ];
            let projections = projections.map(|name| linear(of(name), false));
            let rest = [other(of("conv1d")), other(of("o_norm"))];
            [own].into_iter().chain(projections).chain(rest).collect()
        }
        Mixing::GatedDelta => {
            let own = Module {
                parameters: &["dt_bias", "A_log"],
                ..other(at(names.mixer))
            };
            let mut all = vec![own, other(of("conv1d"))];
            let output = [other(of("norm")), linear(of("out_proj"), false)];
            let input = |names: &[&str]| -> Vec<Module> {
                names.iter().map(|name| linear(of(name), false)).collect()
            };
            if config.model_type == DecoderType::Qwen3Next {
                all.extend(input(&["in_proj_qkvz", "in_proj_ba"]));
                all.extend(output);
            } else {
                all.extend(output);
                all.extend(input(&[
                    "in_proj_qkv",
                    "in_proj_z",
                    "in_proj_b",
                    "in_proj_a",
                ]));
            }
            all
        }
        Mixing::StateSpace => {
            mamba::mixer(&sizes, false, &|name| at(&format!("{}{name}", names.mixer)))
        }
        Mixing::Both => {
            let mut all = mixer(config, names, Mixing::StateSpace, at);
            all.extend(mixer(config, names, Mixing::Attention, at));
            all
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

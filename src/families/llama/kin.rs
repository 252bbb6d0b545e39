//! The configs and modules of decoders that differ from Llama in few things
//! (`models/*/configuration_*.py` of transformers 5.23).

use super::differential;
use super::windows::{bases, unturned, window};
use crate::ask::{Framework, HEADS, LAYERS, VOCABULARY, WIDTH};
use crate::families::deepseek::reader as deepseek;
use crate::families::doge::reader as doge;
use crate::families::reading::{expert_modules, experts};
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{
    Activation, DecoderConfig, DecoderType, Dropout, LAMBDAS, LayerNames, MlpNames, Module, Piece,
    biased_output, embedding, linear, norm, other, output,
};

/// Defaults of H, F, L, A and V; of K where it is not A, and of D where it is not H over A.
const fn defaults(model_type: DecoderType) -> ([u64; 5], Option<u64>, Option<u64>) {
    match model_type {
        DecoderType::Starcoder2 => ([3072, 12_288, 30, 24, 49_152], Some(2), None),
        DecoderType::Cohere | DecoderType::Cohere2 => ([8192, 22_528, 40, 64, 256_000], None, None),
        DecoderType::Cohere2Moe => ([8192, 22_528, 40, 64, 256_000], None, Some(128)),
        DecoderType::StableLm => ([2560, 6912, 32, 32, 50_304], Some(32), None),
        DecoderType::SmolLm3 => ([2048, 11_008, 36, 16, 128_256], Some(4), None),
        DecoderType::DiffLlama => ([2048, 8192, 16, 32, 32_000], None, None),
        DecoderType::Arcee => ([2560, 18_432, 32, 32, 32_000], None, None),
        DecoderType::Nemotron => ([6144, 24_576, 32, 48, 256_000], None, None),
        DecoderType::Helium => ([2560, 7040, 24, 20, 48_000], Some(20), Some(128)),
        DecoderType::SeedOss => ([4096, 27_648, 64, 80, 155_136], Some(8), Some(128)),
        DecoderType::Ministral => ([4096, 14_336, 32, 32, 32_000], Some(8), None),
        DecoderType::Ministral3 => ([4096, 14_336, 34, 32, 131_072], Some(8), Some(128)),
        DecoderType::FlexOlmo => ([4096, 11_008, 32, 32, 100_352], None, None),
        DecoderType::SolarOpen => ([4096, 1280, 48, 64, 196_608], Some(8), Some(128)),
        DecoderType::MiniMaxM2 => ([3072, 1536, 62, 48, 200_064], Some(8), Some(128)),
        DecoderType::Apertus => ([4096, 14_336, 32, 32, 131_072], None, None),
        DecoderType::Jais2 => ([3328, 26_624, 32, 26, 150_272], None, None),
        DecoderType::Afmoe => ([2048, 6144, 32, 16, 200_192], None, Some(128)),
        DecoderType::HyV3 => ([4096, 13_312, 80, 64, 120_832], Some(8), Some(128)),
        DecoderType::NanoChat => ([768, 8192, 12, 6, 50_304], None, None),
        DecoderType::BitNet => ([2560, 6912, 30, 20, 128_256], Some(5), None),
        DecoderType::Persimmon => ([4096, 16_384, 36, 64, 262_144], None, None),
        DecoderType::InternLm3 => ([4096, 10_240, 48, 32, 128_512], Some(2), Some(128)),
        DecoderType::IQuestCoder => ([5120, 27_648, 80, 40, 76_800], Some(8), Some(128)),
        DecoderType::Mellum => ([2304, 7168, 28, 32, 98_304], Some(4), Some(128)),
        DecoderType::Cwm => ([6144, 21_504, 64, 48, 128_256], Some(8), Some(128)),
        DecoderType::Exaone4 | DecoderType::ExaoneMoe => {
            ([4096, 16_384, 32, 32, 102_400], Some(32), None)
        }
        DecoderType::Dots1 => ([4608, 10_944, 62, 32, 152_064], Some(32), None),
        DecoderType::Glm4Moe => ([4096, 10_944, 46, 96, 151_552], Some(8), None),
        DecoderType::Ernie45 => ([1024, 3072, 18, 16, 103_424], Some(2), Some(128)),
        DecoderType::Ernie45Moe => ([2560, 12_288, 28, 20, 103_424], Some(4), None),
        DecoderType::HunyuanDense | DecoderType::HunyuanMoe => {
            ([4096, 11_008, 32, 32, 290_943], None, None)
        }
        DecoderType::PhiMoe => ([4096, 6400, 32, 32, 32_064], Some(8), None),
        DecoderType::GptOss => ([2880, 2880, 36, 64, 201_088], Some(8), Some(64)),
        DecoderType::Granite
        | DecoderType::GraniteMoe
        | DecoderType::GraniteMoeShared
        | DecoderType::GraniteMoeSwa
        | DecoderType::HyperClovaX => ([4096, 11_008, 32, 32, 32_000], None, None),
        DecoderType::Doge => ([1024, 2048, 32, 8, 32_768], None, None),
        DecoderType::GraniteSwa => ([2560, 8192, 24, 20, 100_352], Some(4), None),
        DecoderType::Glm | DecoderType::Glm4 => {
            ([4096, 13_696, 40, 32, 151_552], Some(2), Some(128))
        }
        _ => ([4096, 11_008, 32, 32, 50_304], None, None),
    }
}

/// Reads the config with transformers' defaults for absent fields.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let model_type = family.decoder_type();
    let ([hidden, inner, layers, heads, vocabulary], kv_heads, head_dim) = defaults(model_type);
    let hidden_size = fields.optional("hidden_size", &WIDTH, hidden);
    let heads = fields.optional("num_attention_heads", &HEADS, heads);
    let layers = fields.optional("num_hidden_layers", &LAYERS, layers);
    let head_dim = match head_dim {
        None if fields.get("head_dim").is_none() => {
            fields.divided(hidden_size, heads, "num_attention_heads")
        }
        default => fields.optional("head_dim", &WIDTH, default.unwrap_or(1)),
    };
    let (qkv_bias, attention_bias, mlp_bias) = biases(model_type, fields);
    let (sliding_window, windowed) = window(model_type, layers, fields);
    let unturned = unturned(
        model_type,
        layers,
        sliding_window.map(|_| &windowed),
        fields,
    );
    let bases = bases(model_type, layers, fields);
    let intermediate_size = fields.optional("intermediate_size", &WIDTH, inner);
    if model_type == DecoderType::DiffLlama {
        differential::check(heads, fields);
    }
    let dense = (model_type == DecoderType::Cohere2Moe)
        .then_some("prefix_dense_intermediate_size")
        .map(|field| fields.optional(field, &WIDTH, intermediate_size));
    DecoderConfig {
        num_labels: fields.labels(2),
        intermediate_size: dense.unwrap_or(intermediate_size),
        experts: experts::read(model_type, layers, intermediate_size, fields)
            .or_else(|| deepseek::experts_of_kin(model_type, layers, fields)),
        num_key_value_heads: fields.shared_heads(
            heads,
            kv_heads
                .filter(|_| !(model_type.is_granite_swa() && fields.is_null("num_key_value_heads")))
                .unwrap_or(heads),
        ),
        head_dim,
        vocab_size: fields.optional("vocab_size", &VOCABULARY, vocabulary),
        tie_word_embeddings: fields.flag(
            "tie_word_embeddings",
            matches!(
                model_type,
                DecoderType::Starcoder2
                    | DecoderType::Cohere
                    | DecoderType::Cohere2
                    | DecoderType::Cohere2Moe
                    | DecoderType::SmolLm3
                    | DecoderType::Ernie45
                    | DecoderType::Ernie45Moe
                    | DecoderType::GraniteSwa
            ),
        ),
        head_bias: match model_type {
            DecoderType::Ernie45Moe => mlp_bias,
            DecoderType::PhiMoe => fields.flag("lm_head_bias", false),
            _ => false,
        },
        rotary_dim: rotary_dim(model_type, head_dim, fields),
        attention_bias,
        qkv_bias,
        mlp_bias,
        activation: activation(model_type, fields),
        head_norms: head_norms(model_type, fields),
        clips_heads: model_type == DecoderType::Olmo && fields.get("clip_qkv").is_some(),
        post_norms: model_type == DecoderType::HyperClovaX && fields.flag("use_post_norm", true),
        scales_queries: model_type == DecoderType::Ministral3,
        scales_embedding: model_type == DecoderType::Afmoe && fields.flag("mup_enabled", false),
        final_softcap: model_type == DecoderType::NanoChat
            && !fields.is_null("final_logit_softcapping"),
        root_norms: model_type == DecoderType::Cohere2Moe && fields.get("rms_norm_eps").is_some(),
        unturned: if bases.is_empty() {
            unturned
        } else {
            bases.iter().map(Option::is_none).collect()
        },
        bases,
        kept_keys: (model_type == DecoderType::Doge).then(|| doge::kept_keys(fields)),
        parallel_residual: match model_type {
            DecoderType::Cohere | DecoderType::Cohere2 | DecoderType::Cohere2Moe => true,
            DecoderType::StableLm => fields.flag("use_parallel_residual", false),
            _ => false,
        },
        sliding_window,
        windowed,
        dropout: dropout(model_type, fields),
        ..DecoderConfig::plain(family, hidden_size, layers, heads)
    }
}

/// The function in the MLP.
fn activation(model_type: DecoderType, fields: &mut ConfigFields<'_>) -> Activation {
    match model_type {
        DecoderType::Starcoder2 => fields.activation("hidden_act", "gelu_pytorch_tanh"),
        DecoderType::Arcee | DecoderType::Nemotron | DecoderType::Jais2 | DecoderType::NanoChat => {
            fields.activation("hidden_act", "relu2")
        }
        DecoderType::BitNet | DecoderType::Persimmon => {
            fields.check_activation("hidden_act", &["relu2"]);
            Activation::Relu2
        }
        DecoderType::Apertus => {
            fields.check_activation("hidden_act", &["xielu"]);
            Activation::Silu
        }
        _ => {
            fields.check_activation("hidden_act", &["silu", "swish"]);
            Activation::Silu
        }
    }
}

/// Columns of a head that positions turn.
fn rotary_dim(model_type: DecoderType, head_dim: u64, fields: &mut ConfigFields<'_>) -> u64 {
    match model_type {
        DecoderType::StableLm => fields.turned(head_dim, "partial_rotary_factor", 250),
        DecoderType::Glm
        | DecoderType::Glm4
        | DecoderType::Glm4Moe
        | DecoderType::Nemotron
        | DecoderType::Persimmon => fields.turned(head_dim, "partial_rotary_factor", 500),
        DecoderType::MiniMaxM2 if fields.get("rotary_dim").is_some() => {
            fields.optional("rotary_dim", &(0..=head_dim), head_dim)
        }
        DecoderType::MiniMaxM2 => fields.turned(head_dim, "partial_rotary_factor", 1000),
        _ => head_dim,
    }
}

/// Whether queries and keys are normalized.
fn head_norms(model_type: DecoderType, fields: &mut ConfigFields<'_>) -> bool {
    match model_type {
        DecoderType::Cohere | DecoderType::Glm4Moe => fields.flag("use_qk_norm", false),
        DecoderType::StableLm => fields.flag("qk_layernorm", false),
        DecoderType::Persimmon => fields.flag("qk_layernorm", true),
        DecoderType::Exaone4
        | DecoderType::Olmo3
        | DecoderType::Dots1
        | DecoderType::FlexOlmo
        | DecoderType::ExaoneMoe
        | DecoderType::MiniMaxM2
        | DecoderType::Apertus
        | DecoderType::HyV3
        | DecoderType::Afmoe
        | DecoderType::Mellum
        | DecoderType::HunyuanDense
        | DecoderType::HunyuanMoe => true,
        _ => false,
    }
}

/// Biases on queries, keys and values, on the output of attention, and in the MLP.
fn biases(model_type: DecoderType, fields: &mut ConfigFields<'_>) -> (bool, bool, bool) {
    let biased = |fields: &mut ConfigFields<'_>, field| fields.flag(field, false);
    match model_type {
        DecoderType::Starcoder2 => {
            let bias = fields.flag("use_bias", true);
            (bias, bias, bias)
        }
        DecoderType::Ernie45 | DecoderType::Ernie45Moe => {
            let bias = biased(fields, "use_bias");
            (bias, bias, bias)
        }
        DecoderType::StableLm => (biased(fields, "use_qkv_bias"), false, false),
        DecoderType::Persimmon => (true, true, true),
        DecoderType::Glm4Moe | DecoderType::SolarOpen => {
            (biased(fields, "attention_bias"), false, false)
        }
        DecoderType::Cwm => (false, false, biased(fields, "mlp_bias")),
        DecoderType::SeedOss => {
            let qkv = fields.flag("attention_bias", true);
            (
                qkv,
                biased(fields, "attention_out_bias"),
                biased(fields, "mlp_bias"),
            )
        }
        DecoderType::Glm | DecoderType::Glm4 => (fields.flag("attention_bias", true), false, false),
        DecoderType::GptOss => {
            let bias = fields.flag("attention_bias", true);
            (bias, bias, false)
        }
        DecoderType::Helium => (
            biased(fields, "attention_bias"),
            false,
            biased(fields, "mlp_bias"),
        ),
        DecoderType::Jais2 => {
            let bias = fields.flag("attention_bias", true);
            (bias, bias, fields.flag("mlp_bias", true))
        }
        DecoderType::InternLm3 => {
            let mut either = |name, other| biased(fields, name) || biased(fields, other);
            let bias = either("attention_bias", "qkv_bias");
            (bias, bias, either("mlp_bias", "bias"))
        }
        DecoderType::Granite
        | DecoderType::GraniteSwa
        | DecoderType::Doge
        | DecoderType::SmolLm3
        | DecoderType::Arcee
        | DecoderType::IQuestCoder
        | DecoderType::HyV3
        | DecoderType::HyperClovaX
        | DecoderType::Nemotron => {
            let bias = biased(fields, "attention_bias");
            (bias, bias, biased(fields, "mlp_bias"))
        }
        DecoderType::Ministral
        | DecoderType::Ministral3
        | DecoderType::Exaone4
        | DecoderType::ExaoneMoe
        | DecoderType::MiniMaxM2 => (false, false, false),
        _ => {
            let bias = biased(fields, "attention_bias");
            (bias, bias, false)
        }
    }
}

/// Where dropout is active.
fn dropout(model_type: DecoderType, fields: &mut ConfigFields<'_>) -> Dropout {
    let always = model_type == DecoderType::SeedOss;
    let residual = match model_type {
        DecoderType::StableLm | DecoderType::Persimmon | DecoderType::Doge => {
            fields.drops("hidden_dropout", false)
        }
        DecoderType::Starcoder2 | DecoderType::SeedOss => fields.drops("residual_dropout", always),
        _ => false,
    };
    Dropout {
        embedding: model_type == DecoderType::Starcoder2
            && fields.drops("embedding_dropout", false),
        attention: model_type != DecoderType::Ernie45Moe
            && fields.drops("attention_dropout", always),
        residual,
    }
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(config: &DecoderConfig, framework: Framework) -> Vec<Module> {
    let names = LayerNames::of(config);
    let normalizes = |path: String| match config.model_type {
        DecoderType::Olmo | DecoderType::NanoChat => None,
        DecoderType::Starcoder2
        | DecoderType::StableLm
        | DecoderType::Nemotron
        | DecoderType::PhiMoe
        | DecoderType::Jais2
        | DecoderType::Persimmon => Some(norm(path)),
        _ => Some(other(path)),
    };
    let mut all = vec![embedding("model.embed_tokens")];
    for layer in 0..config.num_hidden_layers {
        let at = |name: &str| format!("model.layers.{layer}.{name}");
        let qkv_bias = config.qkv_bias || config.attention_bias;
        let projections = names.projections.iter();
        all.extend(projections.map(|name| linear(at("self_attn.") + name, qkv_bias)));
        let output = at("self_attn.") + names.attention_output;
        all.push(linear(output, config.attention_bias));
        let [in_attention, in_mlp] = names.sub_norms;
        all.extend(in_attention.map(|name| other(at("self_attn.") + name)));
        // Llama 4's have no weights.
        if config.head_norms && config.model_type == DecoderType::StableLm {
            let heads = [config.num_attention_heads, config.num_key_value_heads];
            for (name, heads) in names.head_norms.into_iter().zip(heads) {
                let path = at("self_attn.") + name + ".norms";
                all.extend((0..heads).map(|head| other(format!("{path}.{head}"))));
            }
        } else if config.head_norms && config.model_type != DecoderType::Llama4 {
            let of = match config.model_type {
                DecoderType::Persimmon => norm,
                _ => other,
            };
            all.extend(names.head_norms.map(|name| of(at("self_attn.") + name)));
        }
        if config.model_type == DecoderType::Afmoe {
            all.push(linear(at("self_attn.gate_proj"), false));
        }
        if config.model_type == DecoderType::DiffLlama {
            all.push(Module {
                parameters: &LAMBDAS,
                ..other(at("self_attn"))
            });
        }
        if config.model_type == DecoderType::GptOss || config.model_type.is_granite_swa() {
            all.push(Module {
                parameters: &["sinks"],
                ..other(at("self_attn"))
            });
        }
        let norms = names.norms.into_iter().flatten();
        let norms = norms.filter_map(|name| normalizes(at(name)));
        let norms_first = names.order[1] == Piece::Norms;
        let place = all.len();
        let sparse = expert_modules::modules(config, layer, framework, at);
        if sparse.is_empty() {
            let block = at(names.feed_forward(false)) + ".";
            let mlp = names.mlp.all().iter();
            all.extend(mlp.map(|name| linear(block.clone() + name, config.mlp_bias)));
            all.extend(in_mlp.map(|name| other(block.clone() + name)));
            if let MlpNames::Xielu(_) = names.mlp {
                all.push(Module {
                    parameters: &["alpha_p", "alpha_n"],
                    ..other(block + "act_fn")
                });
            }
        }
        all.extend(sparse);
        let place = if norms_first { place } else { all.len() };
        all.splice(place..place, norms);
        all.extend(expert_modules::beside(config, at));
    }
    all.extend(normalizes(format!("model.{}", names.last_norm)));
    let head = if config.head_bias {
        biased_output
    } else {
        output
    };
    all.push(head("lm_head", config.tie_word_embeddings));
    all
}

//! Mixtures of experts: how many there are, how many each token goes through, in which layers.

use crate::ask::{Finding, LAYERS, WIDTH};
use crate::families::llama::windows;
use crate::model::ConfigFields;
use crate::model::{
    DecoderType, EXPERTS, ExpertForm, Experts, Routing, SHARED_OF_HYBRID, SharedForm,
};
use serde_json::Value;

/// Names and defaults by which the members differ.
struct Defaults {
    count: (&'static str, u64),
    per_token: u64,
    /// Columns of an expert if the config has a field of its own for them.
    intermediate_size: Option<u64>,
    shared: Option<u64>,
    /// Whether the weights always add up to one.
    normalized: bool,
    /// Whether some layers can be without experts.
    steps: bool,
}

/// Mixtral's.
const MIXTRAL: Defaults = Defaults {
    count: ("num_local_experts", 8),
    per_token: 2,
    intermediate_size: None,
    shared: None,
    normalized: true,
    steps: false,
};

fn defaults(model_type: DecoderType) -> Option<Defaults> {
    let mixtral = MIXTRAL;
    Some(match model_type {
        DecoderType::Mixtral
        | DecoderType::MiniMax
        | DecoderType::Cohere2Moe
        | DecoderType::GraniteMoe
        | DecoderType::JetMoe
        | DecoderType::GraniteMoeShared
        | DecoderType::GraniteMoeSwa
        | DecoderType::GraniteMoeHybrid => mixtral,
        DecoderType::HunyuanMoe => Defaults {
            count: ("num_experts", 1),
            per_token: 1,
            ..mixtral
        },
        DecoderType::Ernie45Moe => Defaults {
            count: ("moe_num_experts", 64),
            per_token: 6,
            intermediate_size: Some(1536),
            ..mixtral
        },
        DecoderType::Jamba => Defaults {
            count: ("num_experts", 16),
            normalized: false,
            ..mixtral
        },
        DecoderType::Llama4 => Defaults {
            count: ("num_local_experts", 16),
            per_token: 1,
            ..mixtral
        },
        DecoderType::Olmoe => Defaults {
            count: ("num_experts", 64),
            per_token: 8,
            normalized: false,
            ..mixtral
        },
        DecoderType::FlexOlmo => Defaults {
            count: ("num_experts", 7),
            per_token: 5,
            normalized: false,
            ..mixtral
        },
        DecoderType::MiniMaxM2 => Defaults {
            count: ("num_local_experts", 256),
            per_token: 8,
            ..mixtral
        },
        DecoderType::Qwen2Moe => Defaults {
            count: ("num_experts", 60),
            per_token: 4,
            intermediate_size: Some(1408),
            shared: Some(5632),
            normalized: false,
            steps: true,
        },
        DecoderType::Qwen35Moe => Defaults {
            count: ("num_experts", 256),
            per_token: 8,
            intermediate_size: Some(512),
            shared: Some(512),
            ..mixtral
        },
        DecoderType::Mellum => Defaults {
            count: ("num_local_experts", 64),
            per_token: 8,
            intermediate_size: Some(896),
            normalized: false,
            ..mixtral
        },
        DecoderType::Qwen3Next => Defaults {
            count: ("num_experts", 512),
            per_token: 10,
            intermediate_size: Some(512),
            shared: Some(512),
            normalized: false,
            steps: true,
        },
        DecoderType::Qwen3Moe => Defaults {
            count: ("num_experts", 128),
            per_token: 8,
            intermediate_size: Some(768),
            shared: None,
            normalized: false,
            steps: true,
        },
        DecoderType::PhiMoe => Defaults {
            count: ("num_local_experts", 16),
            ..mixtral
        },
        DecoderType::GptOss => Defaults {
            count: ("num_local_experts", 128),
            per_token: 4,
            ..mixtral
        },
        _ => return None,
    })
}

/// The field that says how wide an expert is.
pub(crate) fn width_field(model_type: DecoderType) -> &'static str {
    match defaults(model_type) {
        Some(defaults) if defaults.intermediate_size.is_none() => "intermediate_size",
        _ => "moe_intermediate_size",
    }
}

/// Reads the experts of a config with transformers' defaults for absent fields. What is wrong is
/// pushed to `fields`.
pub(crate) fn read(
    model_type: DecoderType,
    layers: u64,
    intermediate_size: u64,
    fields: &mut ConfigFields<'_>,
) -> Option<Experts> {
    let defaults = defaults(model_type)?;
    let (name, default) = defaults.count;
    match (model_type, fields.get(name).and_then(Value::as_u64)) {
        (DecoderType::GraniteMoeHybrid | DecoderType::Qwen3Next, Some(0))
        | (DecoderType::Jamba, Some(1)) => return None,
        _ => {}
    }
    let count = fields.named(&[name, "num_experts"], &EXPERTS, default);
    let per_token = per_token(count, defaults.per_token, fields);
    let (form, mut routing, mut shared) = kinds(model_type);
    match &mut routing {
        Routing::Drawn { jitter } => *jitter = fields.drops("input_jitter_noise", false),
        Routing::Chosen { sigmoid } => {
            *sigmoid = fields.text("expert_selection_fn") == Some("sigmoid");
            if fields.text("shared_expert_combination_strategy") == Some("sum") {
                shared = SharedForm::Last { wide: false };
            }
        }
        _ => warn_of_options(fields),
    }
    let intermediate_size = match defaults.intermediate_size {
        Some(default) => fields.optional("moe_intermediate_size", &WIDTH, default),
        None => intermediate_size,
    };
    Some(Experts {
        count,
        per_token,
        intermediate_size,
        shared_intermediate_size: match model_type {
            DecoderType::GraniteMoeShared
            | DecoderType::GraniteMoeSwa
            | DecoderType::GraniteMoeHybrid => {
                let default = if model_type == DecoderType::GraniteMoeHybrid {
                    SHARED_OF_HYBRID
                } else {
                    0
                };
                let width =
                    fields.optional("shared_intermediate_size", &(0..=*WIDTH.end()), default);
                Some(width).filter(|&width| width > 0)
            }
            DecoderType::Ernie45Moe => {
                let count = fields.optional("moe_num_shared_experts", &(0..=*EXPERTS.end()), 2);
                Some(count * intermediate_size).filter(|&width| width > 0)
            }
            DecoderType::Cohere2Moe => {
                let count = fields.optional("num_shared_experts", &(0..=*EXPERTS.end()), 0);
                Some(count * intermediate_size).filter(|&width| width > 0)
            }
            DecoderType::HunyuanMoe | DecoderType::Llama4 => Some(intermediate_size),
            _ => {
                let shared = defaults.shared;
                let field = "shared_expert_intermediate_size";
                shared.map(|default| fields.optional(field, &WIDTH, default))
            }
        },
        latent_size: None,
        wide_correction: false,
        shared,
        form,
        routing,
        built_first: matches!(
            model_type,
            DecoderType::Qwen3Moe | DecoderType::Llama4 | DecoderType::Mellum
        ),
        normalized: if model_type == DecoderType::Cohere2Moe {
            fields.flag("norm_topk_prob", true)
        } else {
            let default = matches!(model_type, DecoderType::Qwen3Next | DecoderType::Mellum);
            defaults.normalized || fields.flag("norm_topk_prob", default)
        },
        balanced: fields.flag("output_router_logits", false)
            && !matches!(
                model_type,
                DecoderType::HunyuanMoe | DecoderType::Llama4 | DecoderType::Cohere2Moe
            ),
        sparse: match model_type {
            DecoderType::Llama4 => interleaved(layers, fields),
            DecoderType::Jamba => periodic(
                layers,
                ["expert_layer_period", "expert_layer_offset"],
                [2, 1],
                fields,
            ),
            DecoderType::Ernie45Moe => between(layers, fields),
            DecoderType::Mellum => listed(layers, |_| true, fields),
            DecoderType::Cohere2Moe => {
                let dense = windows::dense(fields);
                listed(layers, |layer| layer >= dense, fields)
            }
            _ => sparse(layers, defaults.steps, fields),
        },
    })
}

/// How a family's experts compute and are chosen, and how one that all tokens go through stands
/// beside them.
fn kinds(model_type: DecoderType) -> (ExpertForm, Routing, SharedForm) {
    let (gated, of_own) = (ExpertForm::Gated, SharedForm::Gated);
    match model_type {
        DecoderType::Mixtral | DecoderType::MiniMax => (gated, Routing::WideSoftmax, of_own),
        DecoderType::GptOss => (
            ExpertForm::Clamped,
            Routing::Largest { biased: true },
            of_own,
        ),
        DecoderType::GraniteMoe => (gated, Routing::Largest { biased: false }, of_own),
        DecoderType::JetMoe => (gated, Routing::Sorted, of_own),
        DecoderType::GraniteMoeShared
        | DecoderType::GraniteMoeSwa
        | DecoderType::GraniteMoeHybrid => (
            gated,
            Routing::Largest { biased: false },
            SharedForm::Beside,
        ),
        DecoderType::HunyuanMoe => (gated, Routing::WideGate, SharedForm::First),
        DecoderType::Ernie45Moe => (gated, Routing::Static, SharedForm::First),
        DecoderType::Jamba => (gated, Routing::SoftmaxOfTokens, of_own),
        DecoderType::MiniMaxM2 => (gated, Routing::CorrectedOutside, of_own),
        DecoderType::Llama4 => (gated, Routing::Sigmoid, SharedForm::Plain),
        DecoderType::PhiMoe => (gated, Routing::Drawn { jitter: false }, of_own),
        DecoderType::Cohere2Moe => (
            gated,
            Routing::Chosen { sigmoid: false },
            SharedForm::Averaged,
        ),
        _ => (gated, Routing::Softmax, of_own),
    }
}

/// Llama 4's layers with experts: those that are listed, else every so many.
fn interleaved(layers: u64, fields: &mut ConfigFields<'_>) -> Vec<bool> {
    let step = fields.optional("interleave_moe_layer_step", &LAYERS, 1);
    let listed = fields.get("moe_layers").and_then(Value::as_array);
    let is_sparse = |layer: u64| match listed {
        Some(listed) => listed.contains(&Value::from(layer)),
        None => (layer + 1).is_multiple_of(step),
    };
    (0..layers).map(is_sparse).collect()
}

/// Of each layer whether it is one of every so many, counted from an offset.
pub(crate) fn periodic(
    layers: u64,
    [period, offset]: [&str; 2],
    defaults: [u64; 2],
    fields: &mut ConfigFields<'_>,
) -> Vec<bool> {
    let every = fields.optional(period, &LAYERS, defaults[0]);
    let first = fields.optional(offset, &(0..=*LAYERS.end()), defaults[1]);
    (0..layers).map(|layer| layer % every == first).collect()
}

/// ERNIE's layers with experts: every so many between the first and the last of them.
fn between(layers: u64, fields: &mut ConfigFields<'_>) -> Vec<bool> {
    let of_layers = 0..=*LAYERS.end();
    let first = fields.optional("moe_layer_start_index", &of_layers, 1);
    let step = fields.optional("moe_layer_interval", &LAYERS, 1);
    let last = match fields.get("moe_layer_end_index").and_then(Value::as_i64) {
        Some(-1) | None => layers,
        Some(_) => fields.optional("moe_layer_end_index", &of_layers, layers),
    };
    let is_sparse =
        |layer: u64| (layer + 1).is_multiple_of(step) && (first..=last).contains(&layer);
    (0..layers).map(is_sparse).collect()
}

/// Of each layer whether it has experts: as `mlp_layer_types` says, else by `default`.
pub(crate) fn listed(
    layers: u64,
    default: impl Fn(u64) -> bool,
    fields: &ConfigFields<'_>,
) -> Vec<bool> {
    let types = fields.get("mlp_layer_types").and_then(Value::as_array);
    let given = |layer| types.and_then(|types| types.get(usize::try_from(layer).ok()?));
    let is_sparse = |layer| given(layer).map_or_else(|| default(layer), |name| name == "sparse");
    (0..layers).map(is_sparse).collect()
}

/// Warns of options of a router that are not counted.
pub(crate) fn warn_of_options(fields: &mut ConfigFields<'_>) {
    const FIELD: &str = "router_jitter_noise";
    let noise = fields.get(FIELD).and_then(Value::as_f64);
    if noise.is_some_and(|x| x > 0.0) {
        let key = fields.key(FIELD);
        fields.push(
            Finding::warning(
                &key,
                format!("What {FIELD} takes for a moment is not counted."),
                format!("未计入 {FIELD} 的临时占用。"),
            )
            .with_fix(&key, Value::Null),
        );
    }
}

/// `num_experts_per_tok`, which cannot be more than there are.
pub(crate) fn per_token(count: u64, default: u64, fields: &mut ConfigFields<'_>) -> u64 {
    const FIELDS: [&str; 4] = ["num_experts_per_tok", "moe_topk", "moe_k", "top_k_experts"];
    let per_token = fields.named(&FIELDS, &EXPERTS, default);
    if per_token <= count {
        return per_token;
    }
    let given = FIELDS.iter().find(|field| fields.get(field).is_some());
    let key = fields.key(given.unwrap_or(&FIELDS[0]));
    fields.push(
        Finding::error(
            &key,
            format!(
                "Each token is to go through {per_token} experts, but a layer has only {count}."
            ),
            format!("每个词元要经过 {per_token} 个专家，但每层只有 {count} 个专家。"),
        )
        .with_fix(&key, count),
    );
    count
}

/// Of each layer whether it has experts: every `decoder_sparse_step`th, but not those listed in
/// `mlp_only_layers`.
fn sparse(layers: u64, steps: bool, fields: &mut ConfigFields<'_>) -> Vec<bool> {
    let step = if steps {
        fields.optional("decoder_sparse_step", &LAYERS, 1)
    } else {
        1
    };
    let dense = fields.get("mlp_only_layers").and_then(Value::as_array);
    let is_dense = |layer: u64| {
        steps && dense.is_some_and(|dense| dense.iter().any(|n| n.as_u64() == Some(layer)))
    };
    (0..layers)
        .map(|layer| (layer + 1).is_multiple_of(step) && !is_dense(layer))
        .collect()
}

/// What there is to say where layers without experts are to be balanced, one of them or all.
#[inline(never)] // Not in `resolve`, so that the page can fetch it later.
pub(crate) fn why_unbalanced(key: &str, one: bool) -> Finding {
    let [english, chinese] = if one {
        [
            "The loss that balances experts fails where a layer has none.",
            "有任何一层不含专家时，计算专家负载均衡损失会报错。",
        ]
    } else {
        [
            "The loss that balances experts fails where no layer has any.",
            "没有任何一层含有专家时，计算专家负载均衡损失会报错。",
        ]
    };
    Finding::error(key, english, chinese).with_fix(key, false)
}

//! Which layers of a decoder see a window only, and which are not turned by positions
//! (`models/*/configuration_*.py` of transformers 5.23).

use crate::ask::{Finding, LAYERS, SEQ_LEN};
use crate::families::reading::listed;
use crate::model::ConfigFields;
use crate::model::DecoderType;
use serde_json::Value;

/// The window and the layers that have it.
pub(crate) fn window(
    model_type: DecoderType,
    layers: u64,
    fields: &mut ConfigFields<'_>,
) -> (Option<u64>, Vec<bool>) {
    // The window of a config that names none (transformers' default where there is one).
    let default = match model_type {
        DecoderType::GptOss | DecoderType::GraniteSwa | DecoderType::GraniteMoeSwa => 128,
        DecoderType::Afmoe | DecoderType::Mellum => 1024,
        DecoderType::Cwm => 8192,
        _ => 4096,
    };
    let given = fields.get("sliding_window").is_some();
    let has_window = match model_type {
        DecoderType::Starcoder2 | DecoderType::PhiMoe | DecoderType::Ministral3 => given,
        DecoderType::SmolLm3 => given && fields.flag("use_sliding_window", false),
        DecoderType::Cohere2
        | DecoderType::Cohere2Moe
        | DecoderType::Ministral
        | DecoderType::Exaone4
        | DecoderType::ExaoneMoe
        | DecoderType::Cwm
        | DecoderType::Afmoe
        | DecoderType::Mellum
        | DecoderType::GptOss
        | DecoderType::GraniteSwa
        | DecoderType::GraniteMoeSwa
        | DecoderType::Dots1
        | DecoderType::Olmo3 => !fields.is_null("sliding_window"),
        _ => false,
    };
    if model_type.is_granite_swa() && !has_window {
        let key = fields.key("sliding_window");
        fields.push(
            Finding::error(
                &key,
                "transformers makes a mask of the window for this model in any case, and fails without one.",
                "transformers 总会为该模型生成滑动窗口掩码，没有窗口时会报错。",
            )
            .with_fix(&key, default),
        );
    }
    if !has_window {
        return (None, Vec::new());
    }
    let window = fields.optional("sliding_window", &SEQ_LEN, default);
    let period = match model_type {
        DecoderType::Cohere2
        | DecoderType::Cohere2Moe
        | DecoderType::Exaone4
        | DecoderType::ExaoneMoe
        | DecoderType::Olmo3
            if fields.get("layer_types").is_none() =>
        {
            Some(fields.optional("sliding_window_pattern", &LAYERS, 4))
        }
        DecoderType::GptOss => Some(2),
        DecoderType::Afmoe => Some(fields.optional("global_attn_every_n_layers", &LAYERS, 4)),
        _ => None,
    };
    let border = match model_type {
        DecoderType::Dots1 => fields.optional("max_window_layers", &(0..=*LAYERS.end()), 62),
        _ => 0,
    };
    let without = unturned_by_config(layers, fields);
    let (dense, of_dense) = match model_type {
        DecoderType::Cohere2Moe => (dense(fields), of_dense(fields)),
        _ => (0, 1),
    };
    let sees_window = |layer: u64| match (model_type, period) {
        (DecoderType::Mellum, _) => false,
        (DecoderType::SmolLm3, _) => usize::try_from(layer).is_ok_and(|i| without[i]),
        (_, Some(_)) if layer < dense => !(layer + 1).is_multiple_of(of_dense),
        (_, Some(period)) => !(layer - dense + 1).is_multiple_of(period),
        (DecoderType::Cwm | DecoderType::GraniteSwa | DecoderType::GraniteMoeSwa, _) => {
            !layer.is_multiple_of(4)
        }
        _ => layer >= border,
    };
    let windowed = match model_type {
        DecoderType::Starcoder2 | DecoderType::PhiMoe | DecoderType::Ministral3 => {
            (0..layers).map(|_| true).collect()
        }
        _ => fields.windowed_layers(layers, sees_window),
    };
    let without = matches!(model_type, DecoderType::Dots1 | DecoderType::Mellum);
    let any = !without || windowed.contains(&true);
    (any.then_some(window), windowed)
}

/// The lists of a config that have an entry for each layer.
pub(crate) const TYPES: [&str; 2] = ["layer_types", "mlp_layer_types"];

/// Refuses those with another number of entries, as `PreTrainedConfig.validate_layer_type` does.
pub(crate) fn check_types(layers: u64, fields: &mut ConfigFields<'_>) {
    for name in TYPES {
        let given = fields.get(name).and_then(Value::as_array);
        let Some(types) = given.filter(|types| types.len() as u64 != layers) else {
            continue;
        };
        let count = types.len();
        let fitting = (0..layers).zip(types.iter().cycle());
        let fitting: Vec<Value> = fitting.map(|(_, kind)| kind.clone()).collect();
        let fitting = (count > 0).then_some(fitting);
        let key = fields.key(name);
        fields.push(
            Finding::error(
                &key,
                format!("{name} has {count} entries, but there are {layers} layers: transformers refuses that."),
                format!("{name} 有 {count} 项，而模型有 {layers} 层：transformers 会报错。"),
            )
            .with_fix(&key, fitting),
        );
    }
}

/// `first_k_dense_replace` of Command A with experts: layers before the first with experts, whose windows
/// have a period of their own.
pub(crate) fn dense(fields: &mut ConfigFields<'_>) -> u64 {
    fields.optional("first_k_dense_replace", &(0..=*LAYERS.end()), 0)
}

/// That period.
fn of_dense(fields: &mut ConfigFields<'_>) -> u64 {
    fields.optional("prefix_dense_sliding_window_pattern", &LAYERS, 1)
}

/// Of each layer whether positions do not turn its queries and keys. Layers without a window are
/// not turned where others have one.
pub(crate) fn unturned(
    model_type: DecoderType,
    layers: u64,
    windowed: Option<&Vec<bool>>,
    fields: &mut ConfigFields<'_>,
) -> Vec<bool> {
    match (model_type, windowed) {
        (DecoderType::SmolLm3, _) => unturned_by_config(layers, fields),
        (
            DecoderType::Cohere2
            | DecoderType::Exaone4
            | DecoderType::ExaoneMoe
            | DecoderType::Afmoe,
            Some(windowed),
        ) => windowed.iter().map(|near| !near).collect(),
        (DecoderType::Cohere2Moe, windowed) => {
            let dense = dense(fields);
            let sparse = listed(layers, |layer| layer >= dense, fields);
            // `force_rope`: dense layers are turned where none of them has a window.
            let forced = of_dense(fields) == 1;
            let near = |i: usize| windowed.is_some_and(|windowed| windowed[i]);
            let straight = |(i, sparse): (usize, bool)| !near(i) && (sparse || !forced);
            sparse.into_iter().enumerate().map(straight).collect()
        }
        (DecoderType::Cohere2 | DecoderType::Afmoe, None) => (0..layers).map(|_| true).collect(),
        _ => Vec::new(),
    }
}

/// Of each layer of Granite with windows which of the distinct bases of `layer_rope_theta` it is turned
/// by, in the order of their size; none where that is 0.
pub(crate) fn bases(
    model_type: DecoderType,
    layers: u64,
    fields: &mut ConfigFields<'_>,
) -> Vec<Option<usize>> {
    const FIELD: &str = "layer_rope_theta";
    if !model_type.is_granite_swa() {
        return Vec::new();
    }
    let Some(given) = fields.get(FIELD).and_then(Value::as_array) else {
        return (0..layers).map(|_| Some(0)).collect();
    };
    let count = given.len();
    if (count as u64) < layers {
        let key = fields.key(FIELD);
        fields.push(
            Finding::error(
                &key,
                format!("{FIELD} has {count} entries, but there are {layers} layers: transformers fails at that."),
                format!("{FIELD} 有 {count} 项，而模型有 {layers} 层：transformers 会报错。"),
            )
            .with_fix(&key, Value::Null),
        );
    }
    let listed: Vec<f64> = given.iter().filter_map(Value::as_f64).collect();
    let mut distinct: Vec<f64> = listed.iter().copied().filter(|&base| base != 0.0).collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let place = |base: &f64| {
        distinct
            .binary_search_by(|other| other.total_cmp(base))
            .ok()
    };
    listed.iter().map(place).collect()
}

/// Of each layer whether positions do not turn it, by `no_rope_layers`, which has a 1 for each layer that is turned; without it each
/// `no_rope_layer_interval`th is not.
pub(crate) fn unturned_by_config(layers: u64, fields: &mut ConfigFields<'_>) -> Vec<bool> {
    let given = fields.get("no_rope_layers").and_then(Value::as_array);
    let interval = fields.optional("no_rope_layer_interval", &LAYERS, 4);
    let flag = |layer: u64| match given {
        Some(flags) => {
            let flag = usize::try_from(layer).ok().and_then(|i| flags.get(i));
            flag.and_then(Value::as_u64) == Some(0)
        }
        None => (layer + 1).is_multiple_of(interval),
    };
    (0..layers).map(flag).collect()
}

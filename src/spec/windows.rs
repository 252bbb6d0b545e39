//! Which layers of a decoder see a window only, and which are not turned by positions
//! (`models/*/configuration_*.py` of transformers 5.23).

use super::DecoderType;
use super::config_fields::ConfigFields;
use super::experts::listed;
use super::limits::{LAYERS, SEQ_LEN};
use serde_json::Value;

/// The window and the layers that have it.
pub(super) fn window(
    model_type: DecoderType,
    layers: u64,
    fields: &mut ConfigFields<'_>,
) -> (Option<u64>, Vec<bool>) {
    // The window of a config that names none (transformers' default where there is one).
    let default = match model_type {
        DecoderType::GptOss => 128,
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
        | DecoderType::Dots1
        | DecoderType::Olmo3 => !fields.is_null("sliding_window"),
        _ => false,
    };
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
            // A text has a letter for each layer of a period: `LLLG`.
            let letters = fields.text("sliding_window_pattern").map(str::len);
            let letters = letters.and_then(|letters| u64::try_from(letters).ok());
            Some(
                letters
                    .filter(|&n| n > 0)
                    .unwrap_or_else(|| fields.optional("sliding_window_pattern", &LAYERS, 4)),
            )
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
        (DecoderType::Cwm, _) => !layer.is_multiple_of(4),
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

/// `first_k_dense_replace` of Command A with experts: layers before the first with experts, whose windows
/// have a period of their own.
pub(super) fn dense(fields: &mut ConfigFields<'_>) -> u64 {
    fields.optional("first_k_dense_replace", &(0..=*LAYERS.end()), 0)
}

/// That period.
fn of_dense(fields: &mut ConfigFields<'_>) -> u64 {
    fields.optional("prefix_dense_sliding_window_pattern", &LAYERS, 1)
}

/// Of each layer whether positions do not turn its queries and keys. Layers without a window are
/// not turned where others have one.
pub(super) fn unturned(
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

/// The same by `no_rope_layers`, which has a 1 for each layer that is turned; without it each
/// `no_rope_layer_interval`th is not.
pub(super) fn unturned_by_config(layers: u64, fields: &mut ConfigFields<'_>) -> Vec<bool> {
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

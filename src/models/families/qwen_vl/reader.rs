//! Decoders that read images of any size, whose patches lie in one list
//! (`models/{qwen2_vl,qwen2_5_vl,qwen3_vl,qwen3_vl_moe}/configuration_*.py` of transformers 5.23).

use crate::ask::{Finding, HEADS, LAYERS, WIDTH, message};
use crate::families::image_text::part;
use crate::families::qwen::{QWEN2, QWEN3, QWEN3_MOE};
use crate::families::reading::decoder;
use crate::families::reading::experts::why_unbalanced;
use crate::families::vit::{CHANNELS, PIXELS};
use crate::model::ConfigFields;
use crate::model::{
    Activation, DecoderConfig, DeepConfig, Family, ImageConfig, ImageKind, PackedConfig,
    TowerConfig,
};
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// Patches along a side of what becomes one token.
const MERGE: RangeInclusive<u64> = 1..=1 << 6;

/// The decoder that reads images so.
pub(crate) fn decoder(kind: ImageKind) -> Option<&'static Family> {
    match kind {
        ImageKind::Qwen2 | ImageKind::Qwen25 => Some(&QWEN2),
        ImageKind::Qwen3 => Some(&QWEN3),
        ImageKind::Qwen3Moe => Some(&QWEN3_MOE),
        _ => None,
    }
}

/// Reads a config, whose text part may lie in `text_config` or beside the others. Errors are pushed to `fields`; the
/// sizes are then of no use.
pub(crate) fn read(
    kind: ImageKind,
    family: &'static Family,
    fields: &mut ConfigFields<'_>,
) -> DecoderConfig {
    let nothing = Map::new();
    let nested = matches!(fields.get("text_config"), Some(Value::Object(_)));
    let mut text = if nested {
        let text = part(fields, "text_config", &nothing);
        ConfigFields::new(text, &nothing, "model.hf_config.text_config")
    } else {
        fields.again()
    };
    let mut config = decoder::read(family, &mut text);
    if text.get("num_key_value_heads").is_none() {
        let shared = match kind {
            ImageKind::Qwen3 => 32,
            ImageKind::Qwen3Moe => 16,
            _ => 8,
        };
        config.num_key_value_heads = shared.min(config.num_attention_heads);
    }
    if let Some(experts) = &mut config.experts {
        experts.normalized = true;
        if experts.balanced && !experts.sparse.contains(&true) {
            let key = text.key("output_router_logits");
            text.push(why_unbalanced(&key, false));
        }
    }
    // Of the text part alone since Qwen3-VL.
    let tied = *family == QWEN2 && config.tie_word_embeddings;
    config.tie_word_embeddings = fields.flag("tie_word_embeddings", false) || tied;
    let seen = part(fields, "vision_config", &nothing);
    let mut seen = ConfigFields::new(seen, &nothing, "model.hf_config.vision_config");
    let images = tower(kind, config.hidden_size, &mut seen);
    for finding in text.into_findings().into_iter().chain(seen.into_findings()) {
        fields.push(finding);
    }
    config.images = Some(Box::new(ImageConfig::Packed(images)));
    config
}

/// The tower before a decoder of `hidden` columns.
fn tower(kind: ImageKind, hidden: u64, seen: &mut ConfigFields<'_>) -> PackedConfig {
    let windowed = kind == ImageKind::Qwen25;
    let deep = matches!(kind, ImageKind::Qwen3 | ImageKind::Qwen3Moe);
    let (width, columns, out) = match kind {
        ImageKind::Qwen2 => ("embed_dim", 1280, "hidden_size"),
        ImageKind::Qwen25 => ("hidden_size", 3584, "out_hidden_size"),
        _ => ("hidden_size", 1152, "out_hidden_size"),
    };
    let hidden_size = seen.optional(width, &WIDTH, columns);
    let given = seen.optional(out, &WIDTH, 3584);
    if given != hidden {
        let key = seen.key(out);
        seen.push(
            Finding::error(&key, message!(image_text::tower_columns, given, hidden))
                .with_fix(&key, hidden),
        );
    }
    let heads = seen.named(&["num_heads", "num_attention_heads"], &HEADS, 16);
    let head_dim = seen.divided(hidden_size, heads, "num_heads");
    if !head_dim.is_multiple_of(4) {
        let key = seen.key("num_heads");
        seen.push(Finding::error(
            &key,
            message!(image_text::tower_heads, head_dim),
        ));
    }
    let layers = seen.named(
        &["depth", "num_hidden_layers"],
        &LAYERS,
        if deep { 27 } else { 32 },
    );
    let patch_size = seen.optional("patch_size", &PIXELS, if deep { 16 } else { 14 });
    let merge = seen.optional("spatial_merge_size", &MERGE, 2);
    let tower = TowerConfig {
        hidden_size,
        intermediate_size: if windowed || deep {
            seen.optional("intermediate_size", &WIDTH, if deep { 4304 } else { 3420 })
        } else {
            hidden_size * seen.optional("mlp_ratio", &(1..=1 << 6), 4)
        },
        num_hidden_layers: layers,
        num_attention_heads: heads,
        head_dim,
        activation: if windowed {
            seen.check_activation("hidden_act", &["silu"]);
            Activation::Silu
        } else {
            let default = if deep {
                "gelu_pytorch_tanh"
            } else {
                "quick_gelu"
            };
            seen.activation("hidden_act", default)
        },
        attention_dropout: false,
    };
    PackedConfig {
        kind,
        tower,
        channels: seen.optional("in_channels", &CHANNELS, 3),
        patch_size,
        temporal_patch_size: seen.optional("temporal_patch_size", &MERGE, 2),
        merge,
        window: windowed.then(|| window(seen, patch_size * merge)),
        full: full_layers(seen, layers, windowed),
        deep: deep.then(|| deep_features(seen)),
    }
}

/// A table of positions, and the layers whose results are features.
fn deep_features(seen: &mut ConfigFields<'_>) -> DeepConfig {
    const DEFAULT: [u64; 3] = [8, 16, 24];
    let given = seen
        .get("deepstack_visual_indexes")
        .and_then(Value::as_array);
    let layers = given.map_or(DEFAULT.to_vec(), |given| {
        given.iter().filter_map(Value::as_u64).collect()
    });
    DeepConfig {
        positions: seen.optional("num_position_embeddings", &(1..=1 << 24), 2304),
        layers,
    }
}

/// Tokens along a side of a window, each of `token` pixels.
pub(crate) fn window(seen: &mut ConfigFields<'_>, token: u64) -> u64 {
    let window = seen.optional("window_size", &(1..=1 << 16), 112);
    if window >= token {
        return window / token.max(1);
    }
    let key = seen.key("window_size");
    seen.push(
        Finding::error(&key, message!(qwen_vl::window_too_small, window, token))
            .with_fix(&key, 4 * token),
    );
    1
}

/// For each layer, whether it sees all of an image.
fn full_layers(seen: &ConfigFields<'_>, layers: u64, windowed: bool) -> Vec<bool> {
    const DEFAULT: [u64; 4] = [7, 15, 23, 31];
    let given = seen.get("fullatt_block_indexes").and_then(Value::as_array);
    let is_full = |layer: u64| match given {
        Some(given) => given.iter().any(|index| index.as_u64() == Some(layer)),
        None => DEFAULT.contains(&layer),
    };
    (0..layers)
        .map(|layer| !windowed || is_full(layer))
        .collect()
}

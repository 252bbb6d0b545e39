//! `InternVL`: images in squares, which a vision transformer of its own sees
//! (`models/internvl/configuration_internvl.py` of transformers 5.23).

use crate::ask::{Finding, HEADS, LAYERS, WIDTH, message};
use crate::families::vit::{CHANNELS, PIXELS, check_patches};
use crate::model::ConfigFields;
use crate::model::{InternConfig, TowerConfig};
use serde_json::Value;

/// Reads the tower and the projector between it and the decoder.
pub(crate) fn read(fields: &mut ConfigFields<'_>, mut seen: ConfigFields<'_>) -> InternConfig {
    let hidden_size = seen.optional("hidden_size", &WIDTH, 1024);
    let heads = seen.optional("num_attention_heads", &HEADS, 16);
    let tower = TowerConfig {
        hidden_size,
        intermediate_size: seen.optional("intermediate_size", &WIDTH, 4096),
        num_hidden_layers: seen.optional("num_hidden_layers", &LAYERS, 24),
        num_attention_heads: heads,
        head_dim: seen.divided(hidden_size, heads, "num_attention_heads"),
        activation: seen.activation("hidden_act", "gelu"),
        attention_dropout: seen.drops("attention_dropout", false),
    };
    let image_size = side(&mut seen, "image_size", 448);
    let patch_size = side(&mut seen, "patch_size", 14);
    check_patches(&mut seen, [image_size, patch_size]);
    let absolute = seen.flag("use_absolute_position_embeddings", true);
    let unlike = [
        (
            "hidden_dropout_prob",
            seen.drops("hidden_dropout_prob", false),
            Value::from(0.0),
        ),
        (
            "projection_dropout",
            seen.drops("projection_dropout", false),
            Value::from(0.0),
        ),
        (
            "use_mask_token",
            seen.flag("use_mask_token", false),
            Value::from(false),
        ),
        (
            "use_absolute_position_embeddings",
            !absolute,
            Value::from(true),
        ),
    ];
    for (field, _, usual) in unlike.into_iter().filter(|(_, found, _)| *found) {
        refuse(&mut seen, field, usual);
    }
    let norms = seen.text("norm_type").unwrap_or("layer_norm");
    if !["layer_norm", "rms_norm"].contains(&norms) {
        refuse(&mut seen, "norm_type", "layer_norm".into());
    }
    let root_norms = norms == "rms_norm";
    let config = InternConfig {
        tower,
        channels: seen.optional("num_channels", &CHANNELS, 3),
        image_size,
        patch_size,
        merge: merge(fields, image_size / patch_size.max(1)),
        attention_bias: seen.flag("attention_bias", false),
        qk_norm: seen.flag("use_qk_norm", false),
        root_norms,
        last_norm: !seen.flag("use_mean_pooling", true),
        activation: fields.activation("projector_hidden_act", "gelu"),
    };
    for finding in seen.into_findings() {
        fields.push(finding);
    }
    let last = fields.get("vision_feature_layer");
    if last.is_some_and(|layer| layer.as_i64() != Some(-1)) {
        refuse(fields, "vision_feature_layer", (-1).into());
    }
    let strategy = fields.text("vision_feature_select_strategy");
    if strategy.is_some_and(|strategy| strategy != "default") {
        refuse(fields, "vision_feature_select_strategy", "default".into());
    }
    config
}

/// Refuses a value of `field` other than the published models' `usual` one.
fn refuse(fields: &mut ConfigFields<'_>, field: &str, usual: Value) {
    let key = fields.key(field);
    fields.push(
        Finding::error(&key, message!(internvl::other_value, field, usual)).with_fix(&key, usual),
    );
}

/// Pixels along each side, which a config may write as height and width.
pub(crate) fn side(seen: &mut ConfigFields<'_>, field: &str, default: u64) -> u64 {
    let given = seen.get(field).and_then(Value::as_array);
    let Some(given) = given else {
        return seen.optional(field, &PIXELS, default);
    };
    let sides: Vec<u64> = given.iter().filter_map(Value::as_u64).collect();
    match sides[..] {
        [height, width] if height == width && PIXELS.contains(&height) => height,
        _ => {
            refuse(seen, field, default.into());
            default
        }
    }
}

/// Patches along each side of what becomes one token, of `side` patches along each side of a square.
fn merge(fields: &mut ConfigFields<'_>, side: u64) -> u64 {
    let ratio = fields.get("downsample_ratio").and_then(Value::as_f64);
    let known = [1_u32, 2, 4].into_iter().find(|merge| {
        let one = ratio.map(|ratio| (ratio * f64::from(*merge) - 1.0).abs() < 1e-9);
        one.unwrap_or(*merge == 2)
    });
    let merge = known
        .map(u64::from)
        .filter(|merge| side.is_multiple_of(*merge));
    merge.unwrap_or_else(|| {
        refuse(
            fields,
            "downsample_ratio",
            if side.is_multiple_of(2) { 0.5 } else { 1.0 }.into(),
        );
        1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    #[test]
    fn an_image_is_seen_in_the_arrangement_of_squares_nearest_to_its_shape() {
        let nothing = Map::new();
        let of = || ConfigFields::new(&nothing, &nothing, "model.hf_config");
        let config = read(&mut of(), of());
        // From transformers 5.23, without the square that shows all.
        for ([width, height], squares) in [
            ([768, 768], 4),
            ([448, 448], 1),
            ([1920, 1080], 8),
            ([1024, 768], 12),
            ([300, 2000], 7),
        ] {
            let all = if squares == 1 { 1 } else { squares + 1 };
            assert_eq!(config.tiles([height, width]), all, "{width} x {height}");
        }
    }
}

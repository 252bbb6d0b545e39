//! Swin transformers, the first and the second (`models/{swin,swinv2}/configuration_*.py` of transformers
//! 5.23).

use crate::ask::{
    ActivationCheckpointing, Attention, Finding, HEADS, LAYERS, Precision, Scenario, Task, WIDTH,
    message,
};
use crate::families::vit::{CHANNELS, PIXELS, check_patches};
use crate::model::{Architecture, Dropout, Family, SwinConfig};
use crate::model::{ConfigFields, shortened};
use crate::units::DType;
use serde_json::Value;

/// Stages of a model: each halves the image's sides.
pub(crate) const STAGES: std::ops::RangeInclusive<usize> = 1..=8;

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(
    family: &'static Family,
    second: bool,
    fields: &mut ConfigFields<'_>,
) -> SwinConfig {
    let image_size = fields.optional("image_size", &PIXELS, 224);
    let patch_size = fields.optional("patch_size", &PIXELS, 4);
    check_patches(fields, [image_size, patch_size]);
    let embed_dim = fields.optional("embed_dim", &WIDTH, 96);
    let depths = numbers(fields, "depths", &[2, 2, 6, 2], &LAYERS);
    let heads = numbers(fields, "num_heads", &[3, 6, 12, 24], &HEADS);
    if depths.len() != heads.len() || !STAGES.contains(&depths.len()) {
        let key = fields.key("num_heads");
        fields.push(Finding::error(&key, message!(swin::heads_and_depths)));
    }
    let stages: Vec<[u64; 2]> = depths
        .into_iter()
        .zip(heads)
        .map(<[u64; 2]>::from)
        .collect();
    for (stage, [_, heads]) in stages.iter().enumerate().take(*STAGES.end()) {
        fields.divided(embed_dim << stage, *heads, "num_heads");
    }
    let window_size = fields.optional("window_size", &PIXELS, 7);
    let least = (1..stages.len()).fold(image_size / patch_size.max(1), |side, _| side.div_ceil(2));
    if second {
        check_second(fields, &stages, image_size / patch_size.max(1));
    } else if least < window_size {
        let key = fields.key("window_size");
        fields.push(
            Finding::error(&key, message!(swin::window_too_large, least, window_size))
                .with_fix(&key, least),
        );
    }
    let ratio = fields.get("mlp_ratio").and_then(Value::as_f64);
    let hidden = fields.drops("hidden_dropout_prob", false);
    SwinConfig {
        family,
        second,
        image_size,
        patch_size,
        num_channels: fields.optional("num_channels", &CHANNELS, 3),
        embed_dim,
        stages,
        window_size,
        mlp_permille: permille(ratio.unwrap_or(4.0)),
        qkv_bias: fields.flag("qkv_bias", true),
        absolute: fields.flag("use_absolute_embeddings", false),
        activation: fields.activation("hidden_act", "gelu"),
        dropout: Dropout {
            embedding: hidden,
            attention: fields.drops("attention_probs_dropout_prob", false),
            residual: hidden,
        },
        drops_paths: fields.drops("drop_path_rate", true),
        num_labels: fields.labels(2),
    }
}

/// Refuses what transformers fails on in the second Swin, whose images have `side` patches along a side.
fn check_second(fields: &mut ConfigFields<'_>, stages: &[[u64; 2]], side: u64) {
    if fields.flag("use_absolute_embeddings", false) {
        let key = fields.key("use_absolute_embeddings");
        fields.push(
            Finding::error(&key, message!(swin::v2_absolute_positions)).with_fix(&key, false),
        );
    }
    let halved = stages.iter().skip(1).fold(side, |side, _| side / 2);
    if halved == 0 {
        let key = fields.key("image_size");
        fields.push(Finding::error(
            &key,
            message!(swin::v2_image_too_small, side, stages = stages.len()),
        ));
    }
    let trained = numbers(
        fields,
        "pretrained_window_sizes",
        &[0; 4],
        &(0..=*PIXELS.end()),
    );
    if trained.len() < stages.len() {
        let key = fields.key("pretrained_window_sizes");
        fields.push(
            Finding::error(
                &key,
                message!(swin::v2_trained_windows, stages = stages.len()),
            )
            .with_fix(&key, serde_json::json!(vec![0; stages.len()])),
        );
    }
}

/// Thousandths of a ratio from 0.001 to 64.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to what fits"
)]
fn permille(ratio: f64) -> u64 {
    (ratio.clamp(0.001, 64.0) * 1000.0).round() as u64
}

/// A list of whole numbers.
pub(crate) fn numbers(
    fields: &mut ConfigFields<'_>,
    field: &str,
    default: &[u64],
    allowed: &std::ops::RangeInclusive<u64>,
) -> Vec<u64> {
    let Some(value) = fields.get(field) else {
        return default.to_vec();
    };
    let read = value.as_array().and_then(|all| {
        let each = all
            .iter()
            .map(|one| one.as_u64().filter(|n| allowed.contains(n)));
        each.collect::<Option<Vec<u64>>>()
    });
    read.unwrap_or_else(|| {
        let (key, shown) = (fields.key(field), shortened(value));
        fields.push(
            Finding::error(&key, message!(swin::not_a_list, field, shown))
                .with_fix(&key, serde_json::json!(default)),
        );
        default.to_vec()
    })
}

/// Refuses cases of Swin that are not estimated yet.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    _: Task,
    findings: &mut Vec<Finding>,
) {
    let Architecture::Swin(config) = architecture else {
        return;
    };
    if config.second && scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error("attention", message!(swin::v2_eager_only))
                .with_fix("attention", Attention::Eager.name()),
        );
    }
    if !config.second && scenario.activation_checkpointing != ActivationCheckpointing::None {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                message!(swin::nested_checkpoints),
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::None.name(),
            ),
        );
    }
    if scenario.weights_dtype() != DType::Float32 {
        findings.push(
            Finding::error("precision", message!(swin::half_precision_images))
                .with_fix("precision", Precision::AmpBf16.name()),
        );
    }
}

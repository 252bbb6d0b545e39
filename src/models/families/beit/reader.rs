//! `BEiT` and data2vec's model of images with a classifier (`models/beit/configuration_beit.py` and
//! `models/data2vec/configuration_data2vec_vision.py` of transformers 5.23).

use crate::ask::{
    ActivationCheckpointing, Attention, Finding, HEADS, LAYERS, Precision, Scenario, Task, WIDTH,
    message,
};
use crate::families::vit::{CHANNELS, PIXELS, check_patches};
use crate::model::ConfigFields;
use crate::model::{Architecture, BeitConfig, Dropout, Family};
use crate::units::DType;

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(
    family: &'static Family,
    data2vec: bool,
    fields: &mut ConfigFields<'_>,
) -> BeitConfig {
    let hidden_size = fields.optional("hidden_size", &WIDTH, 768);
    let heads = fields.optional("num_attention_heads", &HEADS, 12);
    let image_size = fields.optional("image_size", &PIXELS, 224);
    let patch_size = fields.optional("patch_size", &PIXELS, 16);
    check_patches(fields, [image_size, patch_size]);
    let hidden = fields.drops("hidden_dropout_prob", false);
    let scale = fields
        .get("layer_scale_init_value")
        .and_then(serde_json::Value::as_f64);
    BeitConfig {
        family,
        data2vec,
        hidden_size,
        intermediate_size: fields.optional("intermediate_size", &WIDTH, 3072),
        num_hidden_layers: fields.optional("num_hidden_layers", &LAYERS, 12),
        num_attention_heads: heads,
        head_dim: fields.divided(hidden_size, heads, "num_attention_heads"),
        image_size,
        patch_size,
        num_channels: fields.optional("num_channels", &CHANNELS, 3),
        mask_token: fields.flag("use_mask_token", false),
        absolute: fields.flag("use_absolute_position_embeddings", false),
        relative: fields.flag("use_relative_position_bias", false),
        shared: fields.flag("use_shared_relative_position_bias", false),
        scales: scale.is_none_or(|scale| scale > 0.0),
        drops_paths: fields.drops("drop_path_rate", true),
        mean_pooling: fields.flag("use_mean_pooling", true),
        activation: fields.activation("hidden_act", "gelu"),
        dropout: Dropout {
            embedding: hidden,
            attention: fields.drops("attention_probs_dropout_prob", false),
            residual: hidden,
        },
        num_labels: fields.labels(2),
    }
}

/// Refuses what `BEiT` does not do.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    _: Task,
    findings: &mut Vec<Finding>,
) {
    let Architecture::Beit(config) = architecture else {
        return;
    };
    if config.shared
        && !config.data2vec
        && scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant
    {
        findings.push(
            Finding::error(
                "activation_checkpointing",
                message!(beit::reentrant_shared_biases),
            )
            .with_fix(
                "activation_checkpointing",
                ActivationCheckpointing::Full.name(),
            ),
        );
    }
    if scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error("attention", message!(beit::no_flash))
                .with_fix("attention", Attention::Sdpa.name()),
        );
    }
    if !config.data2vec && scenario.weights_dtype() != DType::Float32 {
        findings.push(
            Finding::error("precision", message!(beit::half_precision_images))
                .with_fix("precision", Precision::AmpBf16.name()),
        );
    }
}

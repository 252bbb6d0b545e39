//! `ConvNeXT`, its second version, and `ResNet` with a classifier
//! (`models/{convnext,convnextv2,resnet}/configuration_*.py` of transformers 5.23).

use crate::ask::{
    ActivationCheckpointing, Finding, LAYERS, Message, Precision, QuantizationType, Scenario, Task,
    WIDTH, message,
};
use crate::families::swin::{STAGES, numbers};
use crate::families::vit::{CHANNELS, PIXELS};
use crate::model::ConfigFields;
use crate::model::{Architecture, ConvNetConfig, ConvNetKind, Family};
use crate::units::DType;

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(
    family: &'static Family,
    kind: ConvNetKind,
    fields: &mut ConfigFields<'_>,
) -> ConvNetConfig {
    let resnet = kind == ConvNetKind::ResNet;
    let (widths, layers) = if resnet {
        ([256, 512, 1024, 2048], [3, 4, 6, 3])
    } else {
        ([96, 192, 384, 768], [3, 3, 9, 3])
    };
    let image_size = fields.optional("image_size", &PIXELS, 224);
    let patch_size = fields.optional("patch_size", &PIXELS, 4);
    let widths = numbers(fields, "hidden_sizes", &widths, &WIDTH);
    let depths = numbers(fields, "depths", &layers, &LAYERS);
    if depths.len() != widths.len() || !STAGES.contains(&depths.len()) {
        let key = fields.key("hidden_sizes");
        fields.push(Finding::error(&key, message!(conv_nets::widths_and_depths)));
    }
    let halved = depths.len().saturating_sub(1);
    let shrunk = (image_size / if resnet { 4 } else { patch_size.max(1) }) >> halved.min(8);
    if shrunk == 0 {
        let key = fields.key("image_size");
        fields.push(Finding::error(&key, message!(conv_nets::image_too_small)).with_fix(&key, 224));
    }
    let scale = fields
        .get("layer_scale_init_value")
        .and_then(serde_json::Value::as_f64);
    ConvNetConfig {
        family,
        kind,
        image_size,
        num_channels: fields.optional("num_channels", &CHANNELS, 3),
        patch_size,
        embedding_size: fields.optional("embedding_size", &WIDTH, 64),
        stages: widths
            .into_iter()
            .zip(depths)
            .map(<[u64; 2]>::from)
            .collect(),
        activation: fields.activation("hidden_act", if resnet { "relu" } else { "gelu" }),
        scales: kind == ConvNetKind::ConvNext && scale.is_none_or(|scale| scale > 0.0),
        drops_paths: !resnet && fields.drops("drop_path_rate", false),
        bottleneck: fields.text("layer_type") != Some("basic"),
        first_stage_strides: fields.flag("downsample_in_first_stage", false),
        first_convolution_strides: fields.flag("downsample_in_bottleneck", false),
        num_labels: fields.labels(2),
    }
}

/// Refuses settings that such a network does not take or that are not estimated yet.
pub(crate) fn check(scenario: &Scenario, _: &Architecture, _: Task, findings: &mut Vec<Finding>) {
    let mut refuse = |key: &str, why: Message, fix: &str| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    if scenario.activation_checkpointing != ActivationCheckpointing::None {
        refuse(
            "activation_checkpointing",
            message!(conv_nets::no_checkpoints),
            ActivationCheckpointing::None.name(),
        );
    }
    if scenario.weights_dtype() != DType::Float32 {
        refuse(
            "precision",
            message!(conv_nets::half_precision_images),
            Precision::AmpBf16.name(),
        );
    }
    if scenario.quantization.is_on() {
        refuse(
            "quantization.type",
            message!(conv_nets::quantized),
            QuantizationType::None.name(),
        );
    }
}

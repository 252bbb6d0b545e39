//! `BEiT` and data2vec's model of images with a classifier (`models/beit/configuration_beit.py` and
//! `models/data2vec/configuration_data2vec_vision.py` of transformers 5.23).

use crate::ask::{
    ActivationCheckpointing, Attention, Finding, HEADS, LAYERS, Precision, Scenario, Task, WIDTH,
    message,
};
use crate::families::vit::{CHANNELS, PIXELS, check_patches};
use crate::model::ConfigFields;
use crate::model::{Architecture, BeitConfig, Dropout, Family, Module, ModuleKind, linear, norm};
use crate::units::DType;

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
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

/// All modules with parameters, in the order of `named_modules`.
pub(crate) fn modules(c: &BeitConfig) -> Vec<Module> {
    let own = |path: String, parameters| Module {
        path,
        kind: ModuleKind::Other,
        parameters,
    };
    let table = &["relative_position_bias_table"];
    let embeddings: &[&str] = match (c.mask_token, c.absolute) {
        (true, true) => &["cls_token", "mask_token", "position_embeddings"],
        (true, false) => &["cls_token", "mask_token"],
        (false, true) => &["cls_token", "position_embeddings"],
        (false, false) => &["cls_token"],
    };
    let name = c.name();
    let mut all = vec![
        own(format!("{name}.embeddings"), embeddings),
        norm(format!("{name}.embeddings.patch_embeddings.projection")),
    ];
    let (shared, layers) = if c.data2vec {
        ("encoder.relative_position_bias", "encoder.layer")
    } else {
        ("shared_position_bias", "layers")
    };
    if c.shared {
        all.push(own(format!("{name}.{shared}"), table));
    }
    for i in 0..c.num_hidden_layers {
        let at = |part: &str| format!("{name}.{layers}.{i}{part}");
        let linears = |names: &[&str]| {
            let made = names.iter().map(|name| {
                linear(
                    at(name),
                    !name.ends_with("k_proj") && !name.ends_with("key"),
                )
            });
            made.collect::<Vec<_>>()
        };
        if c.scales {
            all.push(own(at(""), &["lambda_1", "lambda_2"]));
        }
        let norms = [".layernorm_before", ".layernorm_after"].map(|name| norm(at(name)));
        if c.data2vec {
            all.extend(linears(&[
                ".attention.attention.query",
                ".attention.attention.key",
                ".attention.attention.value",
            ]));
            if c.relative {
                all.push(own(
                    at(".attention.attention.relative_position_bias"),
                    table,
                ));
            }
            all.extend(linears(&[
                ".attention.output.dense",
                ".intermediate.dense",
                ".output.dense",
            ]));
            all.extend(norms);
            continue;
        }
        all.extend(linears(&[
            ".attention.q_proj",
            ".attention.k_proj",
            ".attention.v_proj",
            ".attention.o_proj",
        ]));
        all.extend(norms);
        all.extend(linears(&[".mlp.fc1", ".mlp.fc2"]));
        if c.relative {
            all.push(own(at(".relative_position_bias"), table));
        }
    }
    let pooler = if c.mean_pooling { ".pooler" } else { "" };
    all.push(norm(format!("{name}{pooler}.layernorm")));
    all.push(linear("classifier", true));
    all
}

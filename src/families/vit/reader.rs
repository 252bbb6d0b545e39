//! Vision transformers (`models/{vit,deit,dinov2,dinov2_with_registers,vit_msn,
//! audio_spectrogram_transformer}/configuration_*.py` of transformers 5.23, and the first of 4.51).

use crate::ask::{Finding, Framework, HEADS, LAYERS, WIDTH, message};
use crate::model::ConfigFields;
use crate::model::{
    Dropout, Family, Module, ModuleKind, Spectrogram, VitConfig, VitKind, linear, norm,
};
use std::ops::RangeInclusive;

/// Pixels along one side of an image or patch.
pub(crate) const PIXELS: RangeInclusive<u64> = 1..=1 << 14;

/// Channels of an image.
pub(crate) const CHANNELS: RangeInclusive<u64> = 1..=1 << 12;

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(crate) fn read(
    family: &'static Family,
    kind: VitKind,
    fields: &mut ConfigFields<'_>,
) -> VitConfig {
    let dino = kind.of_dino();
    let registers = kind == VitKind::Dinov2Registers;
    let hidden_size = fields.required("hidden_size", &WIDTH, 768);
    let heads = fields.optional("num_attention_heads", &HEADS, 12);
    let hidden = fields.drops("hidden_dropout_prob", false);
    let image_size = fields.optional("image_size", &PIXELS, 224);
    let patch_size = fields.optional(
        "patch_size",
        &PIXELS,
        if kind == VitKind::Dinov2 { 14 } else { 16 },
    );
    let spectrogram = (kind == VitKind::Ast).then(|| spectrogram(fields));
    let smallest = spectrogram.map_or(image_size, |seen| seen.bands.min(seen.frames));
    check_patches(fields, [smallest, patch_size]);
    let gated = dino && fields.flag("use_swiglu_ffn", false);
    VitConfig {
        family,
        kind,
        spectrogram,
        gated,
        mask_token: registers || (dino && fields.flag("use_mask_token", true)),
        registers: if registers {
            fields.optional("num_register_tokens", &(1..=1 << 10), 4)
        } else {
            0
        },
        hidden_size,
        intermediate_size: if dino {
            let inner = hidden_size * fields.optional("mlp_ratio", &(1..=1 << 6), 4);
            if gated {
                (inner * 2 / 3).next_multiple_of(8)
            } else {
                inner
            }
        } else {
            fields.optional("intermediate_size", &WIDTH, 3072)
        },
        num_hidden_layers: fields.optional("num_hidden_layers", &LAYERS, 12),
        num_attention_heads: heads,
        head_dim: fields.divided(hidden_size, heads, "num_attention_heads"),
        image_size,
        patch_size,
        num_channels: if spectrogram.is_some() {
            1
        } else {
            fields.optional("num_channels", &CHANNELS, 3)
        },
        activation: fields.activation("hidden_act", "gelu"),
        qkv_bias: fields.flag("qkv_bias", true),
        dropout: Dropout {
            embedding: hidden,
            attention: fields.drops("attention_probs_dropout_prob", false),
            residual: if dino {
                fields.drops("drop_path_rate", false)
            } else {
                hidden
            },
        },
        num_labels: fields.labels(2),
    }
}

/// That of the audio spectrogram transformer.
fn spectrogram(fields: &mut ConfigFields<'_>) -> Spectrogram {
    Spectrogram {
        frames: fields.optional("max_length", &PIXELS, 1024),
        bands: fields.optional("num_mel_bins", &PIXELS, 128),
        strides: ["frequency_stride", "time_stride"]
            .map(|field| fields.optional(field, &PIXELS, 10)),
    }
}

/// Refuses patches that are larger than an image, both in pixels along a side.
pub(crate) fn check_patches(fields: &mut ConfigFields<'_>, [image_size, patch_size]: [u64; 2]) {
    if patch_size <= image_size {
        return;
    }
    let key = fields.key("patch_size");
    fields.push(
        Finding::error(&key, message!(vit::patch_too_large, patch_size, image_size))
            .with_fix(&key, image_size),
    );
}

/// All modules with parameters, in the order of `named_modules`. Their names changed with
/// transformers 5.
pub(crate) fn modules(c: &VitConfig, framework: Framework) -> Vec<Module> {
    let recent = framework == Framework::Torch215Transformers523;
    let model = c.kind.name();
    let embeddings = Module {
        path: format!("{model}.embeddings"),
        kind: ModuleKind::Other,
        parameters: c.embedding_parameters(),
    };
    let mut all = vec![
        embeddings,
        norm(format!("{model}.embeddings.patch_embeddings.projection")),
    ];
    let ([inside, list], norm_names) = c.kind.layer_names(recent);
    let inside = if inside.is_empty() { "" } else { ".encoder" };
    let linear_names = if recent { RECENT } else { FOUR };
    for i in 0..c.num_hidden_layers {
        let layer = format!("{model}{inside}.{list}.{i}");
        let at = |name: &str| format!("{layer}.{name}");
        let [q, k, v, output, fc1, fc2] = linear_names;
        let attention = [q, k, v].map(|name| linear(at(name), c.qkv_bias));
        let norms = norm_names.map(|name| norm(at(name)));
        let feed_forward = if c.gated { &GATED[..] } else { &[fc1, fc2] };
        let feed_forward = feed_forward.iter().map(|name| linear(at(name), true));
        if c.kind.of_dino() {
            let [before, after] = norms;
            let [first, second] = ["layer_scale1", "layer_scale2"].map(|name| Module {
                parameters: &["lambda1"],
                ..norm(at(name))
            });
            all.push(before);
            all.extend(attention);
            all.extend([linear(at(output), true), first, after]);
            all.extend(feed_forward);
            all.push(second);
            continue;
        }
        all.extend(attention);
        all.push(linear(at(output), true));
        if recent {
            all.extend(norms);
            all.extend(feed_forward);
        } else {
            all.extend(feed_forward);
            all.extend(norms);
        }
    }
    all.push(norm(format!("{model}.layernorm")));
    if c.spectrogram.is_some() {
        all.push(norm("classifier.layernorm"));
        all.push(linear("classifier.dense", true));
    } else {
        all.push(linear("classifier", true));
    }
    all
}

/// The linear layers of a layer since transformers 5: q, k, v, what attention gives, and the two of
/// the feed-forward part.
const RECENT: [&str; 6] = [
    "attention.q_proj",
    "attention.k_proj",
    "attention.v_proj",
    "attention.o_proj",
    "mlp.fc1",
    "mlp.fc2",
];

/// The same in transformers 4.
const FOUR: [&str; 6] = [
    "attention.attention.query",
    "attention.attention.key",
    "attention.attention.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
];

/// The layers of a gated feed-forward part.
const GATED: [&str; 3] = ["mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"];

//! Vision transformers (`models/{vit,deit,dinov2,dinov2_with_registers,vit_msn,
//! audio_spectrogram_transformer}/configuration_*.py` of transformers 5.23, and the first of 4.51).

use crate::ask::{Finding, HEADS, LAYERS, WIDTH, message};
use crate::model::ConfigFields;
use crate::model::{Dropout, Family, Spectrogram, VitConfig, VitKind};
use std::ops::RangeInclusive;

/// Pixels along one side of an image or patch.
pub(crate) const PIXELS: RangeInclusive<u64> = 1..=1 << 14;

/// Channels of an image.
pub(crate) const CHANNELS: RangeInclusive<u64> = 1..=1 << 12;

/// Reads a config. Errors are pushed to `fields`; the sizes are then of no use.
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

/// Reads the spectrogram of the audio spectrogram transformer.
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

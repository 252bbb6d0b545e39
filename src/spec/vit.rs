//! Vision transformers (`models/{vit,deit,dinov2,dinov2_with_registers,vit_msn,
//! audio_spectrogram_transformer}/configuration_*.py` of transformers 5.23, and the first of 4.51).

use super::config_fields::ConfigFields;
use super::limits::{HEADS, LAYERS, WIDTH};
use super::modules::{Module, ModuleKind, linear, norm};
use super::{Activation, Dropout, Finding, Framework};
use std::ops::RangeInclusive;

/// Pixels along one side of an image or patch.
pub(super) const PIXELS: RangeInclusive<u64> = 1..=1 << 14;
/// Channels of an image.
pub(super) const CHANNELS: RangeInclusive<u64> = 1..=1 << 12;

/// The vision transformers that are read into a [`VitConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VitKind {
    /// `ViT`.
    Vit,
    /// `DeiT`, with a token to learn from a teacher.
    Deit,
    /// `DINOv2`.
    Dinov2,
    /// `DINOv2` with registers, tokens that stand for nothing.
    Dinov2Registers,
    /// `ViT` as masked siamese networks train it.
    Msn,
    /// The audio spectrogram transformer, which sees recordings as images.
    Ast,
}

impl VitKind {
    /// What the model inside of a classifier is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vit | Self::Msn => "vit",
            Self::Ast => "audio_spectrogram_transformer",
            Self::Deit => "deit",
            Self::Dinov2 => "dinov2",
            Self::Dinov2Registers => "dinov2_with_registers",
        }
    }

    /// Whether it is one of the two kinds of `DINOv2`.
    pub fn of_dino(self) -> bool {
        matches!(self, Self::Dinov2 | Self::Dinov2Registers)
    }

    /// Whether there is a token to learn from a teacher.
    pub fn has_teacher(self) -> bool {
        matches!(self, Self::Deit | Self::Ast)
    }

    /// The layers' list, since transformers 5 or in 4, and a layer's norms.
    pub fn layer_names(self, recent: bool) -> ([&'static str; 2], [&'static str; 2]) {
        let norms = ["layernorm_before", "layernorm_after"];
        match (self, recent) {
            (Self::Dinov2 | Self::Dinov2Registers, _) => (["encoder", "layer"], ["norm1", "norm2"]),
            (_, true) => (["", "layers"], norms),
            (_, false) => (["encoder", "layer"], norms),
        }
    }
}

/// What a spectrogram is like, and how far its patches, which overlap, are from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spectrogram {
    /// Frames of a recording.
    pub frames: u64,
    /// Bands of frequencies.
    pub bands: u64,
    /// Bands and frames from a patch to the next.
    pub strides: [u64; 2],
}

/// A vision transformer as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VitConfig {
    /// Which one.
    pub kind: VitKind,
    /// What it sees in the place of an image.
    pub spectrogram: Option<Spectrogram>,
    /// Whether feed-forward layers are gated.
    pub gated: bool,
    /// Whether there is a token for what is hidden, which classifiers have and do not use.
    pub mask_token: bool,
    /// Tokens that stand for nothing.
    pub registers: u64,
    /// H.
    pub hidden_size: u64,
    /// F.
    pub intermediate_size: u64,
    /// L.
    pub num_hidden_layers: u64,
    /// A.
    pub num_attention_heads: u64,
    /// D.
    pub head_dim: u64,
    /// Pixels along each side of an image.
    pub image_size: u64,
    /// Pixels along each side of a patch.
    pub patch_size: u64,
    /// Channels of an image.
    pub num_channels: u64,
    /// The function of feed-forward layers.
    pub activation: Activation,
    /// Whether q, k and v have biases.
    pub qkv_bias: bool,
    /// Where dropout is active in training; what it does to embeddings it does to the residual.
    pub dropout: Dropout,
    /// Classes.
    pub num_labels: u64,
}

impl VitConfig {
    /// Patches of an image.
    pub fn patches(&self) -> u64 {
        if let Some(seen) = self.spectrogram {
            let places = |size: u64, stride| size.saturating_sub(self.patch_size) / stride + 1;
            let [down, across] = seen.strides;
            return places(seen.bands, down) * places(seen.frames, across);
        }
        let side = self.image_size / self.patch_size;
        side * side
    }

    /// Rows of the table of positions: those of patches, of the one that stands for the class, and that of
    /// a teacher.
    pub fn positions(&self) -> u64 {
        self.patches() + 1 + u64::from(self.kind.has_teacher())
    }

    /// Tokens of an image: those that have a position, and registers.
    pub fn tokens(&self) -> u64 {
        self.positions() + self.registers
    }

    /// Parameters of the embeddings themselves.
    fn embedding_parameters(&self) -> &'static [&'static str] {
        match self.kind {
            kind if kind.has_teacher() => {
                &["cls_token", "position_embeddings", "distillation_token"]
            }
            VitKind::Dinov2Registers => &[
                "cls_token",
                "mask_token",
                "position_embeddings",
                "register_tokens",
            ],
            VitKind::Dinov2 if self.mask_token => {
                &["cls_token", "mask_token", "position_embeddings"]
            }
            _ => &["cls_token", "position_embeddings"],
        }
    }
}

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(super) fn read(kind: VitKind, fields: &mut ConfigFields<'_>) -> VitConfig {
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
pub(super) fn check_patches(fields: &mut ConfigFields<'_>, [image_size, patch_size]: [u64; 2]) {
    if patch_size <= image_size {
        return;
    }
    let key = fields.key("patch_size");
    fields.push(
        Finding::error(
            &key,
            format!("Patches of {patch_size} pixels do not fit into images of {image_size}."),
            format!("{patch_size} 像素的图块放不进 {image_size} 像素的图像。"),
        )
        .with_fix(&key, image_size),
    );
}

/// All modules with parameters, in the order of `named_modules`. Their names changed with
/// transformers 5.
pub(super) fn modules(c: &VitConfig, framework: Framework) -> Vec<Module> {
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

//! The vision transformer (`models/vit/configuration_vit.py` of transformers 5.23 and 4.51).

use super::config_fields::ConfigFields;
use super::limits::{HEADS, LAYERS, WIDTH};
use super::modules::{Module, ModuleKind, linear, norm};
use super::{Activation, Dropout, Finding, Framework};
use std::ops::RangeInclusive;

/// Pixels along one side of an image or patch.
const PIXELS: RangeInclusive<u64> = 1..=1 << 14;
/// Channels of an image.
const CHANNELS: RangeInclusive<u64> = 1..=1 << 12;

/// `ViT` as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VitConfig {
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
        let side = self.image_size / self.patch_size;
        side * side
    }

    /// Tokens of an image: its patches and the one that stands for the class.
    pub fn tokens(&self) -> u64 {
        self.patches() + 1
    }
}

/// Reads a config. What is wrong is pushed to `fields`; the sizes are then of no use.
pub(super) fn read(fields: &mut ConfigFields<'_>) -> VitConfig {
    let hidden_size = fields.required("hidden_size", &WIDTH, 768);
    let heads = fields.optional("num_attention_heads", &HEADS, 12);
    let hidden = fields.drops("hidden_dropout_prob", false);
    let image_size = fields.optional("image_size", &PIXELS, 224);
    let patch_size = fields.optional("patch_size", &PIXELS, 16);
    if patch_size > image_size {
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
    VitConfig {
        hidden_size,
        intermediate_size: fields.optional("intermediate_size", &WIDTH, 3072),
        num_hidden_layers: fields.optional("num_hidden_layers", &LAYERS, 12),
        num_attention_heads: heads,
        head_dim: fields.divided(hidden_size, heads, "num_attention_heads"),
        image_size,
        patch_size,
        num_channels: fields.optional("num_channels", &CHANNELS, 3),
        activation: fields.activation("hidden_act", "gelu"),
        qkv_bias: fields.flag("qkv_bias", true),
        dropout: Dropout {
            embedding: hidden,
            attention: fields.drops("attention_probs_dropout_prob", false),
            residual: hidden,
        },
        num_labels: fields.labels(2),
    }
}

/// All modules with parameters, in the order of `named_modules`. Their names changed with
/// transformers 5.
pub(super) fn modules(c: &VitConfig, framework: Framework) -> Vec<Module> {
    let recent = framework == Framework::Torch215Transformers523;
    let embeddings = Module {
        path: "vit.embeddings".to_owned(),
        kind: ModuleKind::Other,
        parameters: &["cls_token", "position_embeddings"],
    };
    let mut all = vec![
        embeddings,
        norm("vit.embeddings.patch_embeddings.projection"),
    ];
    for i in 0..c.num_hidden_layers {
        let (layer, linear_names) = if recent {
            (format!("vit.layers.{i}"), RECENT)
        } else {
            (format!("vit.encoder.layer.{i}"), FOUR)
        };
        let at = |name: &str| format!("{layer}.{name}");
        let [q, k, v, output, fc1, fc2] = linear_names;
        all.extend([q, k, v].map(|name| linear(at(name), c.qkv_bias)));
        all.push(linear(at(output), true));
        let norms = ["layernorm_before", "layernorm_after"].map(|name| norm(at(name)));
        let feed_forward = [fc1, fc2].map(|name| linear(at(name), true));
        if recent {
            all.extend(norms);
            all.extend(feed_forward);
        } else {
            all.extend(feed_forward);
            all.extend(norms);
        }
    }
    all.push(norm("vit.layernorm"));
    all.push(linear("classifier", true));
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

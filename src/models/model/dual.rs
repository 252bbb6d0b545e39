//! CLIP and `SigLIP`: a tower of images and one of texts.

use super::activation::Activation;
use super::family::Family;

/// The models that are read into a [`DualConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DualKind {
    /// CLIP.
    Clip,
    /// `SigLIP`, and `SigLIP` 2 for images of one size.
    Siglip,
    /// `SigLIP`'s tower as Idefics3 has it, whose layers are built as CLIP's are.
    Idefics3,
}

impl DualKind {
    /// Whether a class token, which represents all of an image, comes before the first norm.
    pub fn has_class(self) -> bool {
        self == Self::Clip
    }

    /// Whether layers build their attention before its norm.
    pub fn attention_first(self) -> bool {
        self != Self::Siglip
    }
}

/// A stack of layers over images or texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TowerConfig {
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
    /// The function of feed-forward layers.
    pub activation: Activation,
    /// Whether attention probabilities are dropped in training.
    pub attention_dropout: bool,
}

/// The part that reads texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextTower {
    /// Its layers.
    pub tower: TowerConfig,
    /// V.
    pub vocab_size: u64,
    /// Rows of the table of positions.
    pub max_position_embeddings: u64,
    /// Whether CLIP looks for the largest token instead of the end-of-text token.
    pub ends_with_largest: bool,
}

/// A model that sees images and, unless it classifies them, reads texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DualConfig {
    /// The family that it is of.
    pub family: &'static Family,
    /// The kind of model.
    pub kind: DualKind,
    /// The part that reads texts; `None` where images are classified.
    pub text: Option<TextTower>,
    /// The layers that see images.
    pub vision: TowerConfig,
    /// Pixels along each side of an image.
    pub image_size: u64,
    /// Pixels along each side of a patch.
    pub patch_size: u64,
    /// Channels of an image.
    pub num_channels: u64,
    /// Whether a head of its own attends to all patches (`SigLIP`).
    pub pools: bool,
    /// Columns of what images and texts are compared by.
    pub projection: u64,
    /// Classes of a classifier.
    pub num_labels: u64,
}

impl DualConfig {
    /// Patches of an image, and CLIP's class token.
    pub fn image_tokens(&self) -> u64 {
        let side = self.image_size / self.patch_size;
        side * side + u64::from(self.kind.has_class())
    }
}

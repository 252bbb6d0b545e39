//! Swin, whose attention stays within windows.

use super::activation::Activation;
use super::family::Family;
use super::options::Dropout;

/// A Swin transformer as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwinConfig {
    /// The family that it is of.
    pub family: &'static Family,
    /// Whether it is the second Swin, whose attention is by angles.
    pub second: bool,
    /// Pixels along each side of an image.
    pub image_size: u64,
    /// Pixels along each side of a patch.
    pub patch_size: u64,
    /// Channels of an image.
    pub num_channels: u64,
    /// Columns of the first stage; each further one has twice as many.
    pub embed_dim: u64,
    /// Layers and heads of each stage.
    pub stages: Vec<[u64; 2]>,
    /// Patches along each side of a window.
    pub window_size: u64,
    /// F of H, in thousandths.
    pub mlp_permille: u64,
    /// Whether q, k and v have biases.
    pub qkv_bias: bool,
    /// Whether positions are added to the embeddings.
    pub absolute: bool,
    /// The function of feed-forward layers.
    pub activation: Activation,
    /// Places of dropout that is active in training; that of embeddings is that of the residual.
    pub dropout: Dropout,
    /// Whether samples are dropped from layers but the first.
    pub drops_paths: bool,
    /// Classes.
    pub num_labels: u64,
}

impl SwinConfig {
    /// Patches along each side of a window in a stage of the second Swin, and whether every second layer
    /// shifts its windows.
    pub fn second_window(&self, stage: usize) -> (u64, bool) {
        let side = self.side() >> stage;
        let window = side.min(self.window_size);
        (window, side > window && self.window_size > 1)
    }

    /// Patches along a side of an image.
    pub fn side(&self) -> u64 {
        self.image_size / self.patch_size
    }

    /// H of a stage.
    pub fn width(&self, stage: usize) -> u64 {
        self.embed_dim << stage
    }

    /// F of a stage.
    pub fn inner(&self, stage: usize) -> u64 {
        self.width(stage) * self.mlp_permille / 1000
    }

    /// H of the last stage.
    pub fn last_width(&self) -> u64 {
        self.width(self.stages.len() - 1)
    }

    /// Whether the windows of a stage are shifted in every second layer: not where one holds all that
    /// the stage sees.
    pub fn shifts(&self, stage: usize) -> bool {
        self.window_size > 1 && self.stage_side(stage) > self.window_size
    }

    /// Patches along a side of what a stage sees.
    pub fn stage_side(&self, stage: usize) -> u64 {
        (0..stage).fold(self.side(), |side, _| side.div_ceil(2))
    }
}

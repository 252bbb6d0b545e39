//! A vision tower whose images layers of their own attend to (Llama 3.2 Vision).

use super::ImageConfig;
use crate::model::DecoderConfig;
use crate::model::TowerConfig;

/// Rows of the decoder's table of tokens that stand for images and have no logits.
pub const ROWS_OF_IMAGES: u64 = 8;

/// Patches of a square are padded to a multiple of this.
const PATCHES: u64 = 8;

/// `MllamaVisionModel`, and the layers of a decoder that attend to what it gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossedConfig {
    /// The tower's first layers.
    pub tower: TowerConfig,
    /// Its gated layers after those.
    pub global_layers: u64,
    /// Channels of an image.
    pub channels: u64,
    /// Pixels along each side of a square.
    pub image_size: u64,
    /// Pixels along each side of a patch.
    pub patch_size: u64,
    /// Squares of each image, padding among them.
    pub tiles: u64,
    /// Arrangements of squares.
    pub ratios: u64,
    /// The first layers whose results are read, too.
    pub read: Vec<u64>,
    /// The decoder's layers that attend to images.
    pub crossing: Vec<u64>,
}

impl CrossedConfig {
    /// Patches of a square, and its class token.
    pub fn patches(&self) -> u64 {
        (self.image_size / self.patch_size.max(1)).pow(2) + 1
    }

    /// Tokens with padding.
    pub fn padded(&self) -> u64 {
        self.patches().next_multiple_of(PATCHES)
    }

    /// Columns of what the tower gives.
    pub fn columns(&self) -> u64 {
        self.tower.hidden_size * (self.read.len() as u64 + 1)
    }
}

impl DecoderConfig {
    /// Rows of the table of tokens, some of which stand for images and have no logits.
    pub fn rows(&self) -> u64 {
        match self.images.as_deref() {
            Some(ImageConfig::Crossed(_)) => self.vocab_size + ROWS_OF_IMAGES,
            _ => self.vocab_size,
        }
    }
}

//! Pixtral's vision tower, as Mistral 3 has it.

use crate::model::Activation;
use crate::model::TowerConfig;

/// Pixtral's tower, and the layers between it and a decoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedConfig {
    /// Its layers.
    pub tower: TowerConfig,
    /// Channels of an image.
    pub channels: u64,
    /// Pixels along each side of a patch.
    pub patch_size: u64,
    /// Patches along each side of what becomes one token.
    pub merge: u64,
    /// Whether the layers between tower and decoder have biases.
    pub projector_bias: bool,
    /// The function between them.
    pub activation: Activation,
}

impl JoinedConfig {
    /// The sides of an image are multiples of this.
    pub fn factor(&self) -> u64 {
        self.patch_size * self.merge
    }

    /// Patches down and across an image with such sides.
    pub fn grid(&self, sides: [u64; 2]) -> [u64; 2] {
        sides.map(|side| side / self.patch_size.max(1))
    }

    /// Tokens of a text that an image with such sides takes: its own, and one at the end of each row.
    pub fn places(&self, sides: [u64; 2]) -> u64 {
        let [down, across] = self.grid(sides).map(|patches| patches / self.merge.max(1));
        down.saturating_mul(across + 1)
    }
}

//! `InternVL`'s vision tower.

use crate::model::Activation;
use crate::model::TowerConfig;

/// Squares that an image is seen in at most, without the square that shows all of it (`max_patches` of
/// `GotOcr2ImageProcessor`).
const SQUARES: u64 = 12;

/// Tokens around an image's own: where it starts and where it ends.
const AROUND: u64 = 2;

/// `InternVLVisionModel` and `InternVLMultiModalProjector`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InternConfig {
    /// The tower's layers.
    pub tower: TowerConfig,
    /// Channels of an image.
    pub channels: u64,
    /// Pixels along each side of a square.
    pub image_size: u64,
    /// Pixels along each side of a patch.
    pub patch_size: u64,
    /// Patches along each side of what becomes one token.
    pub merge: u64,
    /// Whether queries, keys and values have biases.
    pub attention_bias: bool,
    /// Whether queries and keys are normalized.
    pub qk_norm: bool,
    /// Whether norms divide by the root mean square alone.
    pub root_norms: bool,
    /// Whether a norm comes after the last layer.
    pub last_norm: bool,
    /// The function between the layers of the projector.
    pub activation: Activation,
}

impl InternConfig {
    /// Patches along each side of a square.
    pub fn side(&self) -> u64 {
        self.image_size / self.patch_size.max(1)
    }

    /// The number of squares of an image of `height` by `width` pixels: those of the arrangement that is nearest to its
    /// aspect ratio, and one of the whole image if there are several (`get_optimal_tiled_canvas`,
    /// `models/got_ocr2/image_processing_got_ocr2.py`).
    #[allow(clippy::cast_precision_loss, reason = "sides have 16 bits")]
    #[allow(
        clippy::float_cmp,
        reason = "arrangements of the same shape are as near"
    )]
    pub fn tiles(&self, [height, width]: [u64; 2]) -> u64 {
        let shape = width as f64 / height.max(1) as f64;
        let area = (width * height) as f64;
        let of_square = (self.image_size * self.image_size) as f64;
        let mut nearest = (f64::INFINITY, 1);
        for count in 1..=SQUARES {
            for across in (1..=count).filter(|across| count.is_multiple_of(*across)) {
                let difference = (shape - across as f64 / (count / across) as f64).abs();
                let larger = difference == nearest.0 && area > 0.5 * of_square * count as f64;
                if difference < nearest.0 || larger {
                    nearest = (difference, count);
                }
            }
        }
        match nearest.1 {
            1 => 1,
            several => several + 1,
        }
    }

    /// Tokens of a text that an image with such sides takes: its own and those around them.
    pub fn places(&self, sides: [u64; 2]) -> u64 {
        let side = self.side() / self.merge.max(1);
        self.tiles(sides) * side * side + AROUND
    }
}

//! A vision tower that sees images of one size, alone or as tiles (`LLaVA`, Gemma 3, `PaliGemma`, Idefics 3).

use super::ImageKind;
use crate::model::Activation;
use crate::model::DualConfig;

/// Heights and widths, in squares, to which `LLaVA` 1.6 resizes an image where its config says nothing.
pub(crate) const ARRANGEMENTS: [[u64; 2]; 5] = [[1, 2], [2, 1], [2, 2], [3, 1], [1, 3]];

/// Tokens around those of a square: what an image begins with, and the square's row and column.
const AROUND: u64 = 2;

impl WholeConfig {
    /// Whether an image may be seen in more than one square.
    pub fn is_tiled(&self) -> bool {
        self.kind.is_idefics() || self.kind == ImageKind::LlavaNext
    }

    /// Pixels along each side of an image where nothing is said: `size` of the processors of
    /// `HuggingFaceM4/Idefics3-8B-Llama3` and `HuggingFaceTB/SmolVLM-256M-Instruct`
    /// (`preprocessor_config.json`) is four squares along the longer side, to which it resizes all
    /// images.
    pub fn usual_side(&self) -> u64 {
        4 * self.tower.image_size
    }

    /// Squares down and across an image with such sides.
    pub fn squares(&self, sides: [u64; 2]) -> [u64; 2] {
        let sides = if self.kind == ImageKind::LlavaNext {
            self.best_resolution(sides)
        } else {
            sides
        };
        sides.map(|side| side.div_ceil(self.tower.image_size.max(1)))
    }

    /// The views of an image with such sides: its squares, and all of it besides where there are
    /// several.
    pub fn tiles(&self, sides: [u64; 2]) -> u64 {
        if !self.is_tiled() {
            return 1;
        }
        let [down, across] = self.squares(sides);
        match down.saturating_mul(across) {
            0 | 1 => 1,
            several => several + 1,
        }
    }

    /// Tokens of a text that an image with such sides takes: its own, those around them, and those at
    /// the end of rows and of the image.
    pub fn places(&self, sides: [u64; 2]) -> u64 {
        let tiles = self.tiles(sides);
        if self.kind == ImageKind::LlavaNext {
            let [down, across] = self.unpadded(sides);
            return self.tokens() + down * (across + 1);
        }
        if !self.is_tiled() {
            return self.tokens();
        }
        let rows = if tiles > 1 { self.squares(sides)[0] } else { 0 };
        (self.tokens() + AROUND).saturating_mul(tiles) + rows + 1
    }

    /// The height and width to which an image is resized: the smallest of the sizes that leave most of it
    /// (`select_best_resolution`).
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sides have 16 bits"
    )]
    fn best_resolution(&self, [height, width]: [u64; 2]) -> [u64; 2] {
        let left = |[h, w]: [u64; 2]| {
            let scale = (w as f64 / width as f64).min(h as f64 / height as f64);
            let fit = [height, width].map(|side| (side as f64 * scale) as u64);
            (fit[0] * fit[1]).min(height * width)
        };
        let all = self.pinpoints.iter().copied();
        let better = |best: [u64; 2], other: [u64; 2]| {
            let waste = |of: [u64; 2]| of[0] * of[1] - left(of).min(of[0] * of[1]);
            let more = left(other) > left(best);
            if more || left(other) == left(best) && waste(other) < waste(best) {
                other
            } else {
                best
            }
        };
        all.reduce(better).unwrap_or([self.tower.image_size; 2])
    }

    /// Patches down and across the squares of an image, without those of its padding (`unpad_image`).
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sides have 16 bits"
    )]
    pub fn unpadded(&self, [height, width]: [u64; 2]) -> [u64; 2] {
        let side = self.tower.image_size / self.tower.patch_size.max(1);
        let [down, across] = self.squares([height, width]).map(|squares| squares * side);
        let within = |length: u64, other: u64, all: u64, most: u64| {
            let scaled = length as f64 * (other as f64 / all as f64);
            let new = ((scaled * 1e7).round_ties_even() / 1e7) as u64;
            most - most.saturating_sub(new) / 2 * 2
        };
        if width as f64 / height as f64 > across as f64 / down as f64 {
            [within(height, across, width, down), across]
        } else {
            [down, within(width, down, height, across)]
        }
    }
}

/// A part that sees images of one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeConfig {
    /// Its kind.
    pub kind: ImageKind,
    /// The tower.
    pub tower: DualConfig,
    /// Layers of the tower after the one whose hidden states are read.
    pub layers_after: u64,
    /// Whether the class token, which represents all of an image, is read, too.
    pub with_class: bool,
    /// Whether the layers between tower and decoder have biases.
    pub projector_bias: bool,
    /// The function between them.
    pub activation: Activation,
    /// Tokens of an image where patches are pooled.
    pub pooled_tokens: u64,
    /// Patches along each side of what becomes one token.
    pub merge: u64,
    /// Heights and widths to which an image may be resized before it is cut in squares.
    pub pinpoints: Vec<[u64; 2]>,
}

impl WholeConfig {
    /// Whether the first of the tower's tokens is left out: `LLaVA`'s class token or, if the tower has none, the first
    /// patch.
    pub fn leaves_first(&self) -> bool {
        matches!(self.kind, ImageKind::Llava | ImageKind::LlavaNext) && !self.with_class
    }

    /// Tokens of one picture: the image, or one of its squares.
    pub fn tokens(&self) -> u64 {
        if self.kind == ImageKind::Gemma3 {
            return self.pooled_tokens;
        }
        if self.kind.is_idefics() {
            return self.tower.image_tokens() / (self.merge * self.merge).max(1);
        }
        self.tower.image_tokens() - u64::from(self.leaves_first())
    }
}

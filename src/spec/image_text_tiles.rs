//! Images that are seen in squares as large as what a tower sees at once
//! (`models/{idefics3,smolvlm}/{image_processing,processing}_*.py` of transformers 5.23).

use super::config_fields::ConfigFields;
use super::{Finding, WholeConfig};

/// Tokens around those of a square: what an image begins with, and the square's row and column.
const AROUND: u64 = 2;

impl WholeConfig {
    /// Whether an image may be seen in more than one square.
    pub fn is_tiled(&self) -> bool {
        self.kind.is_idefics()
    }

    /// Pixels along each side of an image where nothing is said: `size` of the processors of
    /// `HuggingFaceM4/Idefics3-8B-Llama3` and `HuggingFaceTB/SmolVLM-256M-Instruct`
    /// (`preprocessor_config.json`) is four squares along the longer side, to which it resizes all
    /// images.
    pub fn usual_side(&self) -> u64 {
        4 * self.tower.image_size
    }

    /// Squares down and across an image with such sides.
    fn squares(&self, sides: [u64; 2]) -> [u64; 2] {
        sides.map(|side| side.div_ceil(self.tower.image_size.max(1)))
    }

    /// What is seen of an image with such sides: its squares, and all of it besides where there are
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
        if !self.is_tiled() {
            return self.tokens();
        }
        let rows = if tiles > 1 { self.squares(sides)[0] } else { 0 };
        (self.tokens() + AROUND).saturating_mul(tiles) + rows + 1
    }

    /// Where the tower stands.
    pub fn tower_path(&self) -> &'static str {
        if self.kind.is_idefics() {
            "model.vision_model"
        } else {
            "model.vision_tower"
        }
    }
}

/// Patches along each side of what becomes one token, of `side` patches along each side of a square.
pub(super) fn merge(fields: &mut ConfigFields<'_>, side: u64) -> u64 {
    let merge = fields.optional("scale_factor", &(1..=1 << 6), 2);
    if side.is_multiple_of(merge) {
        return merge;
    }
    let key = fields.key("scale_factor");
    let nearest = (1..=merge).rev().find(|n| side.is_multiple_of(*n));
    fields.push(
        Finding::error(
            &key,
            format!("{side} x {side} patches cannot be merged {merge} x {merge} to one token: scale_factor must divide {side}."),
            format!("{side} x {side} 个图块无法按 {merge} x {merge} 合并为词元：scale_factor 必须整除 {side}。"),
        )
        .with_fix(&key, nearest.unwrap_or(1)),
    );
    merge
}

//! Images that are seen in squares as large as what a tower sees at once
//! (`models/{idefics3,smolvlm,llava_next}/{image_processing,processing}_*.py` of transformers 5.23).

use super::config_fields::ConfigFields;
use super::{DualConfig, DualKind, Finding, ImageKind, WholeConfig};
use serde_json::Value;

/// Heights and widths, in squares, to which `LLaVA` 1.6 resizes an image where its config says nothing.
const ARRANGEMENTS: [[u64; 2]; 5] = [[1, 2], [2, 1], [2, 2], [3, 1], [1, 3]];

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

    /// The height and width to which an image is resized: those that leave most of it, and of those the
    /// smallest (`select_best_resolution`).
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

    /// Where the tower stands.
    pub fn tower_path(&self) -> &'static str {
        if self.kind.is_idefics() {
            "model.vision_model"
        } else {
            "model.vision_tower"
        }
    }
}

/// Heights and widths to which an image may be resized; what is unlike the published models is refused.
pub(super) fn pinpoints(fields: &mut ConfigFields<'_>, tower: &DualConfig) -> Vec<[u64; 2]> {
    let side = tower.image_size.max(1);
    let usual = ARRANGEMENTS.map(|squares| squares.map(|count| count * side));
    let full = fields.text("vision_feature_select_strategy") == Some("full");
    if full || tower.kind != DualKind::Clip {
        let key = fields.key("vision_feature_select_strategy");
        fields.push(
            Finding::error(
                &key,
                "LLaVA 1.6 is estimated over CLIP's tower without the token that stands for all of an image only.",
                "LLaVA 1.6 目前只支持 CLIP 图像编码器，且不含代表整幅图像的词元。",
            )
            .with_fix(&key, "default"),
        );
    }
    let Some(given) = fields
        .get("image_grid_pinpoints")
        .filter(|given| !given.is_null())
    else {
        return usual.to_vec();
    };
    let resolution = |value: &Value| {
        let [height, width] = value.as_array()?.as_slice() else {
            return None;
        };
        let sides = [height.as_u64()?, width.as_u64()?];
        let fit = |length: &u64| length.is_multiple_of(side) && (1..=64).contains(&(length / side));
        sides.iter().all(fit).then_some(sides)
    };
    let read = given
        .as_array()
        .and_then(|all| all.iter().map(resolution).collect());
    read.filter(|all: &Vec<_>| !all.is_empty()).unwrap_or_else(|| {
        let key = fields.key("image_grid_pinpoints");
        fields.push(
            Finding::error(
                &key,
                format!("image_grid_pinpoints must be pairs of height and width, multiples of {side} up to 64 times as large."),
                format!("image_grid_pinpoints 必须是由高和宽组成的数对，每个数都是 {side} 的倍数，且不超过其 64 倍。"),
            )
            .with_fix(&key, usual.map(|sides| Value::from(sides.to_vec())).to_vec()),
        );
        usual.to_vec()
    })
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

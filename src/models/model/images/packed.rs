//! A vision tower over patches of images of any size in one sequence (Qwen-VL).

use super::ImageKind;
use crate::model::TowerConfig;

/// Tokens around an image's own: where it starts and where it ends.
pub(crate) const AROUND: u64 = 2;

/// A tower over patches in one list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedConfig {
    /// Its kind.
    pub kind: ImageKind,
    /// Its layers.
    pub tower: TowerConfig,
    /// Channels of an image.
    pub channels: u64,
    /// Pixels along each side of a patch.
    pub patch_size: u64,
    /// Pictures that a patch goes through, of an image all the same.
    pub temporal_patch_size: u64,
    /// Patches along each side of what becomes one token.
    pub merge: u64,
    /// Tokens along each side of a window, where there are some.
    pub window: Option<u64>,
    /// For each layer, whether it sees all of an image.
    pub full: Vec<bool>,
    /// Features of several depths, where there are some.
    pub deep: Option<DeepConfig>,
}

/// A tower with a table of positions, whose layers' results are features, too (`DeepStack`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeepConfig {
    /// Positions of the table, as many down as across.
    pub positions: u64,
    /// The layers whose results are features.
    pub layers: Vec<u64>,
}

impl DeepConfig {
    /// The merger that reads the output of layer `index`.
    pub fn merger(&self, index: u64) -> Option<usize> {
        self.layers.iter().position(|&layer| layer == index)
    }
}

impl PackedConfig {
    /// The sides of an image are multiples of this.
    pub fn factor(&self) -> u64 {
        self.patch_size * self.merge
    }

    /// Patches along the sides of an image of `sides` pixels.
    pub fn grid(&self, sides: [u64; 2]) -> [u64; 2] {
        sides.map(|side| side / self.patch_size.max(1))
    }

    /// Tokens of an image.
    pub fn tokens(&self, sides: [u64; 2]) -> u64 {
        let [down, across] = self.grid(sides).map(|patches| patches / self.merge.max(1));
        down.saturating_mul(across)
    }

    /// Numbers in a patch.
    pub fn columns(&self) -> u64 {
        self.channels * self.temporal_patch_size * self.patch_size * self.patch_size
    }

    /// Patches of each window of an image, row by row; of windows that hold none, too, if `empty`.
    pub fn windows(&self, sides: [u64; 2], empty: bool) -> Vec<u64> {
        let [down, across] = self.windows_along(sides, empty);
        let merged = self.merge * self.merge;
        let of_row = |rows: &u64| {
            let rows = *rows;
            across.iter().map(move |columns| rows * columns * merged)
        };
        down.iter().flat_map(of_row).collect()
    }

    /// Tokens along each side of windows, those along both sides of an image.
    fn windows_along(&self, sides: [u64; 2], empty: bool) -> [Vec<u64>; 2] {
        // A side that is a multiple of windows gets one more.
        let along = |tokens: u64| {
            let window = self.window.filter(|&window| window > 0);
            let windows = window.into_iter().flat_map(|window| {
                (0..=tokens / window).map(move |i| (tokens - i * window).min(window))
            });
            windows.filter(|&tokens| empty || tokens > 0).collect()
        };
        self.grid(sides).map(|patches| along(patches / self.merge))
    }

    /// How many windows that hold something lie side by side.
    pub fn windows_across(&self, sides: [u64; 2]) -> usize {
        let [_, across] = self.windows_along(sides, false);
        across.len()
    }
}

//! `LLaVA` 1.6's images in squares, put together row by row
//! (`pack_image_features` in `models/llava_next/modeling_llava_next.py` of transformers 5.23).

use crate::model::WholeConfig;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The module that puts the squares of an image together.
pub(crate) struct Rows {
    /// The end of a row `[H]`.
    newline: Tensor,
    /// Number of squares of an image, including the square that shows all of it.
    tiles: u64,
    /// Squares down and across an image.
    squares: [u64; 2],
    /// Patches along each side of a square.
    side: u64,
    /// Patches down and across an image without those of its padding.
    unpadded: [u64; 2],
}

impl Rows {
    pub(crate) fn new(newline: Tensor, c: &WholeConfig, image_size: [u64; 2]) -> Self {
        Self {
            newline,
            tiles: c.tiles(image_size),
            squares: c.squares(image_size),
            side: c.tower.image_size / c.tower.patch_size,
            unpadded: c.unpadded(image_size),
        }
    }

    /// Features `[squares, patches, H]` to those of each image `[tokens, H]`, and how many those are.
    pub(crate) fn of_images(&self, t: &Tape, projected: Tensor) -> (Vec<Tensor>, Tensor) {
        let count = projected.dim(0) / self.tiles.max(1);
        let of_each = vec![self.tiles; usize::try_from(count).unwrap_or(0)];
        let parts = t.parts(&projected, &of_each, 0);
        drop(projected);
        let images: Vec<_> = parts.iter().map(|image| self.of_image(t, image)).collect();
        let lengths = t.empty("_to_copy", Shape::from([count]), DType::Int64);
        (images, lengths)
    }

    /// `[tiles, patches, H]` to `[tokens, H]`.
    fn of_image(&self, t: &Tape, x: &Tensor) -> Tensor {
        let ([down, across], side, columns) = (self.squares, self.side, x.dim(2));
        let base = t.select(x, 0);
        let squares = t.slice(x, 0, 1, self.tiles);
        let cut = {
            let whole = {
                let apart = t.view(&squares, [down, across, side, side, columns]);
                t.contiguous(&t.permute(&apart, &[4, 0, 2, 1, 3]))
            };
            t.view(&whole, [columns, down * side, across * side])
        };
        let cut = self.without_padding(t, cut);
        let rows = cut.dim(1);
        let ended = {
            let newline = t.view(&self.newline, [columns, 1, 1]);
            let newline = t.expand(&newline, [columns, rows, 1]);
            let newline = t.to(&newline, cut.dtype());
            t.cat(&[&cut, &newline], -1)
        };
        drop(cut);
        let flat = t.view(&ended, [columns, ended.numel() / columns]);
        drop(ended);
        t.cat(&[&base, &t.transpose(&flat, 0, 1)], 0)
    }

    /// `unpad_image` of `[H, down, across]`.
    fn without_padding(&self, t: &Tape, mut x: Tensor) -> Tensor {
        for (axis, left) in (1..).zip(self.unpadded) {
            let all = x.dim(axis);
            let padding = (all - left) / 2;
            if padding > 0 {
                x = t.slice(&x, axis, padding, all - padding);
            }
        }
        x
    }
}

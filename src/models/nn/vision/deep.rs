//! Features of several depths of what sees images, and how a decoder's first layers get them
//! (`models/qwen3_vl/modeling_qwen3_vl.py` and `vision_utils.py` of transformers 5.23).

use super::merger::Merger;
use crate::model::{DeepConfig, PackedConfig};
use crate::nn::build::{Builder, Embedding};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Positions of the table around that of a patch.
const NEIGHBOURS: u64 = 4;

/// The table of positions of `Qwen3VLVisionModel`, and what reads the results of some of its layers.
pub(crate) struct DeepTower {
    positions: Embedding,
    mergers: Vec<Merger>,
    config: DeepConfig,
}

impl DeepTower {
    /// The table of the tower b, whose other modules `between` makes, and after them the mergers.
    pub(crate) fn new<T>(
        b: &Builder,
        (c, deep): (&PackedConfig, &DeepConfig),
        hidden: u64,
        between: impl FnOnce() -> T,
    ) -> (Self, T) {
        let positions = Embedding::new(&b.at("pos_embed"), deep.positions, c.tower.hidden_size);
        let made = between();
        let mergers = b.items("deepstack_merger_list", deep.layers.len() as u64, |b| {
            // Each is run elsewhere.
            b.differs();
            Merger::of_depth(b, c, hidden)
        });
        let tower = Self {
            positions,
            mergers,
            config: deep.clone(),
        };
        (tower, made)
    }

    /// Embedded patches `[n, H]` with their positions, which are also given: a sum over those around
    /// them by `weights`, `[n, 4]` both.
    pub(crate) fn place(
        &self,
        t: &Tape,
        patches: &Tensor,
        [around, weights]: &[Tensor; 2],
    ) -> (Tensor, Tensor) {
        let products = {
            let found = t.scoped("pos_embed", None, || self.positions.forward(t, around));
            t.mul(&found, &t.unsqueeze(weights, 2))
        };
        let places = t.sum_dim(&products, 1, false);
        drop(products);
        let placed = t.add(patches, &t.to(&places, patches.dtype()));
        (placed, places)
    }

    /// Features `[tokens, H]` of what layer `index` gives, if there are some.
    pub(crate) fn features(&self, t: &Tape, index: u32, hidden: &Tensor) -> Option<Tensor> {
        let place = self.config.merger(index.into())?;
        let merger = self.mergers.get(place)?;
        let index = u32::try_from(place).ok();
        Some(t.scoped("deepstack_merger_list", index, || merger.forward(t, hidden)))
    }
}

/// `get_vision_interpolation_indices_and_weights`: positions around those of n patches of `images`, and
/// their weights, `[n, 4]` both.
pub(crate) fn interpolated(t: &Tape, images: u64, n: u64) -> [Tensor; 2] {
    let number = |op| t.empty(op, Shape::new(&[]), DType::Int64);
    let of_images = |op| t.empty(op, Shape::from([images]), DType::Int64);
    let of_patches = |op| t.empty(op, Shape::from([n]), DType::Int64);
    let scanned = |op| {
        let sums = of_images(op);
        t.scan_alone(Shape::from([images]), DType::Int64);
        sums
    };
    let repeated = || {
        let rows = {
            let _sums = scanned("repeat_interleave");
            of_patches("repeat_interleave")
        };
        let all = of_patches("index_select");
        drop(rows);
        all
    };
    let of_two = |first: &'static str, second: &'static str| {
        let _first = of_patches(first);
        of_patches(second)
    };
    let counts = {
        let _first = of_images("mul");
        of_images("mul")
    };
    let (heights, widths) = (repeated(), repeated());
    let starts = {
        let padded = {
            let _sums = scanned("cumsum");
            of_images("constant_pad_nd")
        };
        let starts = repeated();
        drop(padded);
        starts
    };
    let within = {
        let range = {
            let _all = number("sum");
            of_patches("arange")
        };
        let from_start = of_patches("sub");
        drop(range);
        let area = of_patches("mul");
        let within = of_patches("remainder");
        drop((from_start, area));
        within
    };
    let blocks = of_patches("floor_divide");
    let column_within = of_patches("remainder");
    let row_within = of_two("floor_divide", "remainder");
    let block_column = of_two("floor_divide", "remainder");
    let block_row = of_two("mul", "floor_divide");
    let row = of_two("mul", "add");
    let column = of_two("mul", "add");
    let [rows, row_weights] = along(t, n);
    let [columns, column_weights] = along(t, n);
    let around = |op, dtype| t.empty(op, Shape::from([n, NEIGHBOURS]), dtype);
    let indices = {
        let _scaled = t.empty("mul", Shape::from([n, 2]), DType::Int64);
        around("add", DType::Int64)
    };
    let weights = around("mul", DType::Float32);
    drop((counts, heights, widths, starts, within));
    drop((blocks, column_within, row_within, block_column, block_row));
    drop((row, column, rows, row_weights, columns, column_weights));
    [indices, weights]
}

/// `_interpolation_axis_taps_weights` along one side of an image: the two nearest positions and their
/// weights, `[n, 2]` both.
fn along(t: &Tape, n: u64) -> [Tensor; 2] {
    let real = |op, columns| t.empty(op, Shape::from([n, columns]), DType::Float32);
    let whole = |op, columns| t.empty(op, Shape::from([n, columns]), DType::Int64);
    let index = real("_to_copy", 1);
    let source = {
        let scaled = real("mul", 1);
        let size = {
            let _less = whole("sub", 1);
            whole("clamp", 1)
        };
        let source = real("div", 1);
        drop((scaled, size));
        source
    };
    let floor = real("floor", 1);
    let offsets = t.empty("arange", Shape::from([2]), DType::Int64);
    let nearest = {
        let _floor = whole("_to_copy", 1);
        whole("add", 2)
    };
    let taps = whole("clamp", 2);
    let distance = {
        let signed = {
            let _rest = real("sub", 1);
            real("sub", 2)
        };
        let distance = real("abs", 2);
        drop(signed);
        distance
    };
    let weights = {
        let _rest = real("rsub", 2);
        real("clamp", 2)
    };
    drop((index, source, floor, offsets, nearest, distance));
    [taps, weights]
}

/// Features that a decoder's first layers get, one after the other.
pub(crate) struct Injected {
    /// The tokens that stand for images, `[B, S]`.
    pub(crate) mask: Tensor,
    /// Features of all images, `[tokens, H]`.
    pub(crate) features: Vec<Tensor>,
}

impl Injected {
    /// `_deepstack_process` after layer `index`: `[B, S, H]` to a copy to which features are added, if
    /// there are some for it.
    pub(crate) fn add(&self, t: &Tape, index: usize, hidden: &Tensor) -> Option<Tensor> {
        let features = t.to(self.features.get(index)?, hidden.dtype());
        let copy = t.clone_contiguous(hidden);
        let sum = {
            let rows = t.flagged_rows(&copy, &self.mask, features.dim(0));
            t.add(&rows, &features)
        };
        Some(t.put_flagged_rows(copy, &self.mask, &sum))
    }
}

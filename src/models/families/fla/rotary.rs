//! `RotaryEmbedding` (`fla/modules/rotary/ops.py`): each layer keeps its own cosines and sines.

use crate::nn::build::Builder;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;

pub(crate) struct FlaRotary {
    frequencies: Tensor,
    /// Cosines and sines `[T, D / 2]`.
    cache: RefCell<Option<[Tensor; 2]>>,
}

impl FlaRotary {
    /// For heads of `columns` columns. The frequencies take the dtype of the weights.
    pub(crate) fn new(b: &Builder, columns: u64) -> Self {
        let shape = Shape::from([columns.div_ceil(2)]);
        Self {
            frequencies: b.buffer("inv_freq", shape, b.loaded_dtype()),
            cache: RefCell::default(),
        }
    }

    /// Rotates q and k, `[B, T, H, D]`, of `positions` positions.
    pub(crate) fn forward(&self, t: &Tape, [q, k]: [&Tensor; 2], positions: u64) -> [Tensor; 2] {
        let wide_enough = |[cos, _]: &[Tensor; 2]| cos.dim(0) >= positions;
        if !self.cache.borrow().as_ref().is_some_and(wide_enough) {
            self.update(t, positions, q.dtype());
        }
        let cache = self.cache.borrow();
        let Some([cos, sin]) = cache.as_ref() else {
            return [q.clone(), k.clone()];
        };
        let q = t.fused_rotary(q, cos, sin);
        [q, t.fused_rotary(k, cos, sin)]
    }

    /// `_update_cos_sin_cache`: computed in float32 for more positions than before, from frequencies
    /// that are computed again where those of the buffer are rounded.
    fn update(&self, t: &Tape, positions: u64, dtype: DType) {
        let wide = |op, shape| t.empty(op, shape, DType::Float32);
        let range = wide("arange", Shape::from([positions]));
        let columns = *self.frequencies.shape();
        let again = (self.frequencies.dtype() != DType::Float32).then(|| {
            let power = {
                let scaled = {
                    let _range = wide("arange", columns);
                    wide("div", columns)
                };
                let power = wide("pow", columns);
                // A number to the power of a tensor becomes a tensor first.
                drop(t.empty("pow", Shape::from([1]), DType::Int64));
                drop(scaled);
                power
            };
            let inverse = wide("reciprocal", columns);
            let scaled = wide("mul", columns);
            drop((inverse, power));
            scaled
        });
        let angles = wide("outer", Shape::from([positions, columns.dim(0)]));
        let mut before = self.cache.take().map(Vec::from).unwrap_or_default();
        let cached = ["cos", "sin"].map(|op| {
            let exact = t.trigonometric(op, &angles);
            let cached = t.to(&exact, dtype);
            drop(exact);
            before.drain(..before.len().min(1));
            cached
        });
        drop((again, range, angles));
        self.cache.replace(Some(cached));
    }
}

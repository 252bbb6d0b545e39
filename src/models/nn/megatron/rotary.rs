//! Rotary embeddings (`core/models/common/embeddings/{rotary_pos_embedding,rope_utils}.py`).

use super::modules::Modules;
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;

/// `RotaryEmbedding`, which keeps what it has computed.
pub(super) struct Rotary {
    columns: u64,
    _frequencies: Tensor,
    kept: RefCell<Option<Tensor>>,
}

impl Rotary {
    pub(super) fn new(m: &Modules) -> Self {
        let (t, columns) = (m.tape, m.config.kv_channels);
        let half = Shape::from([columns / 2]);
        let number = |op| t.empty(op, half, DType::Float32);
        let power = {
            let divided = {
                let _range = number("arange");
                number("div")
            };
            let power = number("pow");
            drop(t.empty("pow", Shape::from([2]), DType::Float32));
            drop(divided);
            power
        };
        let inverse = number("reciprocal");
        let frequencies = t.allocate("mul", half, DType::Float32, Category::Buffers);
        drop((inverse, power));
        Self {
            columns,
            _frequencies: frequencies,
            kept: RefCell::default(),
        }
    }

    /// Angles `[S, 1, 1, D]` in float32 of `tokens` tokens.
    pub(super) fn forward(&self, t: &Tape, tokens: u64) -> Tensor {
        let mut kept = self.kept.borrow_mut();
        let made = || {
            let number = |op, shape: Shape| t.empty(op, shape, DType::Float32);
            let positions = {
                let _range = number("arange", Shape::from([tokens]));
                number("add", Shape::from([tokens]))
            };
            let half = number("mul", Shape::from([tokens, self.columns / 2]));
            drop(positions);
            let shape = Shape::from([tokens, 1, 1, self.columns]);
            let angles = t.allocate("cat", shape, DType::Float32, Category::Activations);
            drop(half);
            angles
        };
        kept.get_or_insert_with(made).clone()
    }
}

/// `_apply_rotary_pos_emb_bshd`: heads `[S, B, A, D]`, all of whose columns are rotated.
pub(super) fn rotated(t: &Tape, x: &Tensor, angles: &Tensor) -> Tensor {
    let columns = x.dim(-1);
    let rest = t.slice(x, -1, columns, columns);
    let factor = |op| {
        let scaled = {
            let _function = t.trigonometric(op, angles);
            t.mul_scalar(angles)
        };
        t.to(&scaled, x.dtype())
    };
    let [cos, sin] = ["cos", "sin"].map(factor);
    let sum = {
        let straight = t.mul(x, &cos);
        let across = {
            let rotated = {
                let [left, right] = t.split(x, [columns / 2; 2], -1);
                let negative = t.neg(&right);
                t.cat(&[&negative, &left], -1)
            };
            t.mul(&rotated, &sin)
        };
        t.add(&straight, &across)
    };
    t.cat(&[&sum, &rest], -1)
}

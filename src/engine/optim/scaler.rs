//! `torch.amp.GradScaler`. All of its tensors are single numbers.

use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// Bytes of a number in double precision, which no tensor of the tape has otherwise.
const DOUBLE: DType = DType::Int64;

/// The gradient scaler of float16 training.
#[derive(Default)]
pub struct GradScaler {
    /// The scale and the growth tracker, made with the first loss.
    state: Vec<Tensor>,
    /// How often the flag is summed over ranks.
    sums: u64,
    /// Whether infinities were found, from [`GradScaler::unscale`] until [`GradScaler::update`].
    found_inf: Option<Tensor>,
}

fn number(t: &Tape, op: &'static str, dtype: DType) -> Tensor {
    t.empty(op, Shape::new(&[]), dtype)
}

impl GradScaler {
    /// A scaler whose flag is summed `sums` times over ranks that have parts of gradients.
    pub fn with_sums(sums: u64) -> Self {
        Self {
            sums,
            ..Self::default()
        }
    }

    /// `scaler.scale(loss)`.
    pub fn scale(&mut self, t: &Tape, loss: &Tensor) -> Tensor {
        if self.state.is_empty() {
            for dtype in [DType::Float32, DType::Int32] {
                let shape = Shape::new(&[]);
                self.state
                    .push(t.allocate("full", shape, dtype, Category::Temporaries));
            }
        }
        t.mul(loss, &self.state[0])
    }

    /// `scaler.unscale_(optimizer)`.
    pub fn unscale(&mut self, t: &Tape) {
        let scale = number(t, "_to_copy", DOUBLE);
        let reciprocal = number(t, "reciprocal", DOUBLE);
        drop(scale);
        let inverse = number(t, "_to_copy", DType::Float32);
        drop(reciprocal);
        self.check(t);
        drop(inverse);
    }

    /// Looks for infinities in all gradients, with copies of the flag and of the inverse scale for
    /// their device.
    fn check(&mut self, t: &Tape) {
        let found = number(t, "full", DType::Float32);
        self.found_inf = Some(number(t, "_to_copy", DType::Float32));
        let inverse = number(t, "_to_copy", DType::Float32);
        let summed = (0..self.sums).map(|_| number(t, "all_reduce", DType::Float32));
        drop(summed.collect::<Vec<_>>());
        drop((inverse, found));
    }

    /// `scaler.step(optimizer)`, of an optimizer whose step `run` does. One that `unscales`, as fused ones do,
    /// takes scale and flag and unscales by itself.
    pub fn step(&mut self, t: &Tape, unscales: bool, run: impl FnOnce(&Tape)) {
        let unscaled = self.found_inf.is_some();
        if !unscales {
            if !unscaled {
                self.unscale(t);
            }
            run(t);
            return;
        }
        if !unscaled {
            let inverse = number(t, "full", DType::Float32);
            self.check(t);
            drop(inverse);
        }
        let flag = number(t, "add", DType::Float32);
        let scale = (!unscaled).then(|| number(t, "mul", DType::Float32));
        t.synchronize_stream();
        run(t);
        drop((scale, flag));
    }

    /// `scaler.update()`.
    pub fn update(&mut self) {
        self.found_inf = None;
    }
}

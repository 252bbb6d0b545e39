//! `torch.amp.GradScaler`.

use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// The gradient scaler of float16 training.
#[derive(Default)]
pub struct GradScaler {
    /// The scale and the growth tracker, made with the first loss.
    state: Vec<Tensor>,
}

impl GradScaler {
    /// `scaler.scale(loss)`.
    pub fn scale(&mut self, t: &Tape, loss: &Tensor) -> Tensor {
        if self.state.is_empty() {
            for dtype in [DType::Float32, DType::Int32] {
                self.state
                    .push(t.allocate("full", Shape::new(&[]), dtype, Category::Temporaries));
            }
        }
        t.mul(loss, &self.state[0])
    }
}

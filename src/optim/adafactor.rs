//! Adafactor, in PyTorch's and in transformers' form.

use super::state::Optimizer;
use crate::tape::Tape;

impl Optimizer {
    /// `torch.optim.Adafactor`.
    pub(super) fn adafactor(&mut self, t: &Tape) {
        let _ = t;
    }

    /// `transformers.optimization.Adafactor`.
    pub(super) fn adafactor_transformers(&mut self, t: &Tape) {
        let _ = t;
    }
}

//! The whole state of a model for a checkpoint.

use super::{Coordinator, hold};
use crate::tape::Tape;

impl Coordinator {
    /// `_zero3_consolidated_16bit_state_dict` (`deepspeed/runtime/engine.py`, deepspeed 0.19.8): those of each module
    /// by themselves; nothing is gathered before, and afterwards what persists is again.
    pub(in crate::parallel::zero) fn gather_one_by_one(&self, t: &Tape) {
        self.release_all(t);
        for of_module in self
            .parameters
            .chunk_by(|one, next| one.scope == next.scope)
        {
            let padded = of_module.iter().map(|p| hold(t, p, p.part * self.ranks));
            drop(padded.collect::<Vec<_>>());
        }
        self.step_ended(t);
    }
}

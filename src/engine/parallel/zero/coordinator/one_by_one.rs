//! Parameters that are gathered one after the other: for hooks, and for the whole state of a checkpoint.

use super::{Coordinator, hold};
use crate::tape::Tape;

impl Coordinator {
    /// `create_reduce_and_remove_grad_hooks` (`stage3.py`): the hook of a trained parameter is put on it while it is
    /// whole, one parameter after the other.
    pub(in crate::parallel::zero) fn gather_to_hook(&self, t: &Tape) {
        for (at, parameter) in self.parameters.iter().enumerate() {
            if parameter.trained {
                let _whole = hold(t, parameter, parameter.part * self.ranks);
                drop(self.copied_parts(t, &[at]));
            }
        }
    }

    /// `_zero3_consolidated_16bit_state_dict` (`deepspeed/runtime/engine.py`, deepspeed 0.19.8): gathers the parameters
    /// of each module by themselves; none are gathered before, and afterwards the persistent ones are again.
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

//! `lion_pytorch.Lion` (lion-pytorch 0.2.3), one parameter after the other.

use super::state::{Optimizer, state_at, state_like, temporary};
use crate::tape::Tape;

impl Optimizer {
    /// State: `exp_avg`, made when the loop comes to the parameter. The update is a sum of two
    /// temporaries' size.
    pub(super) fn lion(&mut self, t: &Tape) {
        let states = &mut self.states;
        t.for_each_parameter(|i, parameter, grad| {
            if grad.is_none() {
                return;
            }
            let state = state_at(states, i);
            if state.is_empty() {
                state.push(state_like(t, "zeros_like", parameter));
            }
            let scaled = temporary(t, "clone", parameter);
            let update = temporary(t, "add", parameter);
            drop((scaled, update));
        });
    }
}

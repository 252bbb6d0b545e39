//! `torch.optim.SGD`.

use super::state::{Optimizer, foreach, state_at, state_like};
use crate::ask::OptimizerImpl;
use crate::tape::Tape;

impl Optimizer {
    /// State: the momentum buffer, when there is momentum. Temporaries: the decayed gradients,
    /// unless the step is fused.
    pub(super) fn sgd(&mut self, t: &Tape) {
        let decays = self.options.weight_decay;
        let momentum = self.options.momentum > 0.0;
        match self.options.implementation {
            OptimizerImpl::ForLoop if decays => {
                drop_placed(t);
                let mut states = std::mem::take(&mut self.states);
                self.each(t, |i, parameter| {
                    let state = state_at(&mut states, i);
                    if momentum && state.is_empty() {
                        state.push(state_like(t, "clone", parameter));
                    }
                });
                self.states = states;
            }
            OptimizerImpl::ForLoop => {
                self.momentum_buffers(t, momentum);
                drop_placed(t);
            }
            OptimizerImpl::Foreach if decays => {
                drop(t.placed_gradients());
                let gradients = foreach(t, "_foreach_add");
                self.momentum_buffers(t, momentum);
                drop(gradients);
            }
            _ => {
                self.momentum_buffers(t, momentum);
                drop(t.placed_gradients());
            }
        }
    }

    /// Copies of the first gradients, whole where a rank has rows of the parameter alone.
    fn momentum_buffers(&mut self, t: &Tape, momentum: bool) {
        let states = &mut self.states;
        t.for_each_parameter(|i, parameter, gradient| {
            let state = state_at(states, i);
            if let Some(gradient) = gradient.filter(|_| momentum && state.is_empty()) {
                let is_whole = gradient.numel() != parameter.numel();
                let like = if is_whole { gradient } else { parameter };
                state.push(state_like(t, "clone", like));
            }
        });
    }
}

/// Places gradients as their parameters are, one after the other.
fn drop_placed(t: &Tape) {
    t.for_each_parameter(|_, parameter, grad| {
        drop(grad.and_then(|grad| t.placed_as(parameter, grad)));
    });
}

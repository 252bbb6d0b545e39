//! `torch.optim.SGD`.

use super::state::{Optimizer, State, foreach, state_at, state_like};
use crate::ask::OptimizerImpl;
use crate::tape::Tape;

impl Optimizer {
    /// State: the momentum buffer, when there is momentum. Temporaries: the decayed gradients,
    /// unless the step is fused.
    pub(super) fn sgd(&mut self, t: &Tape) {
        let decays = self.options.weight_decay;
        let momentum = self.options.momentum > 0.0;
        if self.options.implementation != OptimizerImpl::ForLoop {
            self.copies_of_whole(t, momentum);
            drop(t.placed_gradients());
        }
        match self.options.implementation {
            OptimizerImpl::ForLoop => {
                self.copies_of_whole(t, momentum);
                t.for_each_parameter(|_, parameter, grad| {
                    drop(grad.and_then(|grad| t.placed_as(parameter, grad)));
                });
                let mut states = std::mem::take(&mut self.states);
                self.each(t, |i, parameter| {
                    let state = state_at(&mut states, i);
                    if momentum && state.is_empty() {
                        state.push(state_like(t, "clone", parameter));
                    }
                });
                self.states = states;
            }
            OptimizerImpl::Foreach if decays => {
                let gradients = foreach(t, "_foreach_add");
                self.momentum_buffers(t, momentum);
                drop(gradients);
            }
            _ => self.momentum_buffers(t, momentum),
        }
    }

    /// Momentum buffers of parameters of which a rank has rows, where it has their whole gradients: those are copied.
    fn copies_of_whole(&mut self, t: &Tape, momentum: bool) {
        let states = &mut self.states;
        t.for_each_parameter(|i, parameter, gradient| {
            let whole = gradient.filter(|gradient| gradient.numel() != parameter.numel());
            if let Some(whole) = whole.filter(|_| momentum) {
                let state = state_at(states, i);
                if state.is_empty() {
                    state.push(state_like(t, "clone", whole));
                }
            }
        });
    }

    fn momentum_buffers(&mut self, t: &Tape, momentum: bool) {
        if momentum {
            self.init(t, |parameter| -> State {
                vec![state_like(t, "clone", parameter)]
            });
        }
    }
}

//! `torch.optim.Adam` and `torch.optim.AdamW`.

use super::state::{Optimizer, foreach, state_like, state_of, temporary};
use crate::spec::{OptimizerImpl, OptimizerName};
use crate::tape::Tape;
use crate::units::DType;

impl Optimizer {
    /// State: `exp_avg`, `exp_avg_sq`, with amsgrad `max_exp_avg_sq`; the fused step also keeps
    /// its counter on the device. Temporaries: the multi-tensor step takes the square roots of all
    /// second moments at once.
    pub(super) fn adam(&mut self, t: &Tape) {
        let fused = self.options.implementation == OptimizerImpl::Fused;
        let amsgrad = self.options.amsgrad;
        self.init(t, |parameter| {
            let mut state = Vec::with_capacity(4);
            if fused {
                state.push(state_of(t, "zeros", &[], DType::Float32));
            }
            for _ in 0..2 + usize::from(amsgrad) {
                state.push(state_like(t, "zeros_like", parameter));
            }
            state
        });
        // Adam's decay is added to the gradients, AdamW's to the weights in place.
        let decays = self.options.weight_decay && self.options.name == OptimizerName::Adam;
        match self.options.implementation {
            OptimizerImpl::Foreach => {
                let gradients = decays.then(|| foreach(t, "_foreach_add"));
                let roots = foreach(t, "_foreach_sqrt");
                drop(roots);
                drop(gradients);
            }
            OptimizerImpl::ForLoop => {
                let mut denominator = None;
                let mut gradient = None;
                t.for_each_parameter(|_, parameter, grad| {
                    if grad.is_none() {
                        return;
                    }
                    if decays {
                        gradient = Some(temporary(t, "add", parameter));
                    }
                    let root = temporary(t, "sqrt", parameter);
                    let divided = temporary(t, "div", parameter);
                    drop(root);
                    denominator = Some(divided);
                });
                drop(gradient);
                drop(denominator);
            }
            OptimizerImpl::Fused | OptimizerImpl::None => {}
        }
    }
}

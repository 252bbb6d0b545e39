//! `torch.optim.Adam` and `torch.optim.AdamW`.

use super::state::{Optimizer, for_each_gradient, foreach, state_like, state_of, temporary};
use crate::ask::{MasterWeights, OptimizerImpl, OptimizerName};
use crate::tape::Tape;
use crate::units::DType;

impl Optimizer {
    /// State: `exp_avg`, `exp_avg_sq`, with amsgrad `max_exp_avg_sq`; the fused step also keeps
    /// its counter on the device, unless it is apex's `FusedAdam`, which Megatron uses. Temporaries:
    /// the multi-tensor step takes the square roots of all second moments at once.
    pub(super) fn adam(&mut self, t: &Tape) {
        let fused = self.options.implementation == OptimizerImpl::Fused;
        let counts = fused && self.options.master_weights != MasterWeights::Megatron;
        let amsgrad = self.options.amsgrad;
        self.init(t, |parameter| {
            let mut state = Vec::with_capacity(2 + usize::from(amsgrad) + usize::from(counts));
            if counts {
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
                // `_foreach_lerp_`, and `_foreach_addcmul_`, which reads them twice.
                drop(t.placed_gradients());
                drop([(); 2].map(|()| t.placed_gradients()));
                let gradients = decays.then(|| foreach(t, "_foreach_add"));
                drop(gradients);
                drop(foreach(t, "_foreach_sqrt"));
            }
            OptimizerImpl::ForLoop => {
                let (mut gradient, mut denominator) = (None, None);
                for_each_gradient(t, |_, parameter, grad| {
                    // `lerp_`, and `addcmul_`, which reads it twice.
                    drop(t.placed_as(parameter, grad));
                    drop([(); 2].map(|()| t.placed_as(parameter, grad)));
                    drop(gradient.take());
                    if decays {
                        gradient = Some(temporary(t, "add", parameter));
                    }
                    let root = temporary(t, "sqrt", parameter);
                    denominator = Some(temporary(t, "div", &root));
                });
                drop((gradient, denominator));
            }
            OptimizerImpl::Fused => drop(t.placed_gradients()),
            OptimizerImpl::Compiled | OptimizerImpl::None => {}
        }
    }
}

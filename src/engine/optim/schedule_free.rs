//! Schedule-free `AdamW` and SGD.
//!
//! Source: `schedulefree/{adamw,sgd}_schedulefree.py`, schedulefree 1.4.1.

use super::state::{Optimizer, for_each_gradient, foreach, state_like, temporary};
use crate::ask::OptimizerImpl;
use crate::tape::Tape;

impl Optimizer {
    /// State: `z` and `exp_avg_sq`. Temporaries: the denominators, of all parameters at once in the multi-tensor
    /// step; gradients are divided in place.
    pub(super) fn schedule_free_adamw(&mut self, t: &Tape) {
        self.init(t, |parameter| {
            ["clone", "zeros_like"]
                .map(|op| state_like(t, op, parameter))
                .into()
        });
        if self.options.implementation == OptimizerImpl::Foreach {
            drop(foreach(t, "_foreach_div"));
            return;
        }
        let mut denominator = None;
        for_each_gradient(t, |_, parameter, _| {
            denominator = Some(temporary(t, "div", parameter));
        });
        drop(denominator);
    }

    /// State: `z`. No temporaries.
    pub(super) fn schedule_free_sgd(&mut self, t: &Tape) {
        self.init(t, |parameter| vec![state_like(t, "clone", parameter)]);
    }
}

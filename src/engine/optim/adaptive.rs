//! `RMSprop`, Adagrad, Adadelta, Adamax and `NAdam`: the smaller optimizers of `torch.optim`.
//!
//! The multi-tensor implementations hold their lists of temporaries until the step ends; the loops
//! hold those of one parameter until the next one's take their names.

use super::state::{Optimizer, for_each_gradient, foreach, state_like, state_of, temporary};
use crate::ask::OptimizerImpl;
use crate::tape::{Storage, Tape, Tensor};
use crate::units::DType;

impl Optimizer {
    fn is_foreach(&self) -> bool {
        self.options.implementation == OptimizerImpl::Foreach
    }

    /// `states` state tensors like each parameter.
    fn init_like(&mut self, t: &Tape, states: usize) {
        self.init(t, |parameter| {
            (0..states)
                .map(|_| state_like(t, "zeros_like", parameter))
                .collect()
        });
    }

    /// Lists of temporaries that all live until the step ends, after the decayed gradients.
    fn lists(&self, t: &Tape, ops: &[&'static str]) {
        let decay = self.options.weight_decay.then_some("_foreach_add");
        let lists: Vec<Vec<Storage>> = decay
            .into_iter()
            .chain(ops.iter().copied())
            .map(|op| foreach(t, op))
            .collect();
        drop(lists);
    }

    /// The loop over parameters: the decayed gradient is dropped as soon as the next parameter
    /// comes, everything that `body` keeps only when it is replaced.
    pub(super) fn each(&self, t: &Tape, mut body: impl FnMut(usize, &Tensor)) {
        let mut gradient = None;
        for_each_gradient(t, |i, parameter, _| {
            drop(gradient.take());
            if self.options.weight_decay {
                gradient = Some(temporary(t, "add", parameter));
            }
            body(i, parameter);
        });
        drop(gradient);
    }

    /// `torch.optim.RMSprop`. State: `square_avg`, with momentum its buffer.
    pub(super) fn rmsprop(&mut self, t: &Tape) {
        self.init_like(t, 1 + usize::from(self.options.momentum > 0.0));
        if self.is_foreach() {
            return self.lists(t, &["_foreach_sqrt"]);
        }
        let mut root = None;
        self.each(t, |_, parameter| {
            root = Some(temporary(t, "sqrt", parameter));
        });
    }

    /// Adagrad's state: `sum`, made with the optimizer; the fused step's counter is on the device, and so is every
    /// counter that accelerate 1.15 finds with the states when it takes the optimizer (`AcceleratedOptimizer`).
    pub(super) fn adagrad_state(&mut self, t: &Tape) {
        let fused = self.options.implementation == OptimizerImpl::Fused;
        let counts = fused || self.options.by_trainer;
        t.for_each_parameter(|_, parameter, _| {
            let step = counts.then(|| state_of(t, "zeros", &[], DType::Float32));
            let sum = state_like(t, "full_like", parameter);
            self.states.push(step.into_iter().chain([sum]).collect());
        });
    }

    /// `torch.optim.Adagrad`.
    pub(super) fn adagrad(&mut self, t: &Tape) {
        match self.options.implementation {
            // Decayed gradients are scaled in place, others into a list of their own.
            OptimizerImpl::Foreach if self.options.weight_decay => {
                self.lists(t, &["_foreach_sqrt"]);
            }
            OptimizerImpl::Foreach => self.lists(t, &["_foreach_sqrt", "_foreach_mul"]),
            OptimizerImpl::ForLoop => {
                let mut root = None;
                self.each(t, |_, parameter| {
                    root = Some(temporary(t, "sqrt", parameter));
                });
            }
            OptimizerImpl::Fused | OptimizerImpl::Compiled | OptimizerImpl::None => {}
        }
    }

    /// `torch.optim.Adadelta`. State: `square_avg`, `acc_delta`.
    pub(super) fn adadelta(&mut self, t: &Tape) {
        self.init_like(t, 2);
        if self.is_foreach() {
            return self.lists(t, &["_foreach_add", "_foreach_add"]);
        }
        let (mut root, mut delta) = (None, None);
        self.each(t, |_, parameter| {
            root = Some(temporary(t, "add", parameter));
            delta = Some(temporary(t, "add", parameter));
        });
        drop((root, delta));
    }

    /// `torch.optim.Adamax`. State: `exp_avg`, `exp_inf`.
    pub(super) fn adamax(&mut self, t: &Tape) {
        self.init_like(t, 2);
        if self.is_foreach() {
            // The absolute values are taken in place when the gradients are copies already.
            let ops: &[_] = if self.options.weight_decay {
                &[]
            } else {
                &["_foreach_abs"]
            };
            return self.lists(t, ops);
        }
        self.each(t, |_, parameter| drop(temporary(t, "abs", parameter)));
    }

    /// `torch.optim.NAdam`. State: `exp_avg`, `exp_avg_sq`.
    pub(super) fn nadam(&mut self, t: &Tape) {
        self.init_like(t, 2);
        if self.is_foreach() {
            return self.lists(t, &["_foreach_sqrt"]);
        }
        let mut root = None;
        self.each(t, |_, parameter| {
            let corrected = temporary(t, "div", parameter);
            root = Some(temporary(t, "sqrt", &corrected));
        });
    }
}

//! Losses of completions that `GRPOTrainer` knows (`_compute_loss`, trl 1.16), token by token, and how they become one.

use crate::ask::LossType;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Facts of completions `[B, C]`.
pub(super) struct Weighed<'a> {
    /// How much better each is than its group, `[B, 1]`.
    pub(super) advantages: &'a Tensor,
    /// Log-probabilities.
    pub(super) log_probs: &'a Tensor,
    /// How far they are from those before the step.
    pub(super) ratio: &'a Tensor,
    /// The exponential of that.
    pub(super) weight: &'a Tensor,
    /// The tokens that are there.
    pub(super) mask: &'a Tensor,
}

impl Weighed<'_> {
    /// The loss of each token `[B, C]`, and what the function holds until it returns.
    pub(super) fn losses(&self, t: &Tape, loss: LossType) -> (Tensor, Option<Tensor>) {
        let by_log_probs = |factor: &Tensor| {
            let weighted = t.mul(&t.neg(factor), self.advantages);
            t.mul(&weighted, self.log_probs)
        };
        match loss {
            LossType::Cispo => {
                let bounded = t.clamp(self.weight, 1).detach();
                (by_log_probs(&bounded), Some(bounded))
            }
            LossType::Vespo => {
                let factor = self.gamma_weights(t);
                (by_log_probs(&factor), Some(factor))
            }
            LossType::Sapo => {
                let temperatures = self.chosen(t, "gt");
                let bounded = {
                    let share = t.sigmoid(&t.mul(&temperatures, &t.add_scalar(self.weight)));
                    t.div_by(&t.mul_scalar(&share), &temperatures)
                };
                let losses = t.mul(&t.neg(&bounded), self.advantages);
                (losses, Some(bounded))
            }
            _ => {
                let clipped = t.clamp(self.weight, 2);
                let least = {
                    let own = t.mul(self.weight, self.advantages);
                    let bounded = t.mul(&clipped, self.advantages);
                    t.minimum(&own, &bounded)
                };
                (t.neg(&least), Some(clipped))
            }
        }
    }

    /// `torch.where(advantages > 0, number, number)`, `[B, 1]`.
    fn chosen(&self, t: &Tape, op: &'static str) -> Tensor {
        let rows = *self.advantages.shape();
        let _flags = t.empty(op, rows, DType::Bool);
        let number = || t.empty("scalar_tensor", Shape::new(&[]), DType::Float32);
        let _numbers = [number(), number()];
        t.empty("where", rows, DType::Float32)
    }

    /// `get_gamma_weights`, `[B, 1]`, without gradients.
    fn gamma_weights(&self, t: &Tape) -> Tensor {
        let rows = *self.advantages.shape();
        let numbers = |op| t.empty(op, rows, DType::Float32);
        let clamped = t.empty("clamp", *self.ratio.shape(), DType::Float32);
        let sums = {
            let _masked = t.empty("mul", *self.ratio.shape(), DType::Float32);
            numbers("sum")
        };
        let logarithms = numbers("clamp");
        let weights = numbers("exp");
        let flags = t.empty("ge", rows, DType::Bool);
        let [first, second] = [(); 2].map(|()| {
            let _numbers =
                [(); 2].map(|()| t.empty("scalar_tensor", Shape::new(&[]), DType::Float32));
            numbers("where")
        });
        let second = {
            let clamped = numbers("clamp");
            drop(second);
            clamped
        };
        let exponent = numbers("sub");
        let factor = {
            let _exponential = numbers("exp");
            numbers("nan_to_num")
        };
        drop((
            clamped, sums, logarithms, weights, flags, first, second, exponent,
        ));
        factor
    }

    /// Reduces the losses of tokens to one number.
    pub(super) fn reduced(&self, t: &Tape, losses: &Tensor, loss: LossType) -> Tensor {
        let masked = || t.mul(losses, self.mask);
        let samples = losses.dim(0);
        let counted = |shape: Shape| {
            let _sum = t.empty("sum", shape, DType::Int64);
            t.empty("clamp", shape, DType::Float32)
        };
        match loss {
            LossType::Grpo | LossType::Sapo => {
                let means = {
                    let sums = t.sum_dim(&masked(), 1, false);
                    t.div_by(&sums, &counted(Shape::from([samples])))
                };
                t.div_scalar(&t.mean_all(&means))
            }
            LossType::Bnpo => {
                let sum = t.sum_all(&masked());
                let mean = t.div_by(&sum, &counted(Shape::new(&[])));
                t.div_scalar(&mean)
            }
            LossType::DrGrpo => {
                let mean = t.div_scalar(&t.sum_all(&masked()));
                t.div_scalar(&mean)
            }
            LossType::Luspo => {
                let mean = t.mean_all(&t.sum_dim(&masked(), 1, false));
                t.div_scalar(&mean)
            }
            _ => {
                let normalizer = t.empty("div", Shape::new(&[]), DType::Float32);
                let sum = t.sum_all(&masked());
                t.div_by(&sum, &normalizer)
            }
        }
    }
}

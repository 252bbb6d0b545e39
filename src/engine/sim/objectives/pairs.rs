//! Losses of pairs of completions that `DPOTrainer` knows (`_compute_loss`, trl 1.16), by what its policy and its
//! reference give each.

use crate::ask::LossType;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// Facts of pairs: of each the sums of log-probabilities `[P]`, of chosen and of rejected completions.
pub(super) struct Compared<'a> {
    /// The policy's, and the reference's.
    pub(super) log_probs: [[&'a Tensor; 2]; 2],
    /// How far the first are from the second.
    pub(super) ratios: [&'a Tensor; 2],
    /// The difference of these.
    pub(super) difference: &'a Tensor,
    /// The policy's log-probabilities of all tokens `[2 P, S - 1]`.
    pub(super) tokens: &'a Tensor,
    /// The tokens of completions, `[2 P, S]`.
    pub(super) completions: &'a Tensor,
}

impl Compared<'_> {
    /// The loss of each pair `[P]`, each of whose completions has `scored` tokens.
    pub(super) fn losses(&self, t: &Tape, loss: LossType, scored: u64) -> Tensor {
        let [chosen, rejected] = self.ratios;
        let scaled = |x: &Tensor| t.mul_scalar(x);
        // beta * delta_score, and -beta * delta_score.
        let difference = || scaled(self.difference);
        match loss {
            LossType::Hinge => t.relu(&t.rsub_scalar(&difference())),
            LossType::Ipo => t.square(&t.add_scalar(&self.difference_of_means(t))),
            LossType::SigmoidNorm => {
                let difference = self.difference_of_means(t);
                t.neg(&t.logsigmoid(&scaled(&difference)))
            }
            LossType::ExoPair => self.by_probability(t),
            LossType::NcaPair => {
                let rewards = [scaled(chosen), scaled(rejected)];
                let own = t.neg(&t.logsigmoid(&rewards[0]));
                let others = rewards
                    .each_ref()
                    .map(|reward| scaled(&t.logsigmoid(&t.neg(reward))));
                t.sub(&t.sub(&own, &others[0]), &others[1])
            }
            LossType::Robust | LossType::Aot | LossType::AotUnpaired => {
                let sorted = self.sorted(t, loss);
                let sorted = sorted.as_ref().unwrap_or(self.difference);
                let clean = t.logsigmoid(&scaled(sorted));
                let flipped = t.logsigmoid(&scaled(sorted));
                let smoothed = if loss == LossType::Robust {
                    [scaled(&clean), scaled(&flipped)]
                } else {
                    [scaled(&t.neg(&clean)), scaled(&flipped)]
                };
                let losses = t.sub(&smoothed[0], &smoothed[1]);
                if loss == LossType::Robust {
                    t.div_scalar(&losses)
                } else {
                    losses
                }
            }
            LossType::BcoPair => {
                let rewards = [scaled(chosen), scaled(rejected)];
                let own = t.neg(&t.logsigmoid(&rewards[0]));
                let other = t.logsigmoid(&t.neg(&rewards[1]));
                t.sub(&own, &other)
            }
            LossType::SppoHard => {
                let errors = [chosen, rejected].map(|ratio| t.square(&t.add_scalar(ratio)));
                t.add(&errors[0], &errors[1])
            }
            LossType::ApoZero => {
                let own = t.rsub_scalar(&t.sigmoid(&scaled(chosen)));
                let other = t.sigmoid(&scaled(rejected));
                t.add(&own, &other)
            }
            LossType::ApoDown => {
                let own = t.sigmoid(&scaled(chosen));
                let other = t.rsub_scalar(&t.sigmoid(&scaled(&t.sub(chosen, rejected))));
                t.add(&own, &other)
            }
            LossType::Discopop => {
                let logits = difference();
                let share = t.sigmoid(&t.div_scalar(&logits));
                let logistic = t.neg(&t.logsigmoid(&logits));
                let exponential = t.exp(&t.neg(&logits));
                let first = t.mul(&logistic, &t.rsub_scalar(&share));
                t.add(&first, &t.mul(&exponential, &share))
            }
            LossType::Sft => self.likelihood(t, scored),
            _ => t.neg(&t.logsigmoid(&difference())),
        }
    }

    /// How many tensors `[P]` have names in the function that computes a loss, beside what its metrics name anew: these
    /// live until it returns.
    pub(super) const fn named(loss: LossType) -> u64 {
        match loss {
            LossType::Robust | LossType::SppoHard | LossType::ApoZero | LossType::ApoDown => 2,
            LossType::Ipo | LossType::AotUnpaired | LossType::SigmoidNorm => 3,
            LossType::Discopop => 4,
            LossType::Aot => 5,
            LossType::ExoPair => 7,
            _ => 0,
        }
    }

    /// The difference of means over tokens `[P]`.
    fn difference_of_means(&self, t: &Tape) -> Tensor {
        let [chosen, rejected] = self.ratios.map(|ratio| {
            let count = {
                let _sum = t.empty("sum", *ratio.shape(), DType::Int64);
                t.empty("clamp", *ratio.shape(), DType::Float32)
            };
            t.div_by(ratio, &count)
        });
        t.sub(&chosen, &rejected)
    }

    /// `exo_pair`: by how probable each of two is.
    fn by_probability(&self, t: &Tape) -> Tensor {
        let number = |op| t.empty(op, Shape::new(&[]), DType::Float32);
        let epsilon = number("tensor");
        let part = |op: &'static str| {
            let share = t.sigmoid(&t.mul_scalar(self.difference));
            let log_share = t.logsigmoid(&t.mul_scalar(self.difference));
            (share, log_share, number(op))
        };
        let parts = [part("log1p"), part("log")];
        let [own, other] = parts.each_ref().map(|(share, log_share, asked)| {
            let further = t.sub(log_share, asked);
            t.mul(share, &further)
        });
        drop(epsilon);
        t.add(&own, &other)
    }

    /// Differences of sorted log-probabilities `[P]`: of pairs, or of chosen and rejected completions.
    fn sorted(&self, t: &Tape, loss: LossType) -> Option<Tensor> {
        let [first, second] = match loss {
            LossType::Aot => self
                .log_probs
                .map(|[chosen, rejected]| t.sub(chosen, rejected)),
            LossType::AotUnpaired => self.ratios.map(Clone::clone),
            _ => return None,
        };
        let [first, second] = [&first, &second].map(|x| t.sorted_numbers(x));
        Some(t.sub(&first, &second))
    }

    /// `sft`: the mean log-probability of the chosen completion of each pair.
    fn likelihood(&self, t: &Tape, scored: u64) -> Tensor {
        let pairs = self.difference.dim(0);
        let mask = {
            let completions = t.slice(self.completions, 0, 0, pairs);
            t.empty(
                "_to_copy",
                Shape::from([pairs, completions.dim(1) - 1]),
                DType::Bool,
            )
        };
        let tokens = t.whole_slice(self.tokens);
        let [chosen, _] = t.split(&tokens, [pairs, pairs], 0);
        let picked = t.flagged_values(&chosen, &mask, pairs * scored);
        let loss = t.neg(&t.mean_all(&picked));
        t.expand(&loss, [pairs])
    }
}

//! Losses of numbers (`aten/src/ATen/native/{Loss,cuda/Loss}.{cpp,cu}`, torch 2.15).

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::Shape;

/// How a loss of each element becomes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The losses are not reduced.
    None,
    /// By the mean.
    Mean,
    /// By the sum.
    Sum,
}

impl Tape {
    /// The mean or the sum of the loss of each element, or that itself, recorded as operations of their own.
    pub fn settled(&self, each: &Tensor, by: Reduction) -> Tensor {
        match by {
            Reduction::None => each.clone(),
            Reduction::Mean => self.mean_all(each),
            Reduction::Sum => self.sum_all(each),
        }
    }

    /// The mean or the sum within an operation, not recorded.
    fn settled_within(&self, each: Tensor, by: Reduction) -> Tensor {
        match by {
            Reduction::None => each,
            _ => self.reduce("mean", &each, Shape::new(&[]), each.dtype()),
        }
    }

    /// `binary_cross_entropy_with_logits(x, target)`; under autocast in float32. Saves both.
    pub fn binary_loss(&self, x: &Tensor, target: &Tensor, by: Reduction) -> Tensor {
        const OP: &str = "binary_cross_entropy_with_logits";
        let target = self.cast_up(target);
        let x = self.cast_up(x);
        let saved = self
            .records(&[&x])
            .then(|| [&x, &target].map(|x| self.save(x)));
        let each = {
            // `(1 - target) * x - log_sigmoid(x)`: the sigmoid's logarithm, then the product that it is subtracted
            // from.
            let logarithm = self.like("log_sigmoid", &x);
            drop(self.like("log_sigmoid", &x));
            let rest = self.like("rsub", &target);
            drop(logarithm);
            rest
        };
        let out = self.settled_within(each, by);
        let Some([saved, saved_target]) = saved else {
            return out;
        };
        self.with_saved(&x, out, Some(saved), move |t, _, x| {
            let _target = saved_target.unpack(t);
            let _sigmoid = t.like("sigmoid", x);
            t.like(OP, x)
        })
    }

    /// `binary_cross_entropy(x, target)` of probabilities. The result keeps memory as large as x, in which the loss of
    /// each was. Saves both.
    pub fn binary_loss_of_probabilities(
        &self,
        x: &Tensor,
        target: &Tensor,
        by: Reduction,
    ) -> Tensor {
        const OP: &str = "binary_cross_entropy";
        let saved = self
            .records(&[x])
            .then(|| [x, target].map(|x| self.save(x)));
        let out = self.like(OP, x);
        let out = if by == Reduction::None {
            out
        } else {
            let scalar = Shape::new(&[]);
            drop(self.reduce("mean", &out, scalar, out.dtype()));
            out.detach_as(scalar, scalar)
        };
        let Some([saved, saved_target]) = saved else {
            return out;
        };
        self.with_saved(x, out, Some(saved), move |t, _, x| {
            let _target = saved_target.unpack(t);
            t.like(OP, x)
        })
    }

    /// `mse_loss` or `smooth_l1_loss` of two tensors, whose result is made as large as they are and then resized, or
    /// `huber_loss`, whose is not (`keeps_memory`); under autocast in float32. Saves both.
    pub fn pair_loss(
        &self,
        op: &'static str,
        [x, target]: [&Tensor; 2],
        by: Reduction,
        keeps_memory: bool,
    ) -> Tensor {
        let target = self.cast_up(target);
        let x = self.cast_up(x);
        let inputs = [&x, &target];
        let saved = self
            .records(&inputs)
            .then(|| inputs.map(|kept| self.save(kept)));
        let out = match (by, keeps_memory) {
            (Reduction::None, _) => self.elementwise(op, &inputs, x.dtype()),
            (_, true) => {
                let scalar = Shape::new(&[]);
                let out = self.like(op, &x).detach_as(scalar, scalar);
                let each = self.like(op, &x);
                self.reduce_into_number(&each);
                out
            }
            (_, false) => {
                let each = self.like(op, &x);
                self.settled_within(each, by)
            }
        };
        let Some(saved) = saved else { return out };
        let needs = inputs.map(Tensor::requires_grad);
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                if g[0].is_none() {
                    return Grads::new();
                }
                let [x, _target] = saved.each_ref().map(|saved| saved.unpack(t));
                let each = [0, 1].map(|i| (needs[i] && t.asks(i)).then(|| t.like(op, &x)));
                each.into_iter().collect()
            }),
        )
    }

    /// `l1_loss` of two tensors, under autocast in float32: the difference, its absolute value, the mean.
    pub fn distance_loss(&self, x: &Tensor, target: &Tensor, by: Reduction) -> Tensor {
        let target = self.cast_up(target);
        let x = self.cast_up(x);
        self.without_autocast(|| {
            let difference = self.sub(&x, &target);
            let absolute = self.function_of("abs", &difference, super::Kept::Input, 1);
            drop(difference);
            self.settled(&absolute, by)
        })
    }

    /// `kl_div(x, target)` of logarithms of probabilities and a target, which are probabilities or logarithms too; under
    /// autocast in float32.
    pub fn divergence_loss(
        &self,
        x: &Tensor,
        target: &Tensor,
        by: Reduction,
        of_logarithms: bool,
    ) -> Tensor {
        let target = self.cast_up(target);
        let x = self.cast_up(x);
        self.without_autocast(|| {
            let each = if of_logarithms {
                let probabilities = self.exp(&target);
                let difference = self.sub(&target, &x);
                self.mul(&probabilities, &difference)
            } else {
                let entropy = self.elementwise("xlogy", &[&target.detach()], target.dtype());
                let product = self.mul(&target, &x);
                self.sub(&entropy, &product)
            };
            self.settled(&each, by)
        })
    }

    /// `pairwise_distance(a, b)` along the last dimension.
    pub fn distance_of_rows(&self, a: &Tensor, b: &Tensor, keepdim: bool) -> Tensor {
        let difference = self.sub(a, b);
        let shifted = self.add_scalar(&difference);
        drop(difference);
        let last = shifted.shape().rank().saturating_sub(1);
        self.length_over(&shifted, &[last], keepdim)
    }

    /// `triplet_margin_loss(anchor, positive, negative)`; under autocast in float32.
    pub fn triplet_loss(&self, all: [&Tensor; 3], by: Reduction) -> Tensor {
        let [anchor, near, far] = all.map(|x| self.cast_up(x));
        self.without_autocast(|| {
            let to_near = self.distance_of_rows(&anchor, &near, false);
            let to_far = self.distance_of_rows(&anchor, &far, false);
            let margin = self.add_scalar(&to_near);
            let difference = self.sub(&margin, &to_far);
            let each = self.clamp(&difference, 1);
            drop((margin, difference));
            self.settled(&each, by)
        })
    }

    /// The mean of x into a number that is there.
    fn reduce_into_number(&self, x: &Tensor) {
        drop(self.reduce("mean", x, Shape::new(&[]), x.dtype()));
    }
}

//! Losses of numbers.

use crate::tape::{Tape, Tensor};
use crate::units::Shape;

impl Tape {
    /// `binary_cross_entropy_with_logits(x, target)`, mean; under autocast in float32. Saves both
    /// (`aten/src/ATen/native/Loss.cpp`).
    pub fn binary_loss(&self, x: &Tensor, target: &Tensor) -> Tensor {
        const OP: &str = "binary_cross_entropy_with_logits";
        let target = self.cast_up(target);
        let x = self.cast_up(x);
        let saved = self
            .records(&[&x])
            .then(|| [&x, &target].map(|x| self.save(x)));
        let each = {
            // `(1 - target) * x - log_sigmoid(x)`: the sigmoid's logarithm, then what it is taken from.
            let logarithm = self.like("log_sigmoid", &x);
            drop(self.like("log_sigmoid", &x));
            let rest = self.like("rsub", &target);
            drop(logarithm);
            rest
        };
        let out = self.reduce("mean", &each, Shape::new(&[]), x.dtype());
        drop(each);
        let Some([saved, saved_target]) = saved else {
            return out;
        };
        self.with_saved(&x, out, Some(saved), move |t, _, x| {
            let _target = saved_target.unpack(t);
            let _sigmoid = t.like("sigmoid", x);
            t.like(OP, x)
        })
    }

    /// A loss between two tensors (`l1_loss`, `smooth_l1_loss`, `huber_loss`), mean; under autocast in float32. Saves
    /// both.
    pub fn distance_loss(&self, op: &'static str, x: &Tensor, target: &Tensor) -> Tensor {
        let target = self.cast_up(target);
        let x = self.cast_up(x);
        let saved = self
            .records(&[&x])
            .then(|| [&x, &target].map(|x| self.save(x)));
        let out = self.empty(op, Shape::new(&[]), x.dtype());
        drop(self.like(op, &x));
        let Some([saved, saved_target]) = saved else {
            return out;
        };
        self.with_saved(&x, out, Some(saved), move |t, _, x| {
            let _target = saved_target.unpack(t);
            t.like(op, x)
        })
    }
}

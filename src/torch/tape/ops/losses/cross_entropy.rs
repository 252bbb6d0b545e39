//! Losses.

use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// `torch.nn.functional.cross_entropy(logits, target)` of `[N, V]` and `[N]`, mean over N.
    /// Under autocast the probabilities are in the dtype of the logits, the loss is in float32.
    pub fn cross_entropy(&self, logits: &Tensor, target: &Tensor) -> Tensor {
        let log_probabilities = self.without_autocast(|| self.log_softmax(logits));
        let wide = self.cast_up(&log_probabilities);
        let loss = self.without_autocast(|| self.nll_loss(&wide, target));
        drop(log_probabilities);
        loss
    }

    /// `torch.nn.functional.cross_entropy(logits, target, label_smoothing=...)` of `[N, V]` and `[N]`, mean over N
    /// (`cross_entropy_loss_label_smoothing`, `aten/src/ATen/native/LossNLL.cpp`, torch 2.15).
    pub fn cross_entropy_smoothed(&self, logits: &Tensor, target: &Tensor) -> Tensor {
        let log_probabilities = self.without_autocast(|| self.log_softmax(logits));
        let nll = {
            let wide = self.cast_up(&log_probabilities);
            self.without_autocast(|| self.nll_loss(&wide, target))
        };
        let smooth = self.neg(&self.sum_over(&log_probabilities, &[1], false));
        let ignored = self.elementwise("eq", &[target], DType::Bool);
        let smooth = self.fill_where(smooth, &ignored);
        let mean = {
            let _counted = self.elementwise("bitwise_not", &[&ignored], DType::Bool);
            let count = self.empty("sum", Shape::new(&[]), DType::Int64);
            drop(self.empty("sum", *target.shape(), DType::Int64));
            self.div_by(&self.sum_all(&smooth), &count)
        };
        self.add(&self.mul_scalar(&nll), &self.mul_scalar(&mean))
    }

    /// `torch.nn.functional.mse_loss(x, target)` of `[N]` each, mean over N; under autocast in float32.
    /// Saves both.
    pub fn mse_loss(&self, x: &Tensor, target: &Tensor) -> Tensor {
        const OP: &str = "mse_loss";
        let x = self.cast_up(x);
        let saved = self
            .records(&[&x])
            .then(|| [&x, target].map(|x| self.save(x)));
        // The result is made as large as x, then resized to a number (`TORCH_META_FUNC(mse_loss)`, `Loss.cpp`).
        let scalar = Shape::new(&[]);
        let out = self
            .empty(OP, *x.shape(), x.dtype())
            .detach_as(scalar, scalar);
        drop(self.empty(OP, *x.shape(), x.dtype()));
        let Some(saved) = saved else { return out };
        self.attach(
            &[&x],
            out,
            Box::new(move |t, g| {
                if g[0].is_none() {
                    return smallvec![];
                }
                let [x, _target] = saved.each_ref().map(|saved| saved.unpack(t));
                smallvec![Some(t.empty("mse_loss_backward", *x.shape(), x.dtype()))]
            }),
        )
    }

    /// `torch.nn.functional.nll_loss(x, target)`, mean; under autocast in float32.
    pub fn negative_likelihood(&self, x: &Tensor, target: &Tensor) -> Tensor {
        let x = self.cast_up(x);
        self.without_autocast(|| self.nll_loss(&x, target))
    }

    /// `torch.nn.functional.nll_loss(x, target)`. Saves both and the total weight.
    fn nll_loss(&self, x: &Tensor, target: &Tensor) -> Tensor {
        let scalar = Shape::new(&[]);
        if !self.records(&[x]) {
            let out = self.empty("nll_loss_forward", scalar, x.dtype());
            drop(self.empty("nll_loss_forward", scalar, x.dtype()));
            return out;
        }
        let saved = (self.save(x), self.save(target));
        let out = self.empty("nll_loss_forward", scalar, x.dtype());
        let total_weight = self.empty("nll_loss_forward", scalar, x.dtype());
        let weight = self.save(&total_weight);
        drop(total_weight);
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                if g[0].is_none() {
                    return smallvec![];
                }
                let (x, _target, _weight) =
                    (saved.0.unpack(t), saved.1.unpack(t), weight.unpack(t));
                smallvec![Some(t.empty("nll_loss_backward", *x.shape(), x.dtype()))]
            }),
        )
    }

    /// `torch.nn.functional.pad(labels, (0, 1))[..., 1:].contiguous()`: the labels shifted by one,
    /// with the padded tensor that stays a local variable of the loss.
    pub fn shifted_labels(&self, labels: &Tensor) -> (Tensor, Tensor) {
        let padded = Shape::from([labels.dim(0), labels.dim(1) + 1]);
        let padded = self.empty("constant_pad_nd", padded, DType::Int64);
        let view = self.slice(&padded, 1, 1, padded.dim(1));
        let shifted = self.contiguous(&view);
        (padded, shifted)
    }
}

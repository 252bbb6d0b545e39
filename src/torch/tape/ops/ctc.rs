//! Connectionist temporal classification.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// Arguments of `torch.nn.functional.ctc_loss` besides logarithms of probabilities.
pub struct Transcripts<'a> {
    /// The labels of all samples, one after the other.
    pub targets: &'a Tensor,
    /// How long the inputs and the labels of each sample are.
    pub lengths: [&'a Tensor; 2],
    /// Labels of the longest sample.
    pub longest: u64,
    /// Whether the loss is the mean, where it is the sum otherwise.
    pub mean: bool,
    /// Whether an infinite loss counts as zero.
    pub zero_infinity: bool,
}

impl Tape {
    /// `torch.nn.functional.ctc_loss` of `[T, B, V]` in float32 (`aten/src/ATen/native/{LossCTC.cpp,cuda/LossCTC.cu}`,
    /// torch 2.15), where the lengths of inputs and labels are read by the host. Saves its inputs, the logarithms of
    /// the sums up to each label and position, and the loss of each sample.
    pub fn ctc_loss(&self, log_probabilities: &Tensor, of: &Transcripts) -> Tensor {
        const OP: &str = "_ctc_loss";
        const BACKWARD: &str = "_ctc_loss_backward";
        let x = log_probabilities;
        let samples = x.dim(1);
        let sums = Shape::from([samples, x.dim(0), 2 * of.longest + 1]);
        let copies = |op| [(); 3].map(|()| self.empty(op, Shape::from([samples]), DType::Int64));
        let records = self.records(&[x]);
        let [inputs, labels] = of.lengths;
        let saved = records.then(|| [x, of.targets, inputs, labels].map(|x| self.save(x)));
        let mut losses = {
            let _copies = copies(OP);
            let alpha = self.empty(OP, sums, x.dtype());
            let losses = self.empty(OP, Shape::from([samples]), x.dtype());
            match saved {
                None => losses,
                Some(saved) => {
                    let kept = [self.save(&losses.detach()), self.save(&alpha)];
                    let from = *x.shape();
                    let zero_infinity = of.zero_infinity;
                    self.attach(
                        &[x],
                        losses,
                        Box::new(move |t, g| {
                            if g[0].is_none() {
                                return Grads::new();
                            }
                            let _saved = saved.each_ref().map(|saved| saved.unpack(t));
                            let _kept = kept.each_ref().map(|kept| kept.unpack(t));
                            let made = |shape, dtype| t.empty(BACKWARD, shape, dtype);
                            let _copies =
                                [(); 3].map(|()| made(Shape::from([samples]), DType::Int64));
                            let _beta = made(sums, DType::Float32);
                            let gradient = made(from, DType::Float32);
                            if !is_large(&from) {
                                return smallvec![Some(gradient)];
                            }
                            t.sums_of_blanks(&sums);
                            let finite = zero_infinity.then(|| t.where_finite(&gradient));
                            smallvec![Some(finite.unwrap_or(gradient))]
                        }),
                    )
                }
            }
        };
        if of.zero_infinity {
            let zero = self.empty("zeros", Shape::new(&[]), losses.dtype());
            let infinite = self.empty("eq", *losses.shape(), DType::Bool);
            losses = self.where_or(&infinite, &losses, &zero);
        }
        if !of.mean {
            return self.sum_all(&losses);
        }
        let lengths = {
            let lengths = self.empty("tensor", *losses.shape(), losses.dtype());
            self.clamp(&lengths, 1)
        };
        self.mean_all(&self.div_by(&losses, &lengths))
    }

    /// The part of blanks in the gradient: `logsumexp` over every second column of the `sums` `[B, T, 2L + 1]` of both
    /// directions.
    fn sums_of_blanks(&self, sums: &Shape) {
        const OP: &str = "_ctc_loss_backward";
        let [samples, steps, labels] = [0, 1, 2].map(|i| sums.dim(i));
        let made = |shape| self.empty(OP, shape, DType::Float32);
        let all = Shape::from([samples, steps, labels.div_ceil(2)]);
        let each = Shape::from([samples, steps, 1]);
        let _both = made(all);
        let most = made(each);
        {
            let _size = made(each);
            drop(self.empty(OP, each, DType::Bool));
        }
        let exponentials = made(all);
        let _result = made(each);
        drop(exponentials);
        drop(most);
    }

    /// `torch.where(loss == inf, 0, gradient)` for a gradient `[T, B, V]`.
    fn where_finite(&self, gradient: &Tensor) -> Tensor {
        const OP: &str = "_ctc_loss_backward";
        let _zero = self.empty(OP, Shape::new(&[]), gradient.dtype());
        let _infinite = self.empty(OP, Shape::from([gradient.dim(1)]), DType::Bool);
        self.empty(OP, *gradient.shape(), gradient.dtype())
    }
}

/// Whether the gradient of `[T, B, V]` is collected for blanks and labels apart (`is_large`,
/// `LossCTC.cu`).
fn is_large(shape: &Shape) -> bool {
    let [steps, samples, labels] = [0, 1, 2].map(|i| shape.dim(i));
    2 * steps + 24 * samples / 10 + 2 * labels / 10 > 450
}

//! Cross entropy without a copy of the logits (`fla/modules/fused_cross_entropy.py`,
//! `fla/modules/fused_linear_cross_entropy.py`).

use super::FlaVersion;
use crate::tape::graph::Grads;
use crate::tape::ops::losses::Pieces;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// Classes that one program of the kernel sees.
const CLASS_BLOCK: u64 = 65_536;
/// Pieces into which the linear layer and the loss are cut at most.
const MOST_PIECES: u64 = 8;

const SCALAR: [u64; 0] = [];

/// The tensors with one number per row of logits.
struct RowLosses {
    /// Its loss.
    losses: Tensor,
    /// Its z-loss.
    z_losses: Tensor,
    /// The log of its sum.
    sums: Tensor,
}

impl Tape {
    /// `FusedCrossEntropyLoss(inplace_backward=True)(logits, target)` of `[N, V]` and `[N]`, mean
    /// over N. Saves the logits, over which their gradient is written, the target and the log of
    /// the sums.
    pub fn fused_cross_entropy(&self, logits: &Tensor, target: &Tensor) -> Tensor {
        let n = logits.dim(0);
        let RowLosses {
            losses,
            z_losses,
            sums,
        } = self.unrecorded(|| self.cross_entropy_forward(logits));
        let losses = if self.records(&[logits]) {
            let saved = [logits, target, &sums].map(|x| self.save(x));
            drop(sums);
            let backward = move |t: &Tape, g: &Grads| {
                let Some(g) = &g[0] else { return Grads::new() };
                // The other output takes no gradient, and is given zeros.
                let zeros = t.empty("zeros", Shape::from([n]), DType::Float32);
                let _g = t.contiguous(g);
                drop(zeros);
                let [logits, _target, _sums] = saved.each_ref().map(|saved| saved.unpack(t));
                smallvec![Some(logits.detach())]
            };
            let [losses] = self.function(&[logits], [losses], Box::new(backward));
            losses
        } else {
            losses
        };
        let early = self.backend().fla == FlaVersion::V060;
        let loss = self.sum_all(&losses);
        let losses = Some(losses).filter(|_| !early);
        let total = self.counted(target);
        let mean = self.div_by(&loss, &total);
        drop((loss, z_losses, losses));
        mean
    }

    /// `cross_entropy_fwd`.
    fn cross_entropy_forward(&self, logits: &Tensor) -> RowLosses {
        const OP: &str = "cross_entropy";
        let rows = Shape::from([logits.dim(0)]);
        let blocks = logits.dim(1).div_ceil(CLASS_BLOCK);
        let shape = if blocks > 1 {
            Shape::from([blocks, logits.dim(0)])
        } else {
            rows
        };
        let each = |shape| self.empty(OP, shape, DType::Float32);
        let (losses, sums, z_losses) = (each(shape), each(shape), each(rows));
        if blocks > 1 {
            let reduced = (each(rows), each(rows));
            return RowLosses {
                losses: reduced.0,
                z_losses,
                sums: reduced.1,
            };
        }
        RowLosses {
            losses,
            z_losses,
            sums,
        }
    }

    /// `(target != ignore_index).sum()`.
    pub fn counted(&self, target: &Tensor) -> Tensor {
        let unlike = self.empty("ne", *target.shape(), DType::Bool);
        let total = self.empty("sum", Shape::new(&SCALAR), DType::Int64);
        drop(self.empty("sum", *unlike.shape(), DType::Int64));
        total
    }

    /// `FusedLinearCrossEntropyLoss()(x, target, weight)`: x `[N, H]`, target `[N]` and weight
    /// `[V, H]` to the mean loss. The gradients of x and of the weight are computed in forward,
    /// piece by piece; they are all that is saved.
    pub fn fused_linear_cross_entropy(
        &self,
        x: &Tensor,
        target: &Tensor,
        weight: &Tensor,
    ) -> Tensor {
        let (loss, [dx, dw]) = self.unrecorded(|| match self.backend().fla {
            FlaVersion::V060 => self.linear_cross_entropy(x, target, weight),
            FlaVersion::V022 => self.linear_cross_entropy_022(x, target, weight),
        });
        if !self.records(&[x, weight]) {
            return loss;
        }
        let saved = [&dx, &dw].map(|x| self.save(&x.detach()));
        drop((dx, dw));
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let [dx, dw] = saved.each_ref().map(|saved| saved.unpack(t));
            if t.backend().fla == FlaVersion::V022 {
                // torch.ne(do, torch.tensor(1.0)): whether the gradients have to be scaled.
                let one = t.empty("tensor", Shape::new(&SCALAR), DType::Float32);
                let _unlike = t.elementwise("ne", &[g, &one], DType::Bool);
            }
            smallvec![Some(dx), Some(dw)]
        };
        let [loss] = self.function(&[x, weight], [loss], Box::new(backward));
        loss
    }

    /// Rows of a piece and how many pieces there are.
    fn pieces(n: u64, hidden: u64, classes: u64) -> Pieces {
        let pieces = MOST_PIECES.min(classes.div_ceil(hidden));
        let rows = n.div_ceil(pieces).next_power_of_two();
        Pieces {
            rows,
            pieces: n.div_ceil(rows),
        }
    }

    /// `fused_linear_cross_entropy_fwd` of 0.6.0.
    fn linear_cross_entropy(
        &self,
        x: &Tensor,
        target: &Tensor,
        weight: &Tensor,
    ) -> (Tensor, [Tensor; 2]) {
        let (n, hidden) = (x.dim(0), x.dim(1));
        let Pieces { rows, pieces } = Self::pieces(n, hidden, weight.dim(0));
        let scalar = |op, dtype| self.empty(op, Shape::new(&SCALAR), dtype);
        let dx = self.empty("zeros_like", *x.shape(), x.dtype());
        let wide = self.empty("zeros_like", *weight.shape(), DType::Float32);
        let losses = self.empty("zeros", Shape::from([n]), DType::Float32);
        let total = {
            let _counted = self.counted(target);
            scalar("clamp_min", DType::Int64)
        };
        let dloss = {
            let _wide = scalar("_to_copy", DType::Float32);
            scalar("reciprocal", DType::Float32)
        };
        let (mut logits, mut piece, mut kept) = (None, None, None);
        for i in 0..pieces {
            let (start, end) = (i * rows, n.min((i + 1) * rows));
            piece.replace(self.slice(x, 0, start, end));
            let Some(part) = &piece else { continue };
            let scores = self.linear(part, weight, None);
            logits.replace(scores.clone());
            let cast = self.cast_or_same(part, DType::Float32);
            piece.replace(cast);
            kept.replace(self.cross_entropy_forward(&scores));
            {
                let product = self.matmul(&scores, weight);
                let _sum = self.like("add", &product);
            }
            let _transposed = self.cast_or_same(&self.t(&scores), DType::Float32);
            self.computes(&[end - start, hidden, weight.dim(0)]);
            self.gemm_workspace("addmm");
        }
        let sum = self.sum_all(&losses);
        drop(losses);
        let loss = self.like("div", &sum);
        drop(sum);
        let dw = self.cast_or_same(&wide, weight.dtype());
        drop((wide, logits, piece, kept, total, dloss));
        (loss, [dx, dw])
    }

    /// `fused_linear_cross_entropy_forward` of 0.2.2.
    fn linear_cross_entropy_022(
        &self,
        x: &Tensor,
        target: &Tensor,
        weight: &Tensor,
    ) -> (Tensor, [Tensor; 2]) {
        let (n, hidden) = (x.dim(0), x.dim(1));
        let Pieces { rows, pieces } = Self::pieces(n, hidden, weight.dim(0));
        let dx = self.empty("zeros_like", *x.shape(), x.dtype());
        let wide = self.empty("zeros_like", *weight.shape(), DType::Float32);
        let losses = self.empty("zeros", Shape::from([n]), DType::Float32);
        drop(self.counted(target));
        let (mut logits, mut sums) = (None, None);
        for i in 0..pieces {
            let (start, end) = (i * rows, n.min((i + 1) * rows));
            let part = self.slice(x, 0, start, end);
            let scores = self.linear(&part, weight, None);
            logits.replace(scores.clone());
            let sum = self.log_sum_of_blocks(&scores);
            sums.replace(sum);
            drop(self.matmul(&scores, weight));
            drop(self.matmul(&self.t(&scores), &part));
        }
        // A view of the last piece of the losses is still a local variable.
        let sum = self.sum_all(&losses);
        let dw = self.cast_or_same(&wide, weight.dtype());
        drop((wide, logits, sums, losses));
        (sum, [dx, dw])
    }

    /// `logsumexp_fwd`: of each row, by way of each block of classes.
    fn log_sum_of_blocks(&self, scores: &Tensor) -> Tensor {
        let rows = Shape::from([scores.dim(0)]);
        let blocks = Shape::from([scores.dim(0), scores.dim(1).div_ceil(CLASS_BLOCK)]);
        let _parts = self.empty("logsumexp", blocks, DType::Float32);
        // x.logsumexp(-1): the largest of each row, which is checked for infinity.
        let _largest = self.empty("logsumexp", rows, DType::Float32);
        {
            let _absolute = self.empty("logsumexp", rows, DType::Float32);
            drop(self.empty("logsumexp", rows, DType::Bool));
        }
        let _exponentials = self.empty("logsumexp", blocks, DType::Float32);
        self.empty("logsumexp", rows, DType::Float32)
    }
}

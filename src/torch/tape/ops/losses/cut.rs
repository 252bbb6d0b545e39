//! The loss of Cut Cross-Entropy, which never has the logits.
//!
//! Source: cut-cross-entropy 25.1.1, `cce.py`, `cce_lse_forward.py`, `indexed_dot.py`, `cce_backward.py` and
//! `utils.py`.

use crate::tape::graph::Grads;
use crate::tape::ops::embedding::pairs_storage;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;
use std::any::Any;
use std::rc::Rc;

/// Rows of a block of forward, which has a lock.
const ROWS: u64 = 128;
/// Columns of a block of backward.
const COLUMNS: u64 = 64;

impl Tape {
    /// `linear_cross_entropy(x, weight, labels, shift=True)` of hidden states `[B, S, H]`, a weight `[V, H]` and
    /// labels `[B, S]` that all count: the mean loss. Saves both, the log of the softmax's sums, which labels
    /// count and the mean logit of each token of the vocabulary.
    pub fn cut_cross_entropy(
        &self,
        x: &Tensor,
        weight: &Tensor,
        labels: &Tensor,
        softcap: bool,
    ) -> Tensor {
        const OP: &str = "cut_cross_entropy";
        let (h, vocab) = (x.dim(-1), weight.dim(0));
        let n = labels.dim(0) * (labels.dim(1) - 1);
        let valids = self.valid_labels(n);
        let rows = self.view(x, [x.numel() / h, h]);
        let records = self.records(&[&rows, weight]);
        // An evaluation of weights that are trained has them, too.
        let averaged = rows.requires_grad() || weight.requires_grad();
        let sums = |op| self.empty(op, Shape::from([n]), DType::Float32);
        let of_vocabulary = || self.empty(OP, Shape::from([vocab]), DType::Float32);
        let (loss, lse, averages) = self.unrecorded(|| {
            let lse = sums("new_full");
            let locks = self.empty(OP, Shape::from([n.div_ceil(ROWS)]), DType::Int32);
            let averages = averaged.then(of_vocabulary);
            drop(locks);
            self.computes(&[n, h, vocab]);
            let mut products = sums("new_zeros");
            if softcap {
                products = sums("tanh");
            }
            (self.mean_all(&products), lse, averages)
        });
        let Some(averages) = averages.filter(|_| records) else {
            return loss;
        };
        let needed = weight.requires_grad();
        let saved = [&rows, weight, &lse, labels, &valids, &averages].map(|x| self.save(x));
        let context = Rc::new(valids);
        drop((lse, averages));
        let backward = move |t: &Tape, g: &Grads| {
            if g[0].is_none() {
                return Grads::new();
            }
            let [x, weight, _lse, _labels, _valids, _averages] =
                saved.each_ref().map(|saved| saved.unpack(t));
            let _order = t.vocabulary_order(vocab);
            let dx = t.empty("zeros_like", *x.shape(), x.dtype());
            let dw = needed.then(|| t.empty("zeros_like", *weight.shape(), x.dtype()));
            let blocks = h.div_ceil(COLUMNS);
            let _locks = [n, vocab].map(|rows| {
                let locks = Shape::from([rows.div_ceil(blocks), blocks]);
                t.empty(OP, locks, DType::Int32)
            });
            let products = if needed { 3 } else { 2 };
            (0..products).for_each(|_| t.computes(&[n, h, vocab]));
            smallvec![Some(dx), dw]
        };
        // Its parameters hold which labels count, too.
        let context = Some(context as Rc<dyn Any>);
        let [loss] = self.function_with(&[&rows, weight], [loss], Box::new(backward), context);
        loss
    }

    /// `_build_flat_valids` of n labels that are not ignored, in their rows.
    fn valid_labels(&self, n: u64) -> Tensor {
        let counted = self.empty("ne", Shape::from([n]), DType::Bool);
        let pairs = |op, dtype| self.empty(op, Shape::from([n, 2]), dtype);
        let places = {
            let _wide = pairs("nonzero", DType::Int64);
            pairs("_to_copy", DType::Int32)
        };
        let valids = self.empty("sum", Shape::from([n]), DType::Int64);
        drop((counted, places));
        valids
    }

    /// `torch.argsort(averages).to(torch.int32)`, compiled.
    fn vocabulary_order(&self, n: u64) -> Tensor {
        const OP: &str = "sort";
        let numbers = |dtype| self.empty(OP, Shape::from([n]), dtype);
        let values = numbers(DType::Float32);
        let order = numbers(DType::Int64);
        {
            let _range = numbers(DType::Int64);
            let storage = pairs_storage(n, [DType::Float32, DType::Int64]);
            let _sort = self.scratch(OP, storage);
        }
        drop(values);
        let narrow = numbers(DType::Int32);
        drop(order);
        narrow
    }
}

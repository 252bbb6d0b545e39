//! A vocabulary that is divided among ranks: embeddings, and losses of logits of which each rank has some
//! columns.
//!
//! Source: `torch/distributed/tensor/_ops/_embedding_ops.py`, `placement_types.py` (`_MaskPartial`),
//! `torch/distributed/tensor/parallel/loss.py`, torch 2.15.

use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;
use std::rc::Rc;

impl Tape {
    /// `torch.nn.functional.embedding(indices, weight)` with this rank's rows `[V / ranks, H]` of a table of
    /// `rows` rows: this rank's part of a sum. Saves the indices; the gradient is as large as the whole table.
    pub fn divided_embedding(&self, weight: &Tensor, indices: &Tensor, rows: u64) -> Tensor {
        let mut dims: smallvec::SmallVec<[u64; 5]> = indices.shape().dims().into();
        dims.push(weight.dim(1));
        let records = self.records(&[weight]);
        let saved = records.then(|| self.save(indices));
        let (mask, own) = self.own_indices(indices);
        let out = self.empty("embedding", Shape::new(&dims), weight.dtype());
        drop(own);
        drop(mask);
        let Some(saved) = saved else { return out };
        let table = Shape::from([rows, weight.dim(1)]);
        let mut node = self.unshared_node(
            &[weight],
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return smallvec![] };
                let indices = saved.unpack(t);
                smallvec![Some(t.embedding_dense_backward(g, &indices, table))]
            }),
            None,
        );
        node.inputs = smallvec![(table, weight.dtype())];
        out.with_edge(crate::tape::graph::Edge::Node(Rc::new(node), 0))
    }

    /// `_MaskPartial._partition_value`, and what `VocabParallelEmbedding` and `VocabParallelCrossEntropy` of
    /// megatron-core 0.16.1 compute alike: which indices are none of this rank's, and the indices as this rank
    /// counts them.
    pub(super) fn own_indices(&self, indices: &Tensor) -> (Tensor, Tensor) {
        let flags = |op| self.empty(op, *indices.shape(), DType::Bool);
        let mask = {
            let below = flags("lt");
            let above = flags("ge");
            let mask = flags("bitwise_or");
            drop((below, above));
            mask
        };
        let _copy = self.empty("clone", *indices.shape(), indices.dtype());
        (mask, self.empty("sub", *indices.shape(), indices.dtype()))
    }

    /// `torch.nn.functional.cross_entropy(logits, target)` under `loss_parallel`, of this rank's columns
    /// `[N, V / ranks]` in float32 and `[N]`, mean over N.
    pub fn divided_cross_entropy(&self, logits: &Tensor, target: &Tensor) -> Tensor {
        let probabilities = self.divided_log_softmax(logits);
        self.divided_nll_loss(&probabilities, target)
    }

    /// `_log_softmax_handler`. Nothing is computed in its backward.
    fn divided_log_softmax(&self, x: &Tensor) -> Tensor {
        let row = Shape::from([x.dim(0), 1]);
        let highest = {
            let own = self.reduce("amax", x, row, x.dtype());
            let highest = self.all_reduce(&own);
            drop(own);
            highest
        };
        let shifted = self.like("sub", x);
        let sum = {
            let own = {
                let exp = self.like("exp", x);
                let sum = self.reduce("sum", &exp, row, x.dtype());
                drop(exp);
                sum
            };
            let sum = self.all_reduce(&own);
            drop(own);
            sum
        };
        let logarithm = self.like("log", &sum);
        let out = self.like("sub", x);
        drop((shifted, highest, sum, logarithm));
        let saved = self.records(&[x]).then(|| self.save(&out.detach()));
        let Some(saved) = saved else { return out };
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let _result = saved.unpack(t);
                smallvec![g[0].clone()]
            }),
        )
    }

    /// `torch.where(flags, .., number)` of N numbers, which is told that number on the device.
    fn chosen_or_number(&self, n: u64, dtype: DType) -> Tensor {
        let unlike = self.empty("ne", Shape::from([n]), DType::Bool);
        let number = self.empty("scalar_tensor", Shape::new(&[]), dtype);
        let chosen = self.empty("where", Shape::from([n]), dtype);
        drop((number, unlike));
        chosen
    }

    /// `_nll_loss_forward_handler`. Saves x, the target and the total weight.
    fn divided_nll_loss(&self, x: &Tensor, target: &Tensor) -> Tensor {
        let (n, dtype) = (x.dim(0), x.dtype());
        let (scalar, rows) = (Shape::new(&[]), Shape::from([n]));
        let saved = (self.records(&[x])).then(|| [x, target].map(|kept| self.save(kept)));
        let safe = self.chosen_or_number(n, DType::Int64);
        let (mask, own) = self.own_indices(target);
        let gathered = self.empty("gather", rows, dtype);
        drop(mask);
        let reduced = self.all_reduce(&gathered);
        let losses = {
            let negative = self.empty("neg", rows, dtype);
            let losses = self.chosen_or_number(n, dtype);
            drop(negative);
            losses
        };
        let total = {
            let counted = self.counted(target);
            let total = self.empty("_to_copy", scalar, dtype);
            drop(counted);
            total
        };
        let weight = saved.is_some().then(|| self.save(&total));
        let out = {
            let _sum = self.reduce("sum", &losses, scalar, dtype);
            self.empty("div", scalar, dtype)
        };
        drop((losses, safe, own, gathered, reduced, total));
        let (Some(saved), Some(weight)) = (saved, weight) else {
            return out;
        };
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                if g[0].is_none() {
                    return smallvec![];
                }
                let [x, target] = saved.each_ref().map(|saved| saved.unpack(t));
                let _weight = weight.unpack(t);
                smallvec![Some(t.divided_loss_backward(&x, &target))]
            }),
        )
    }

    /// `_nll_loss_and_log_softmax_backward`.
    fn divided_loss_backward(&self, x: &Tensor, target: &Tensor) -> Tensor {
        let (n, dtype) = (x.dim(0), x.dtype());
        let mean = self.empty("div", Shape::new(&[]), dtype);
        let safe = self.chosen_or_number(n, DType::Int64);
        let gradient = self.like("zeros_like", x);
        let (mask, own) = self.own_indices(target);
        let update = {
            let _wide = self.empty("_to_copy", Shape::from([n]), dtype);
            self.empty("sub", Shape::from([n]), dtype)
        };
        let rows = self.empty("arange", Shape::from([n]), DType::Int64);
        let chosen = self.chosen_or_number(n, dtype);
        drop(mean);
        let sum = {
            let _exp = self.like("exp", x);
            self.like("add", x)
        };
        let out = self.like("mul", x);
        drop(sum);
        drop((chosen, safe, gradient, mask, own, update, rows));
        out
    }
}

//! Tokens that go to experts and come back, by numbers that the router gives.
//!
//! Source: `megatron/core/transformer/moe/moe_utils.py`, megatron-core 0.16.1.

use crate::tape::graph::{Backward, Grads};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// Bytes of a number that says where something was.
const INDEX: u64 = 8;

impl Tape {
    /// `RouterGatingLinearFunction`: tokens `[.., H]` and a weight `[E, H]` to logits `[N, E]`. Saves both.
    pub fn gating(&self, x: &Tensor, weight: &Tensor) -> Tensor {
        let (hidden, experts) = (x.dim(-1), weight.dim(0));
        let shape = Shape::from([x.numel() / hidden.max(1), experts]);
        let records = self.records(&[x, weight]);
        let out = self.product("mm", (shape, hidden), x.dtype());
        if !records {
            return out;
        }
        let saved = [x, weight].map(|kept| self.save(kept));
        let backward: Backward = Box::new(move |t, g| {
            let Some(g) = g.first().and_then(Option::as_ref) else {
                return Grads::new();
            };
            let [x, weight] = saved.each_ref().map(|saved| saved.unpack(t));
            let of_x = t.product("mm", (*x.shape(), experts), g.dtype());
            let of_weight = t.product("mm", (*weight.shape(), g.dim(0)), g.dtype());
            // A view of it is given.
            smallvec![Some(of_x.part(*x.shape())), Some(of_weight)]
        });
        let [out] = self.function(&[x, weight], [out], backward);
        out
    }

    /// `torch.zeros_like(..).scatter(1, index, x)` of `[N, E]` and `[N, K]`. Saves the index.
    pub fn scattered_columns(&self, shape: Shape, index: &Tensor, x: &Tensor) -> Tensor {
        let zeros = self.empty("zeros_like", shape, x.dtype());
        let records = self.records(&[x]).then(|| self.save(index));
        let out = self.empty("scatter", shape, x.dtype());
        drop(zeros);
        let Some(saved) = records else { return out };
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let index = saved.unpack(t);
                smallvec![
                    g[0].as_ref()
                        .map(|g| t.empty("gather", *index.shape(), g.dtype()))
                ]
            }),
        )
    }

    /// `x.index_select(0, index)`. Saves the index; the gradient is added to zeros.
    pub fn selected_rows(&self, x: &Tensor, index: &Tensor) -> Tensor {
        let from = *x.shape();
        let mut shape = from;
        shape.dims_mut()[0] = index.numel();
        let saved = self.records(&[x]).then(|| self.save(index));
        let out = self.empty("index_select", shape, x.dtype());
        let Some(saved) = saved else { return out };
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let _index = saved.unpack(t);
                smallvec![g[0].as_ref().map(|g| t.empty("new_zeros", from, g.dtype()))]
            }),
        )
    }

    /// `torch.zeros(rows, H).scatter_add_(0, index, x)` of `[n, H]`. Saves the index.
    pub fn added_rows(&self, x: &Tensor, index: &Tensor, rows: u64) -> Tensor {
        let from = *x.shape();
        let mut shape = from;
        shape.dims_mut()[0] = rows;
        let out = self.empty("zeros", shape, x.dtype());
        if !self.records(&[x]) {
            return out;
        }
        let saved = self.save(index);
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let _index = saved.unpack(t);
                smallvec![g[0].as_ref().map(|g| t.empty("gather", from, g.dtype()))]
            }),
        )
    }

    /// `x.masked_select(mask)`, which holds for `count` of n elements. Saves both; the gradient is scattered into
    /// zeros (`aten/src/ATen/native/cuda/IndexKernel.cpp`, torch 2.15).
    pub fn flagged(&self, x: &Tensor, mask: &Tensor, count: u64) -> Tensor {
        let indices = Shape::from([count, mask.shape().rank() as u64]);
        let saved = self
            .records(&[x])
            .then(|| [x, mask].map(|kept| self.save(kept)));
        let out = {
            let _found = self.nonzero(mask.numel(), indices);
            self.empty("masked_select", Shape::from([count]), x.dtype())
        };
        let Some(saved) = saved else { return out };
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                const OP: &str = "masked_scatter";
                let [x, _mask] = saved.each_ref().map(|saved| saved.unpack(t));
                smallvec![g[0].as_ref().map(|g| {
                    let zeros = t.empty("zeros_like", *x.shape(), g.dtype());
                    let _places = t.empty(OP, *x.shape(), DType::Int64);
                    drop(t.scratch(OP, t.sums_storage(x.numel())));
                    zeros
                })]
            }),
        )
    }

    /// `x.argsort(dim=-1, descending=True, stable=True)` of rows `[E, N]`, outside of the graph.
    pub fn sorted_places(&self, x: &Tensor) -> Tensor {
        const OP: &str = "sort";
        let values = self.empty(OP, *x.shape(), x.dtype());
        let places = self.empty(OP, *x.shape(), DType::Int64);
        drop(self.scratch(OP, x.dim(-1) * INDEX));
        drop(values);
        places
    }
}

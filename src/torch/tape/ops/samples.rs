//! Rows of a batch that are taken by their indices, and means over values that are not NaN.
//!
//! Source: `tools/autograd/derivatives.yaml` (`index_select`, `nansum`),
//! `aten/src/ATen/native/{cuda/Nonzero.cu,ReduceOps.cpp}`, torch 2.15.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// `torch.nonzero(flags).view(-1)` of n flags that hold for `count` of them.
    pub fn numbers_of_set(&self, n: u64, count: u64) -> Tensor {
        let found = self.nonzero(n, Shape::from([count, 1]));
        self.view(&found, [count])
    }

    /// `x.index_select(0, index)` of `[n]`. Saves the index; the gradient is added to zeros.
    pub fn index_select(&self, x: &Tensor, index: &Tensor) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(index));
        let out = self.empty("index_select", *index.shape(), x.dtype());
        let Some(saved) = saved else { return out };
        let from = *x.shape();
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _index = saved.unpack(t);
                let _zeros = t.empty("new_zeros", from, g.dtype());
                smallvec![Some(t.empty("index_add", from, g.dtype()))]
            }),
        )
    }

    /// `torch.sort(x)` of `[n]`: the numbers alone. Saves their order; the gradient is scattered into zeros
    /// (`value_selecting_reduction_backward`).
    pub fn sorted_numbers(&self, x: &Tensor) -> Tensor {
        let (out, order) = self.sort(x);
        let saved = self.records(&[x]).then(|| self.save(&order));
        drop(order);
        self.with_saved(x, out, saved, |t, g, _| t.like("zeros", g))
    }

    /// `x.nanmean()` of `[n]`. Saves x and how many numbers there are.
    pub fn mean_of_numbers(&self, x: &Tensor) -> Tensor {
        let count = {
            let flags = self.elementwise("ne", &[x], DType::Bool);
            let count = self.empty("sum", Shape::new(&[]), DType::Int64);
            drop(self.empty("sum", *x.shape(), DType::Int64));
            drop(flags);
            count
        };
        let saved = self.records(&[x]).then(|| self.save(x));
        let sum = self.empty("nansum", Shape::new(&[]), x.dtype());
        let sum = self.with_saved(x, sum, saved, |t, g, x| {
            let _flags = {
                let _missing = t.elementwise("isnan", &[x], DType::Bool);
                t.elementwise("logical_not", &[x], DType::Bool)
            };
            t.elementwise("mul", &[g, x], x.dtype())
        });
        self.div_by(&sum, &count)
    }
}

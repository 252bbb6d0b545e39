//! Rows that a mask says are read and written.
//!
//! Source: `aten/src/ATen/native/cuda/{IndexKernel.cpp,Indexing.cu}`, `tools/autograd/derivatives.yaml`,
//! torch 2.15.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::smallvec;

impl Tape {
    /// `x[mask, :]` of `[B, S, H]` and `[B, S]`, or `[N, H]` and `[N]`, which holds for n rows: `[n, H]`. Saves the
    /// mask, in which rows are looked for once more when its gradient is added to zeros.
    pub fn flagged_rows(&self, x: &Tensor, mask: &Tensor, n: u64) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(mask));
        let out = {
            let _found = self.rows_found(mask, n);
            self.empty("index", Shape::from([n, x.dim(-1)]), x.dtype())
        };
        let Some(saved) = saved else { return out };
        let (from, rows) = (*x.shape(), mask.numel());
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let mask = saved.unpack(t);
                let grad = t.empty("new_zeros", from, g.dtype());
                let linear = {
                    let _found = t.rows_found(&mask, n);
                    t.linear_indices(n, mask.shape().rank() as u64)
                };
                t.put_sorted(g, n, rows, linear);
                smallvec![Some(grad)]
            }),
        )
    }

    /// `x[mask, :] = values` for n rows: the result is in x's place. Saves the mask.
    pub fn put_flagged_rows(&self, x: Tensor, mask: &Tensor, values: &Tensor) -> Tensor {
        let n = values.dim(0);
        drop(self.rows_found(mask, n));
        if !self.records(&[&x, values]) {
            return x;
        }
        let saved = self.save(mask);
        let needs = [&x, values].map(Tensor::requires_grad);
        let (shape, out) = (*values.shape(), x.detach());
        self.attach(
            &[&x, values],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let mask = saved.unpack(t);
                let [of_x, of_values] = needs;
                let of_x = of_x.then(|| {
                    let _zeros = t.empty("zeros_like", shape, g.dtype());
                    let rest = t.like("index_put", g);
                    drop(t.rows_found(&mask, n));
                    rest
                });
                let of_values = of_values.then(|| {
                    let _found = t.rows_found(&mask, n);
                    t.empty("index", shape, g.dtype())
                });
                smallvec![of_x, of_values]
            }),
        )
    }

    /// The indices of the rows for which a mask holds: `[2, n]` of one `[B, S]`.
    fn rows_found(&self, mask: &Tensor, n: u64) -> Tensor {
        self.nonzero(mask.numel(), Shape::from([mask.shape().rank() as u64, n]))
    }
}

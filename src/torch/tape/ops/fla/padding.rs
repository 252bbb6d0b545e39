//! Leaving padding out and putting it back (`fla/layers/utils.py`).

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::smallvec;

impl Tape {
    /// `index_first_axis(x, indices)`: the rows of x `[N, H]` that are no padding. Saves the indices.
    pub fn unpad(&self, x: &Tensor, indices: &Tensor) -> Tensor {
        let shape = Shape::from([indices.numel(), x.dim(1)]);
        let out = self.empty("gather", shape, x.dtype());
        if !self.records(&[x]) {
            return out;
        }
        let saved = self.save(indices);
        let from = *x.shape();
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let _indices = saved.unpack(t);
            smallvec![Some(t.empty("zeros", from, g.dtype()))]
        };
        let [out] = self.function(&[x], [out], Box::new(backward));
        out
    }

    /// `index_put_first_axis(x, indices, rows)`: x `[n, H]` among `rows` rows, the others zero.
    /// Saves the indices.
    pub fn repad(&self, x: &Tensor, indices: &Tensor, rows: u64) -> Tensor {
        let out = self.empty("zeros", Shape::from([rows, x.dim(1)]), x.dtype());
        if !self.records(&[x]) {
            return out;
        }
        let saved = self.save(indices);
        let from = *x.shape();
        let backward = move |t: &Tape, g: &Grads| {
            let Some(g) = &g[0] else { return Grads::new() };
            let _indices = saved.unpack(t);
            smallvec![Some(t.empty("index", from, g.dtype()))]
        };
        let [out] = self.function(&[x], [out], Box::new(backward));
        out
    }
}

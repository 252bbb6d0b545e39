//! Table look-ups.

use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::smallvec;

impl Tape {
    /// `torch.nn.functional.embedding(indices, weight)`: `[..]` and `[V, H]` to `[.., H]`. Saves
    /// the indices; its gradient is as large as the table.
    pub fn embedding(&self, weight: &Tensor, indices: &Tensor) -> Tensor {
        let mut dims: smallvec::SmallVec<[u64; 5]> = indices.shape().dims().into();
        dims.push(weight.dim(1));
        let shape = Shape::new(&dims);
        if !self.records(&[weight]) {
            return self.empty("embedding", shape, weight.dtype());
        }
        let saved = self.save(indices);
        let out = self.empty("embedding", shape, weight.dtype());
        let table = *weight.shape();
        self.attach(
            "embedding",
            &[weight],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return smallvec![] };
                let indices = saved.unpack(t);
                smallvec![Some(t.embedding_dense_backward(g, &indices, table))]
            }),
        )
    }

    fn embedding_dense_backward(&self, g: &Tensor, _indices: &Tensor, table: Shape) -> Tensor {
        self.empty("embedding_dense_backward", table, g.dtype())
    }
}

//! Collectives that are operations of a model.

use crate::tape::{Collective, Tape, Tensor};
use smallvec::smallvec;

impl Tape {
    /// `deepspeed::dim_zero_all_to_all`: `ranks` ranks exchange the parts along the first dimension. Saves nothing; the
    /// gradient is exchanged, too (`deepspeed/sequence/layer.py`, 0.19.8).
    pub fn exchanged(&self, x: &Tensor, ranks: u64) -> Tensor {
        let x = self.contiguous(x);
        let exchange = move |t: &Self, x: &Tensor| {
            t.communicates(Collective::AllToAll, x.nbytes(), ranks);
            t.like("all_to_all_single", x)
        };
        let out = exchange(self, &x);
        if !self.records(&[&x]) {
            return out;
        }
        let [out] = self.function(
            &[&x],
            [out],
            Box::new(move |t, g| {
                let whole = g[0].as_ref().map(|g| t.contiguous(g));
                smallvec![whole.map(|g| exchange(t, &g))]
            }),
        );
        out
    }
}

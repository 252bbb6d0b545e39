//! Weights that are written as a direction and a length.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::DType;
use smallvec::smallvec;

impl Tape {
    /// `torch._weight_norm(v, g, dim)` of a direction `v` and lengths `g` along its first or last
    /// dimension (`aten/src/ATen/native/cuda/WeightNorm.cu`, torch 2.15). Saves both and, in float32, the
    /// lengths of `v`.
    pub fn weight_norm(&self, v: &Tensor, g: &Tensor) -> Tensor {
        const OP: &str = "_weight_norm_interface";
        const BACKWARD: &str = "_weight_norm_interface_backward";
        let saved = self.records(&[v, g]).then(|| [v, g].map(|x| self.save(x)));
        let out = self.empty(OP, *v.shape(), v.dtype());
        let lengths = self.empty(OP, *g.shape(), DType::Float32);
        let Some(saved) = saved else { return out };
        let lengths = self.save(&lengths);
        let needs = [v, g].map(Tensor::requires_grad);
        self.attach(
            &[v, g],
            out,
            Box::new(move |t, grads| {
                let Some(grad) = &grads[0] else {
                    return Grads::new();
                };
                let saved = saved.each_ref().map(|saved| saved.unpack(t));
                let _lengths = lengths.unpack(t);
                let _grad = t.contiguous(grad);
                let made = saved
                    .each_ref()
                    .map(|x| t.empty(BACKWARD, *x.shape(), x.dtype()));
                let [of_v, of_g] = made;
                smallvec![needs[0].then_some(of_v), needs[1].then_some(of_g)]
            }),
        )
    }
}

//! Normalization with statistics of its own.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// `torch.nn.functional.layer_norm(x, [size], weight, bias)` over the last dimension
    /// (`aten/src/ATen/native/cuda/layer_norm_kernel.cu`, torch 2.15). Saves x, weight, bias and, in
    /// float32, mean and reciprocal deviation of each row.
    pub fn layer_norm(&self, x: &Tensor, weight: Option<&Tensor>, bias: Option<&Tensor>) -> Tensor {
        const OP: &str = "native_layer_norm";
        const BACKWARD: &str = "native_layer_norm_backward";
        // C++ evaluates the casts from the last argument to the first.
        let bias = bias.map(|bias| self.cast_up(bias));
        let weight = weight.map(|weight| self.cast_up(weight));
        let x = &self.cast_up(x);
        let inputs: smallvec::SmallVec<[&Tensor; 3]> = [Some(x), weight.as_ref(), bias.as_ref()]
            .into_iter()
            .flatten()
            .collect();
        let records = self.records(&inputs);
        let saved = records.then(|| self.save(x));
        let out = self.empty(OP, *x.shape(), x.dtype());
        let rows = Shape::from([x.numel() / x.dim(-1).max(1)]);
        let statistics = [(); 2].map(|()| self.empty(OP, rows, DType::Float32));
        let Some(saved) = saved else { return out };
        let statistics = statistics.map(|rows| self.save(&rows));
        let shape = *x.shape();
        let dtype = x.dtype();
        let parameters: smallvec::SmallVec<[_; 2]> = inputs[1..]
            .iter()
            .map(|p| (*p.shape(), p.dtype(), p.requires_grad()))
            .collect();
        let affine: smallvec::SmallVec<[_; 2]> = inputs[1..].iter().map(|p| self.save(p)).collect();
        let need_x = x.requires_grad();
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _saved = (saved.unpack(t), statistics.each_ref().map(|s| s.unpack(t)));
                let _affine: smallvec::SmallVec<[_; 2]> =
                    affine.iter().map(|p| p.unpack(t)).collect();
                let _rows = t.contiguous(g);
                let mut grads: Grads = smallvec![need_x.then(|| t.empty(BACKWARD, shape, dtype))];
                grads.extend(parameters.iter().map(|&(shape, dtype, needed)| {
                    needed.then(|| t.empty(BACKWARD, shape, dtype))
                }));
                grads
            }),
        )
    }
}

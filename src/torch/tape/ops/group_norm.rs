//! Normalization of groups of channels.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// `torch.nn.functional.group_norm(x, groups, weight, bias)` of `[B, C, ..]`
    /// (`aten/src/ATen/native/cuda/group_norm_kernel.cu`, torch 2.15). Saves x, the weight and, in x's
    /// dtype, mean and reciprocal deviation of each group.
    pub fn group_norm(&self, x: &Tensor, groups: u64, weight: &Tensor, bias: &Tensor) -> Tensor {
        const OP: &str = "native_group_norm";
        const BACKWARD: &str = "native_group_norm_backward";
        // C++ evaluates the casts from the last argument to the first.
        let bias = self.cast_up(bias);
        let weight = self.cast_up(weight);
        let x = &self.contiguous(&self.cast_up(x));
        let inputs = [x, &weight, &bias];
        let saved = self
            .records(&inputs)
            .then(|| [x, &weight].map(|x| self.save(x)));
        let of_groups = Shape::from([x.dim(0), groups]);
        let of_channels = Shape::from([x.dim(0), x.dim(1)]);
        let out = self.empty(OP, *x.shape(), x.dtype());
        let statistics = [(); 2].map(|()| self.empty(OP, of_groups, x.dtype()));
        {
            let wide = |shape| self.empty(OP, shape, DType::Float32);
            // Halves have their statistics in float32, too.
            let narrow = x.dtype().is_half();
            let _statistics = narrow.then(|| [(); 2].map(|()| wide(of_groups)));
            drop((wide(of_channels), wide(of_channels)));
        }
        let Some(saved) = saved else { return out };
        let statistics = statistics.map(|each| self.save(&each));
        let needs = inputs.map(Tensor::requires_grad);
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [x, weight] = saved.each_ref().map(|saved| saved.unpack(t));
                let _statistics = statistics.each_ref().map(|each| each.unpack(t));
                let g = &t.contiguous(g);
                let of_x = needs[0].then(|| t.like(BACKWARD, g));
                let [of_weight, of_bias] = [needs[1], needs[2]].map(|needed| {
                    needed.then(|| t.empty(BACKWARD, *weight.shape(), weight.dtype()))
                });
                let wide = |shape| t.empty(BACKWARD, shape, DType::Float32);
                let sums = (wide(of_channels), wide(of_channels));
                if of_x.is_some() {
                    drop((wide(of_groups), wide(of_groups), wide(of_channels)));
                }
                drop((sums, x));
                smallvec![of_x, of_weight, of_bias]
            }),
        )
    }
}

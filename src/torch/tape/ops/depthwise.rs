//! Convolution of each channel on its own, along the sequence.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::smallvec;

impl Tape {
    /// `torch.nn.functional.conv1d(x, weight, bias, padding=P, groups=C)` without cuDNN: x
    /// `[B, C, S]`, weight `[C, 1, K]` to `[B, C, S + 2 P - K + 1]`. Saves x and
    /// the weight (`conv_depthwise2d`, `aten/src/ATen/native/cuda/DepthwiseConv2d.cu`, torch 2.15).
    pub fn depthwise_conv1d(
        &self,
        x: &Tensor,
        weight: &Tensor,
        bias: Option<&Tensor>,
        padding: u64,
    ) -> Tensor {
        const OP: &str = "convolution";
        const BACKWARD: &str = "convolution_backward";
        // C++ evaluates the casts from the last argument to the first.
        let bias = bias.map(|bias| self.cast_down(bias));
        let weight = self.cast_down(weight);
        let x = self.cast_down(x);
        let inputs: smallvec::SmallVec<[&Tensor; 3]> = [Some(&x), Some(&weight), bias.as_ref()]
            .into_iter()
            .flatten()
            .collect();
        let saved = self
            .records(&inputs)
            .then(|| (self.save(&x), self.save(&weight)));
        let mut shape = *x.shape();
        shape.dims_mut()[2] = x.dim(2) + 2 * padding + 1 - weight.dim(2);
        let kernel = weight.dim(2);
        self.computes(&[shape.numel(), kernel]);
        let rows = self.contiguous(&x);
        let out = self.empty(OP, shape, x.dtype());
        drop(rows);
        let Some(saved) = saved else { return out };
        let needs: [bool; 2] = [x.requires_grad(), weight.requires_grad()];
        let bias_grad = bias.as_ref().map(|b| (*b.shape(), b.requires_grad()));
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let (x, weight) = (saved.0.unpack(t), saved.1.unpack(t));
                let rows = t.contiguous(&x);
                let needs = [0, 1].map(|i| needs[i] && t.asks(i));
                for _ in needs.iter().filter(|needed| **needed) {
                    t.computes(&[g.numel(), kernel]);
                }
                let grad_weight = needs[1].then(|| t.empty(BACKWARD, *weight.shape(), g.dtype()));
                let grad_x = needs[0].then(|| t.empty(BACKWARD, *x.shape(), g.dtype()));
                let mut grads: Grads = smallvec![grad_x, grad_weight];
                if let Some((shape, needed)) = bias_grad {
                    let channels = Shape::from([1, shape.dim(0), 1]);
                    let needed = needed && t.asks(2);
                    let sum = needed.then(|| t.reduce(BACKWARD, g, channels, g.dtype()));
                    grads.push(sum.map(|sum| sum.view_with(shape, Shape::from([1]), None)));
                }
                drop(rows);
                grads
            }),
        )
    }
}

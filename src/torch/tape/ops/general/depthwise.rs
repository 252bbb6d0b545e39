//! Convolutions of each channel on its own (`aten/src/ATen/native/cuda/DepthwiseConv{2d,3d}.cu`, torch 2.15).

use crate::tape::graph::Grads;
use crate::tape::ops::convolution::{BACKWARD, OP};
use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::smallvec;

impl Tape {
    /// A convolution in as many groups as x has channels, of images or volumes, to a result of a shape. Saves x and
    /// the weight.
    pub(super) fn convolved_by_channels(
        &self,
        [x, weight]: [&Tensor; 2],
        bias: Option<&Tensor>,
        shape: Shape,
    ) -> Tensor {
        let inputs: smallvec::SmallVec<[&Tensor; 3]> = [Some(x), Some(weight), bias]
            .into_iter()
            .flatten()
            .collect();
        let saved = self
            .records(&inputs)
            .then(|| [x, weight].map(|x| self.save(x)));
        self.computes(&[shape.numel(), weight.numel() / weight.dim(0).max(1)]);
        let whole = self.contiguous(&x.detach());
        let out = self.empty(OP, shape, x.dtype());
        drop(whole);
        let Some(saved) = saved else { return out };
        let needs = [x, weight].map(Tensor::requires_grad);
        let of_bias = bias.map(|bias| (*bias.shape(), bias.requires_grad()));
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [x, weight] = saved.each_ref().map(|saved| saved.unpack(t));
                let needs = [0, 1].map(|i| needs[i] && t.asks(i));
                for _ in needs.iter().filter(|needed| **needed) {
                    t.computes(&[g.numel(), weight.numel() / weight.dim(0).max(1)]);
                }
                let whole = t.contiguous(g);
                let of_weight = needs[1].then(|| {
                    let _x = t.contiguous(&x);
                    t.empty(BACKWARD, *weight.shape(), weight.dtype())
                });
                let of_x = needs[0].then(|| t.empty(BACKWARD, *x.shape(), x.dtype()));
                drop(whole);
                let mut grads: Grads = smallvec![of_x, of_weight];
                if let Some((shape, needed)) = of_bias {
                    let mut channels = *g.shape();
                    for (d, size) in channels.dims_mut().iter_mut().enumerate() {
                        *size = if d == 1 { *size } else { 1 };
                    }
                    let sum =
                        (needed && t.asks(2)).then(|| t.reduce(BACKWARD, g, channels, g.dtype()));
                    grads.push(sum.map(|sum| sum.view_with(shape, Shape::from([1]), None)));
                }
                grads
            }),
        )
    }
}

//! Convolutions of any groups, strides and dilations by PyTorch's own kernels
//! (`aten/src/ATen/native/{Convolution.cpp,cuda/{ConvolutionMM2d,NaiveDilatedConvolution}.cu}`, torch 2.15).

use super::windows::{Windows, extents, shape_of};
use crate::tape::graph::Grads;
use crate::tape::ops::convolution::{BACKWARD, OP, SEPARATE_IMAGES};
use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::smallvec;

/// One group of a convolution.
#[derive(Clone, Copy)]
struct Group {
    input: Shape,
    weight: Shape,
    output: Shape,
    /// Elements of the columns of one image, forward and backward.
    columns: [u64; 2],
    /// Whether the kernel for dilated windows and volumes runs.
    by_volumes: bool,
}

impl Tape {
    /// `torch.nn.functional.conv1d`, `conv2d` or `conv3d` of `[B, C, ..]` and `[O, C / G, ..]` to a result of
    /// the extents `to`. Saves x and the weight. Autocast casts all.
    pub fn convolve(
        &self,
        [x, weight]: [&Tensor; 2],
        bias: Option<&Tensor>,
        windows: &Windows,
        to: &[u64],
    ) -> Tensor {
        // C++ evaluates the casts from the last argument to the first.
        let bias = bias.map(|bias| self.cast_down(bias));
        let weight = self.cast_down(weight);
        let x = self.cast_down(x);
        self.without_autocast(|| {
            if windows.rank() > 1 {
                return self.convolved([&x, &weight], bias.as_ref(), windows, to);
            }
            // Sequences are images one row high.
            let [x, weight] = [&x, &weight].map(|x| self.unsqueeze(x, 2));
            let to = [&[1], to].concat();
            let windows = windows.with_row();
            let out = self.convolved([&x, &weight], bias.as_ref(), &windows, &to);
            self.view(&out, [out.dim(0), out.dim(1), out.dim(3)])
        })
    }

    fn convolved(
        &self,
        [x, weight]: [&Tensor; 2],
        bias: Option<&Tensor>,
        windows: &Windows,
        to: &[u64],
    ) -> Tensor {
        let (groups, native) = (windows.groups.max(1), windows.native);
        let (samples, outputs) = (x.dim(0), weight.dim(0));
        let depthwise = groups > 1 && groups == x.dim(1) && outputs.is_multiple_of(groups);
        let shape = shape_of(samples, outputs, to);
        if depthwise {
            return self.convolved_by_channels([x, weight], bias, shape);
        }
        let by_volumes = windows.is_dilated() || windows.rank() == 3;
        let places: u64 = to.iter().product();
        let all = if native {
            weight.dim(1) * windows.volume() * places
        } else {
            0
        };
        let plain = windows.is_plain() && !by_volumes;
        let group = Group {
            input: shape_of(samples, x.dim(1) / groups, &extents(x.shape())),
            weight: shape_of(outputs / groups, weight.dim(1), &extents(weight.shape())),
            output: shape_of(samples, outputs / groups, to),
            columns: [if plain { 0 } else { all }, all],
            by_volumes,
        };
        let inputs: smallvec::SmallVec<[&Tensor; 3]> = [Some(x), Some(weight), bias]
            .into_iter()
            .flatten()
            .collect();
        let saved = self
            .records(&inputs)
            .then(|| [x, weight].map(|x| self.save(x)));
        self.computes(&[shape.numel(), weight.numel() / outputs.max(1)]);
        let whole = self.contiguous(&x.detach());
        let out = if groups == 1 || !native {
            let out = self.empty(OP, shape, x.dtype());
            self.by_images(OP, samples, group.columns[0], x.dtype());
            out
        } else {
            let parts: Vec<Tensor> = (0..groups)
                .map(|_| {
                    let part = (samples > 1).then(|| self.empty(OP, group.input, x.dtype()));
                    let out = self.empty(OP, group.output, x.dtype());
                    self.by_images(OP, samples, group.columns[0], x.dtype());
                    drop(part);
                    out
                })
                .collect();
            let out = self.empty(OP, shape, x.dtype());
            drop(parts);
            out
        };
        drop(whole);
        let Some(saved) = saved else { return out };
        let needs = [
            x.requires_grad(),
            weight.requires_grad(),
            bias.is_some_and(Tensor::requires_grad),
        ];
        let separate = if native { groups } else { 1 };
        let group = if native {
            group
        } else {
            Group {
                input: *x.shape(),
                weight: *weight.shape(),
                output: shape,
                ..group
            }
        };
        let with_bias = bias.is_some();
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let all = saved.each_ref().map(|saved| saved.unpack(t));
                let [x, weight] = all.each_ref();
                let needs = [0, 1, 2].map(|i| needs[i] && t.asks(i));
                let [of_x, of_weight, of_bias] =
                    t.convolved_backward(g, [x, weight], needs, (group, separate));
                let mut grads: Grads = smallvec![of_x, of_weight];
                if with_bias {
                    grads.push(of_bias);
                }
                grads
            }),
        )
    }

    fn convolved_backward(
        &self,
        g: &Tensor,
        [x, weight]: [&Tensor; 2],
        needs: [bool; 3],
        (group, groups): (Group, u64),
    ) -> [Option<Tensor>; 3] {
        let dtype = x.dtype();
        for _ in needs[..2].iter().filter(|needed| **needed) {
            self.computes(&[g.numel(), weight.numel() / weight.dim(0).max(1)]);
        }
        let in_a_row = g.is_contiguous();
        let _x = self.contiguous(x);
        let of_group = || {
            let shapes = [
                group.input,
                group.weight,
                Shape::from([group.weight.dim(0)]),
            ];
            let images = group.output.dim(0);
            if group.by_volumes {
                self.gradients_by_volumes(g, shapes, needs, group)
            } else {
                self.gradients_by_images(shapes, needs, images, group.columns[1], dtype)
            }
        };
        if groups == 1 {
            let _g = self.contiguous(g);
            return of_group();
        }
        let mut parts: [Vec<Tensor>; 3] = Default::default();
        for _ in 0..groups {
            let copy = |shape: Shape| {
                (shape.dim(0) > 1 || !in_a_row).then(|| self.empty(BACKWARD, shape, dtype))
            };
            let _parts = (copy(group.output), copy(group.input));
            for (parts, part) in parts.iter_mut().zip(of_group()) {
                parts.extend(part);
            }
        }
        let whole = [*x.shape(), *weight.shape(), Shape::from([weight.dim(0)])];
        let made = [0, 1, 2].map(|i| needs[i].then(|| self.empty(BACKWARD, whole[i], dtype)));
        let [inputs, weights, biases] = parts;
        drop((biases, weights, inputs));
        made
    }

    /// The gradients by the kernel for dilated windows and volumes: the bias' is summed image by image.
    fn gradients_by_volumes(
        &self,
        g: &Tensor,
        shapes: [Shape; 3],
        needs: [bool; 3],
        group: Group,
    ) -> [Option<Tensor>; 3] {
        let dtype = g.dtype();
        let channels = group.output.dim(1);
        let places = group.output.numel() / (group.output.dim(0) * channels).max(1);
        let image = g.part(Shape::from([channels, places]));
        let made = [0, 1, 2].map(|i| needs[i].then(|| self.empty(BACKWARD, shapes[i], dtype)));
        let _columns =
            (needs[0] || needs[1]).then(|| self.scratch(BACKWARD, group.columns[1] * dtype.size()));
        for _ in 0..group.output.dim(0).min(SEPARATE_IMAGES) {
            for _ in needs[..2].iter().filter(|needed| **needed) {
                self.gemm_workspace(BACKWARD);
            }
            let sum = Shape::from([channels, 1]);
            drop(needs[2].then(|| self.reduce(BACKWARD, &image, sum, dtype)));
        }
        made
    }
}

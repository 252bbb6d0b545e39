//! Transposed convolutions (`aten/src/ATen/native/cuda/NaiveConvolutionTranspose{2d,3d}.cu`, torch 2.15).

use super::windows::{Windows, extents, shape_of};
use crate::tape::graph::Grads;
use crate::tape::ops::convolution::{BACKWARD, OP, SEPARATE_IMAGES};
use crate::tape::{Tape, Tensor, layout};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// One group of a transposed convolution.
#[derive(Clone, Copy)]
struct Group {
    input: Shape,
    weight: Shape,
    output: Shape,
    /// Elements of the columns of one image.
    columns: u64,
    /// Whether the gradient of the input is read from columns.
    reads_columns: bool,
    /// Ones by which a bias is multiplied, as many as an image of the result has places.
    ones: u64,
    /// Whether it is of volumes.
    of_volumes: bool,
}

impl Tape {
    /// `torch.nn.functional.conv_transpose1d`, `2d` or `3d` of `[B, C, ..]` and `[C, O / G, ..]` to a result of
    /// the extents `to`. Saves x and the weight. Autocast casts all.
    pub fn convolve_transposed(
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
                return self.transposed_by([&x, &weight], bias.as_ref(), windows, to);
            }
            let [x, weight] = [&x, &weight].map(|x| self.unsqueeze(x, 2));
            let to = [&[1], to].concat();
            let windows = windows.with_row();
            let out = self.transposed_by([&x, &weight], bias.as_ref(), &windows, &to);
            self.view(&out, [out.dim(0), out.dim(1), out.dim(3)])
        })
    }

    fn transposed_by(
        &self,
        [x, weight]: [&Tensor; 2],
        bias: Option<&Tensor>,
        windows: &Windows,
        to: &[u64],
    ) -> Tensor {
        let native = windows.native;
        let groups = if native { windows.groups.max(1) } else { 1 };
        let (samples, channels, dtype) = (x.dim(0), weight.dim(1), x.dtype());
        let outputs = bias.map_or(channels * groups, |bias| bias.dim(0));
        let shape = shape_of(samples, outputs, to);
        let places: u64 = extents(x.shape()).iter().product();
        let columns = if native {
            channels * windows.volume() * places
        } else {
            0
        };
        let group = Group {
            input: shape_of(samples, x.dim(1) / groups, &extents(x.shape())),
            weight: shape_of(weight.dim(0) / groups, channels, &extents(weight.shape())),
            output: shape_of(samples, outputs / groups, to),
            columns,
            reads_columns: !windows.is_plain(),
            ones: if bias.is_some() && native {
                to.iter().product()
            } else {
                0
            },
            of_volumes: to.len() == 3,
        };
        let inputs: smallvec::SmallVec<[&Tensor; 3]> = [Some(x), Some(weight), bias]
            .into_iter()
            .flatten()
            .collect();
        let saved = self
            .records(&inputs)
            .then(|| [x, weight].map(|x| self.save(x)));
        self.computes(&[x.numel(), channels * windows.volume()]);
        let whole = self.contiguous(&x.detach());
        let one = |copied: bool| {
            let part = copied.then(|| self.empty(OP, group.input, dtype));
            let out = if group.of_volumes {
                self.resized(group.input, group.output, dtype)
            } else {
                self.empty(OP, group.output, dtype)
            };
            let _columns = self.scratch(OP, group.columns * dtype.size());
            let _ones = self.scratch(OP, group.ones * dtype.size());
            for _ in 0..samples.min(SEPARATE_IMAGES) {
                self.gemm_workspace(OP);
            }
            drop(part);
            out
        };
        let out = if groups == 1 {
            one(false)
        } else {
            let parts: Vec<Tensor> = (0..groups).map(|_| one(samples > 1)).collect();
            let out = self.empty(OP, shape, dtype);
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
                    t.transposed_backward(g, [x, weight], needs, (group, groups));
                let mut grads: Grads = smallvec![of_x, of_weight];
                if with_bias {
                    grads.push(of_bias);
                }
                grads
            }),
        )
    }

    /// A tensor that is made like the input and then resized: it keeps the input's memory where that suffices.
    fn resized(&self, input: Shape, output: Shape, dtype: DType) -> Tensor {
        let like_input = self.empty(OP, input, dtype);
        if input.numel() < output.numel() {
            return self.empty(OP, output, dtype);
        }
        like_input.detach_as(output, layout::contiguous(&output))
    }

    fn transposed_backward(
        &self,
        g: &Tensor,
        [x, weight]: [&Tensor; 2],
        needs: [bool; 3],
        (group, groups): (Group, u64),
    ) -> [Option<Tensor>; 3] {
        let dtype = x.dtype();
        for _ in needs[..2].iter().filter(|needed| **needed) {
            self.computes(&[x.numel(), weight.numel() / weight.dim(0).max(1)]);
        }
        let _x = self.contiguous(x);
        if groups == 1 {
            return self.gradients_of_transposed(g, group, needs);
        }
        let mut parts: [Vec<Tensor>; 3] = Default::default();
        for _ in 0..groups {
            let copy =
                |shape: Shape| (shape.dim(0) > 1).then(|| self.empty(BACKWARD, shape, dtype));
            let parts_of = (copy(group.output), copy(group.input));
            let part = parts_of.0.as_ref().unwrap_or(g);
            let all = self.gradients_of_transposed(part, group, needs);
            for (parts, part) in parts.iter_mut().zip(all) {
                parts.extend(part);
            }
        }
        let whole = [*x.shape(), *weight.shape(), Shape::from([g.dim(1)])];
        let made = [0, 1, 2].map(|i| needs[i].then(|| self.empty(BACKWARD, whole[i], dtype)));
        let [inputs, weights, biases] = parts;
        drop((biases, weights, inputs));
        made
    }

    fn gradients_of_transposed(
        &self,
        g: &Tensor,
        group: Group,
        needs: [bool; 3],
    ) -> [Option<Tensor>; 3] {
        let dtype = g.dtype();
        let images = group.output.dim(0).min(SEPARATE_IMAGES);
        let products = || (0..images).for_each(|_| self.gemm_workspace(BACKWARD));
        let columns = || self.scratch(BACKWARD, group.columns * dtype.size());
        let of_x = needs[0].then(|| {
            let _g = self.contiguous(g);
            let grad = self.empty(BACKWARD, group.input, dtype);
            let _columns = group.reads_columns.then(columns);
            products();
            grad
        });
        let of_weight = needs[1].then(|| self.empty(BACKWARD, group.weight, dtype));
        let of_bias =
            needs[2].then(|| self.empty(BACKWARD, Shape::from([group.output.dim(1)]), dtype));
        if needs[1] {
            let _g = self.contiguous(g);
            let _columns = group.reads_columns.then(columns);
            products();
        }
        [of_x, of_weight, of_bias]
    }
}

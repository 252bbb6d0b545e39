//! Convolutions of groups of channels by PyTorch's own kernels, as where cuDNN is off: one group after the
//! other (`aten/src/ATen/native/Convolution.cpp`, torch 2.15).

use super::convolution::{BACKWARD, OP};
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// The sizes of a convolution in groups.
#[derive(Clone, Copy)]
struct Groups {
    count: u64,
    /// The shapes of a group's part of the input, the weight and the result.
    input: Shape,
    weight: Shape,
    output: Shape,
    /// Elements of the columns of one image of a group.
    columns: u64,
}

impl Tape {
    /// `torch.nn.functional.conv1d(x, weight, bias, padding=P, groups=G)` of `[B, C, L]` and
    /// `[O, C / G, l]` to `[B, O, L']`. Saves x and the weight.
    pub fn conv1d_in_groups(
        &self,
        x: &Tensor,
        weight: &Tensor,
        bias: &Tensor,
        [padding, groups]: [u64; 2],
    ) -> Tensor {
        // C++ evaluates the casts from the last argument to the first.
        let bias = &self.cast_down(bias);
        let weight = &self.cast_down(weight);
        let x = &self.cast_down(x);
        let [samples, outputs] = [x.dim(0), weight.dim(0)];
        let length = x.dim(2) + 2 * padding + 1 - weight.dim(2);
        let of = Groups {
            count: groups,
            input: Shape::from([samples, x.dim(1) / groups, x.dim(2)]),
            weight: Shape::from([outputs / groups, weight.dim(1), weight.dim(2)]),
            output: Shape::from([samples, outputs / groups, length]),
            columns: weight.dim(1) * weight.dim(2) * length,
        };
        let inputs = [x, weight, bias];
        let saved = self
            .records(&inputs)
            .then(|| [x, weight].map(|x| self.save(x)));
        self.computes(&[
            of.output.numel(),
            groups,
            of.weight.numel() / of.weight.dim(0).max(1),
        ]);
        let whole = self.contiguous(x);
        let parts: Vec<Tensor> = (0..groups)
            .map(|_| {
                let part = self.part_of_group(OP, true, of.input, x.dtype());
                let out = self.empty(OP, of.output, x.dtype());
                self.by_images(OP, samples, of.columns, x.dtype());
                drop(part);
                out
            })
            .collect();
        let out = self.empty(OP, Shape::from([samples, outputs, length]), x.dtype());
        drop((parts, whole));
        let Some(saved) = saved else { return out };
        let needs = inputs.map(Tensor::requires_grad);
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [x, weight] = saved.each_ref().map(|saved| saved.unpack(t));
                t.conv_in_groups_backward(g, [&x, &weight], needs, of)
            }),
        )
    }

    /// `subtensor`: the channels of a group `[B, C / G, L]`, which are a view where those of one sample
    /// lie in a row.
    fn part_of_group(
        &self,
        op: &'static str,
        in_a_row: bool,
        shape: Shape,
        dtype: DType,
    ) -> Option<Tensor> {
        let is_view = in_a_row && shape.dim(0) == 1;
        (!is_view).then(|| self.empty(op, shape, dtype))
    }

    fn conv_in_groups_backward(
        &self,
        g: &Tensor,
        [x, weight]: [&Tensor; 2],
        needs: [bool; 3],
        of: Groups,
    ) -> Grads {
        let dtype = x.dtype();
        let made = |shape| self.empty(BACKWARD, shape, dtype);
        let in_a_row = g.is_contiguous();
        let part = |shape| self.part_of_group(BACKWARD, in_a_row, shape, dtype);
        let _x = self.contiguous(x);
        let mut parts: [Vec<Tensor>; 3] = Default::default();
        for _ in 0..of.count {
            let _part_of_g = part(of.output);
            let _part_of_x = part(of.input);
            let shapes = [of.input, of.weight, Shape::from([of.weight.dim(0)])];
            let all = self.gradients_by_images(shapes, needs, of.output.dim(0), of.columns, dtype);
            for (parts, part) in parts.iter_mut().zip(all) {
                parts.extend(part);
            }
        }
        for _ in needs[..2].iter().filter(|needed| **needed) {
            self.computes(&[g.numel(), of.weight.numel() / of.weight.dim(0).max(1)]);
        }
        let bias = Shape::from([weight.dim(0)]);
        let whole = [*x.shape(), *weight.shape(), bias];
        let [of_x, of_weight, of_bias] = [0, 1, 2].map(|i| needs[i].then(|| made(whole[i])));
        let [inputs, weights, biases] = parts;
        drop((biases, weights, inputs));
        smallvec![of_x, of_weight, of_bias]
    }
}

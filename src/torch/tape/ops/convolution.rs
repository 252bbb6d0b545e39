//! Convolutions by PyTorch's own kernels, as where cuDNN is off.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// How a kernel moves over an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Pixels between places of the kernel, down and across.
    pub stride: [u64; 2],
    /// Rows and columns of zeros around the image.
    pub padding: [u64; 2],
}

pub(super) const OP: &str = "convolution";
pub(super) const BACKWARD: &str = "convolution_backward";

/// Images whose products are recorded one by one: each takes and returns the same workspace, so
/// that more of them change nothing.
pub(super) const SEPARATE_IMAGES: u64 = 64;

impl Tape {
    /// `torch.nn.functional.avg_pool2d` of `[N, C, a, a]` to `[N, C, tokens]` of squares that do not
    /// overlap. Saves its input.
    pub fn avg_pool(&self, x: &Tensor, tokens: u64) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(x));
        let shape = [x.dim(0), x.dim(1), tokens];
        let out = self.empty("avg_pool2d", Shape::from(shape), x.dtype());
        self.with_saved(x, out, saved, |t, g, image| {
            let whole = t.empty("avg_pool2d_backward", *image.shape(), g.dtype());
            drop(t.contiguous(g));
            whole
        })
    }

    /// `torch.nn.functional.unfold` of an image `[1, C, H, W]` with squares of `side` by `side` that do
    /// not overlap, to `[1, C x side x side, squares]`, and its gradient
    /// (`aten/src/ATen/native/cuda/{Im2Col,Col2Im}.cu`, torch 2.15). Saves nothing.
    pub fn squares(&self, x: &Tensor, side: u64) -> Tensor {
        let from = *x.shape();
        let area = (side * side).max(1);
        let shape = Shape::from([1, x.dim(1) * area, x.dim(2) * x.dim(3) / area]);
        let out = self.empty("im2col", shape, x.dtype());
        drop(self.contiguous(&x.detach()));
        self.with_nothing_saved(x, out, move |t, g| {
            let whole = t.empty("col2im", from, g.dtype());
            drop(t.contiguous(g));
            whole
        })
    }

    /// `torch.nn.functional.conv2d(x, weight, bias, stride, padding)` of `[B, C, H, W]` and
    /// `[O, C, h, w]` to `[B, O, H', W']` (`aten/src/ATen/native/cuda/ConvolutionMM2d.cu`, torch
    /// 2.15): the patches of one image after the other are written in columns, then multiplied.
    /// Saves x and the weight. A convolution of a kernel of one pixel needs no columns.
    pub fn conv2d(
        &self,
        x: &Tensor,
        weight: &Tensor,
        bias: Option<&Tensor>,
        window: Window,
    ) -> Tensor {
        // C++ evaluates the casts from the last argument to the first.
        let bias = bias.map(|bias| self.cast_down(bias));
        let weight = self.cast_down(weight);
        let x = self.cast_down(x);
        self.without_autocast(|| self.conv_of_images(&x, &weight, bias.as_ref(), window))
    }

    /// `torch.nn.functional.conv3d(x, weight, bias, stride=...)` of patches `[n, C, T, P, P]` that the kernel
    /// `[O, C, T, P, P]` covers, to `[n, O, 1, 1, 1]`
    /// (`aten/src/ATen/native/cuda/NaiveDilatedConvolution.cu`, torch 2.15): as for images.
    pub fn conv_patches(&self, x: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Tensor {
        let bias = bias.map(|bias| self.cast_down(bias));
        let weight = self.cast_down(weight);
        let x = self.cast_down(x);
        let shape = Shape::from([x.dim(0), weight.dim(0), 1, 1, 1]);
        let columns = weight.numel() / weight.dim(0).max(1);
        // Copies of weights that are not trained are gone before autocast ends.
        if self.is_training() {
            self.classify_autocast_copies();
        }
        self.without_autocast(|| {
            self.convolution([&x, &weight], bias.as_ref(), shape, [columns; 2])
        })
    }

    /// `torch.nn.functional.conv1d(x, weight, bias, stride, padding)` of `[B, C, L]` and
    /// `[O, C, l]` to `[B, O, L']`: a convolution of images one row high.
    pub fn conv1d(
        &self,
        x: &Tensor,
        weight: &Tensor,
        bias: Option<&Tensor>,
        [stride, padding]: [u64; 2],
    ) -> Tensor {
        let bias = bias.map(|bias| self.cast_down(bias));
        let weight = self.cast_down(weight);
        let x = self.cast_down(x);
        let window = Window {
            stride: [1, stride],
            padding: [0, padding],
        };
        self.without_autocast(|| {
            let [x, weight] = [&x, &weight].map(|x| self.unsqueeze(x, 2));
            let out = self.conv_of_images(&x, &weight, bias.as_ref(), window);
            self.view(&out, [out.dim(0), out.dim(1), out.dim(3)])
        })
    }

    fn conv_of_images(
        &self,
        x: &Tensor,
        weight: &Tensor,
        bias: Option<&Tensor>,
        window: Window,
    ) -> Tensor {
        let shape = convolved(x, weight, window);
        let columns = columns(weight, &shape, window);
        self.convolution([x, weight], bias, shape, columns)
    }

    /// To a result of a shape, with as many elements of columns for each image, forward and backward.
    fn convolution(
        &self,
        [x, weight]: [&Tensor; 2],
        bias: Option<&Tensor>,
        shape: Shape,
        [columns, columns_backward]: [u64; 2],
    ) -> Tensor {
        let inputs: smallvec::SmallVec<[&Tensor; 3]> = [Some(x), Some(weight), bias]
            .into_iter()
            .flatten()
            .collect();
        let saved = self
            .records(&inputs)
            .then(|| (self.save(x), self.save(weight)));
        let x = &self.contiguous(x);
        self.computes(&[shape.numel(), weight.numel() / weight.dim(0).max(1)]);
        let out = self.empty(OP, shape, x.dtype());
        self.by_images(OP, shape.dims()[0], columns, x.dtype());
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
                let (x, weight) = (saved.0.unpack(t), saved.1.unpack(t));
                let needs = [0, 1, 2].map(|i| needs[i] && t.asks(i));
                t.convolution_backward(g, &x, &weight, needs, with_bias, columns_backward)
            }),
        )
    }

    fn convolution_backward(
        &self,
        g: &Tensor,
        x: &Tensor,
        weight: &Tensor,
        [need_x, need_weight, need_bias]: [bool; 3],
        with_bias: bool,
        columns: u64,
    ) -> Grads {
        let _x = self.contiguous(x);
        let g = self.contiguous(g);
        for _ in [need_x, need_weight].iter().filter(|needed| **needed) {
            self.computes(&[g.numel(), weight.numel() / weight.dim(0).max(1)]);
        }
        let bias = Shape::from([g.dim(1)]);
        let shapes = [*x.shape(), *weight.shape(), bias];
        let needs = [need_x, need_weight, need_bias];
        let by_images = if g.shape().rank() == 5 {
            Self::gradients_of_volumes
        } else {
            Self::gradients_by_images
        };
        let [of_x, of_weight, of_bias] =
            by_images(self, shapes, needs, g.dim(0), columns, x.dtype());
        let mut grads: Grads = smallvec![of_x, of_weight];
        if with_bias {
            grads.push(of_bias);
        }
        grads
    }

    /// The gradients of input, weight and bias of those shapes, where they are needed: of `images` images,
    /// with columns of `columns` elements.
    pub(super) fn gradients_by_images(
        &self,
        shapes: [Shape; 3],
        needs: [bool; 3],
        images: u64,
        columns: u64,
        dtype: DType,
    ) -> [Option<Tensor>; 3] {
        let made = |i: usize| needs[i].then(|| self.empty(BACKWARD, shapes[i], dtype));
        let products = || {
            for _ in 0..images.min(SEPARATE_IMAGES) {
                self.gemm_workspace(BACKWARD);
            }
        };
        let of_x = made(0);
        let columns = || self.scratch(BACKWARD, columns * dtype.size());
        let shared = needs[0].then(columns);
        if needs[0] {
            products();
        }
        let of_bias = made(2);
        let of_weight = made(1);
        let _columns = shared.or_else(|| needs[1].then(columns));
        if needs[1] {
            products();
        }
        [of_x, of_weight, of_bias]
    }

    /// The gradients of a convolution of volumes whose input needs none: that of the bias is summed image by image.
    fn gradients_of_volumes(
        &self,
        shapes: [Shape; 3],
        needs: [bool; 3],
        images: u64,
        columns: u64,
        dtype: DType,
    ) -> [Option<Tensor>; 3] {
        let made = |i: usize| needs[i].then(|| self.empty(BACKWARD, shapes[i], dtype));
        let (of_weight, of_bias) = (made(1), made(2));
        if needs[1] {
            let _columns = self.scratch(BACKWARD, columns * dtype.size());
            for _ in 0..images.min(SEPARATE_IMAGES) {
                self.gemm_workspace(BACKWARD);
                drop(
                    of_bias
                        .as_ref()
                        .map(|grad| self.scratch_like(BACKWARD, grad)),
                );
            }
        }
        [None, of_weight, of_bias]
    }

    /// The columns of one image, and a product for each image.
    pub(super) fn by_images(&self, op: &'static str, images: u64, columns: u64, dtype: DType) {
        let _columns = self.scratch(op, columns * dtype.size());
        for _ in 0..images.min(SEPARATE_IMAGES) {
            self.gemm_workspace(op);
        }
    }
}

/// The shape of a convolution.
fn convolved(x: &Tensor, weight: &Tensor, window: Window) -> Shape {
    let size = |axis: usize| {
        let dim = 2 + axis;
        let kernel = weight.shape().dims()[dim];
        let padded = x.shape().dims()[dim] + 2 * window.padding[axis];
        (padded.saturating_sub(kernel)) / window.stride[axis].max(1) + 1
    };
    Shape::from([x.dim(0), weight.dim(0), size(0), size(1)])
}

/// Elements of the columns of one image of a convolution to `out`, forward and backward: forward a kernel
/// of one pixel reads the image as it is.
fn columns(weight: &Tensor, out: &Shape, window: Window) -> [u64; 2] {
    let [_, channels, height, width] = [0, 1, 2, 3].map(|d| weight.shape().dims()[d]);
    let plain = [height, width] == [1, 1] && window.stride == [1, 1] && window.padding == [0, 0];
    let all = channels * height * width * out.dims()[2] * out.dims()[3];
    [if plain { 0 } else { all }, all]
}

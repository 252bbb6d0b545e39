//! A convolution that sees each patch of an image once.

use crate::nn::build::Builder;
use crate::tape::{Tape, Tensor, Window};

/// `ViTPatchEmbeddings` and its like.
pub(crate) struct Patches {
    weight: Tensor,
    bias: Option<Tensor>,
    /// From a patch to the next, down and across.
    strides: [u64; 2],
    /// Whether the result is made to require a gradient.
    result_requires_gradient: bool,
}

impl Patches {
    /// To H columns from C channels of patches with `size` pixels along each side.
    pub(crate) fn new(b: &Builder, [hidden, channels, size]: [u64; 3], bias: bool) -> Self {
        Self {
            weight: b.parameter("weight", [hidden, channels, size, size]),
            bias: bias.then(|| b.parameter("bias", [hidden])),
            strides: [size; 2],
            result_requires_gradient: false,
        }
    }

    /// The same, whose patches overlap or have gaps.
    pub(crate) fn with_strides(self, strides: [u64; 2]) -> Self {
        Self { strides, ..self }
    }

    /// The same, whose result is made to require a gradient where `required`.
    pub(crate) fn with_gradient(self, required: bool) -> Self {
        Self {
            result_requires_gradient: required,
            ..self
        }
    }

    /// Images `[B, C, I, I]` to `[B, patches, H]`.
    pub(crate) fn forward(&self, t: &Tape, pixels: &Tensor) -> Tensor {
        let window = Window {
            stride: self.strides,
            padding: [0; 2],
        };
        let mut image = t.conv2d(pixels, &self.weight, self.bias.as_ref(), window);
        if self.result_requires_gradient && !image.requires_grad() {
            image = t.input_leaf(&image);
        }
        let flat = t.view(
            &image,
            [image.dim(0), image.dim(1), image.dim(2) * image.dim(3)],
        );
        t.transpose(&flat, 1, 2)
    }

    /// Patches of images that are cast to the dtype of the weights.
    pub(crate) fn forward_in_its_dtype(&self, t: &Tape, pixels: &Tensor) -> Tensor {
        self.forward(t, &t.to(pixels, self.weight.dtype()))
    }
}

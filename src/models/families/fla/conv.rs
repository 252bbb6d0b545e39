//! `ShortConvolution` (`fla/modules/causal_conv1d/ops.py`).

use crate::nn::build::{Builder, Linear};
use crate::tape::{Tape, Tensor};

/// A convolution of each column over the last few tokens.
pub(crate) struct ShortConv {
    weight: Tensor,
    activated: bool,
}

impl ShortConv {
    /// A convolution of `columns` columns over `width` tokens.
    fn new(b: &Builder, columns: u64, width: u64, activated: bool) -> Self {
        let weight = b.parameter("weight", [columns, 1, width]);
        Self { weight, activated }
    }

    /// Its columns.
    pub(crate) fn columns(&self) -> u64 {
        self.weight.dim(0)
    }

    /// The weight `[columns, width]`.
    pub(crate) fn weight(&self, t: &Tape) -> Tensor {
        t.reshape(&self.weight, [self.weight.dim(0), self.weight.dim(2)])
    }

    /// `[B, T, columns]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor, sequences: u64) -> Tensor {
        let weight = self.weight(t);
        if x.dim(1) == sequences && !t.is_grad_enabled() {
            t.causal_conv_step(x, &weight, sequences)
        } else {
            t.causal_conv(x, &weight, self.activated, sequences)
        }
    }
}

/// The convolutions of a mixer that has some, of `widths` columns each.
pub(crate) fn convolutions(
    b: &Builder,
    names: [&'static str; 3],
    widths: [u64; 3],
    reach: Option<u64>,
    activated: bool,
) -> Option<[ShortConv; 3]> {
    let reach = reach?;
    let conv = |i: usize| ShortConv::new(&b.at(names[i]), widths[i], reach, activated);
    Some([0, 1, 2].map(conv))
}

/// A projection, and the convolution after it if there is one.
pub(crate) fn projected(
    t: &Tape,
    linear: &Linear,
    conv: Option<&ShortConv>,
    x: &Tensor,
    sequences: u64,
) -> Tensor {
    let projected = linear.forward(t, x);
    match conv {
        Some(conv) => conv.forward(t, &projected, sequences),
        None => projected,
    }
}

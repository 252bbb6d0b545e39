//! A convolution between two gates (`Lfm2ShortConv`, `models/lfm2/modeling_lfm2.py`, transformers
//! 5.23), without a kernel of its own.

use super::causal_conv::CausalConv;
use crate::model::{DecoderConfig, StateSpace};
use crate::nn::build::{Builder, Linear};
use crate::tape::{Tape, Tensor};

/// `Lfm2ShortConv`.
pub(crate) struct ShortConv {
    conv: CausalConv,
    in_proj: Linear,
    out_proj: Linear,
    hidden: u64,
    padding: bool,
}

impl ShortConv {
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, sizes: &StateSpace) -> Self {
        let (hidden, bias) = (c.hidden_size, sizes.conv_bias);
        Self {
            conv: CausalConv::new(&b.at("conv"), hidden, sizes.conv_kernel, bias),
            in_proj: Linear::new(&b.at("in_proj"), hidden, 3 * hidden, bias),
            out_proj: Linear::new(&b.at("out_proj"), hidden, hidden, bias),
            hidden,
            padding: b.has_padding_mask(),
        }
    }

    /// `[B, S, H]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let (gated, b, c, x_part) = {
            let x = if self.padding && x.dim(1) > 1 {
                t.mul_scalar(x)
            } else {
                x.clone()
            };
            let projected = self.in_proj.forward(t, &x);
            let [b, c, x_part] = t.split(&t.transpose(&projected, 1, 2), [self.hidden; 3], 1);
            // `hidden_states` is the masked input until here.
            let gated = t.mul(&b, &x_part);
            drop(x);
            (gated, b, c, x_part)
        };
        let convolved = self.conv.inactive(t, &gated);
        drop(gated);
        let out = {
            let rows = {
                let y = t.mul(&c, &convolved);
                t.contiguous(&t.transpose(&y, 1, 2))
            };
            self.out_proj.forward(t, &rows)
        };
        drop((convolved, b, c, x_part));
        out
    }
}

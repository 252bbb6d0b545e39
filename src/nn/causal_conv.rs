//! The convolution along the sequence of state spaces, computed without a kernel of its own
//! (`causal_conv1d_fn`, `models/mamba/modeling_mamba.py`, transformers 5.23).

use super::builder::Builder;
use crate::tape::{Tape, Tensor};

/// A depthwise convolution that sees no later token, followed by `SiLU`.
pub(super) struct CausalConv {
    weight: Tensor,
    bias: Option<Tensor>,
}

impl CausalConv {
    /// Over `kernel` tokens of `channels`.
    pub(super) fn new(b: &Builder, channels: u64, kernel: u64, bias: bool) -> Self {
        Self {
            weight: b.parameter("weight", [channels, 1, kernel]),
            bias: bias.then(|| b.parameter("bias", [channels])),
        }
    }

    /// `[B, C, S]` to `[B, C, S + K - 1]`, of which the first S tokens are kept.
    pub(super) fn convolved(&self, t: &Tape, x: &Tensor) -> Tensor {
        let seq = x.dim(2);
        let longer = t.depthwise_conv1d(x, &self.weight, self.bias.as_ref());
        t.slice(&longer, -1, 0, seq)
    }

    /// `[B, C, S]` to the same.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let active = t.silu(&self.of_weights(t, x));
        t.to(&active, x.dtype())
    }

    /// The same without the activation.
    pub(super) fn inactive(&self, t: &Tape, x: &Tensor) -> Tensor {
        t.to(&self.of_weights(t, x), x.dtype())
    }

    /// The convolution in the dtype of its weights.
    fn of_weights(&self, t: &Tape, x: &Tensor) -> Tensor {
        let wide = t.to(x, self.weight.dtype());
        self.convolved(t, &wide)
    }
}

//! The convolution along the sequence of state spaces, computed without a kernel of its own
//! (`causal_conv1d_fn`, `models/mamba/modeling_mamba.py`, transformers 5.23).

use crate::nn::build::Builder;
use crate::tape::{Tape, Tensor};

/// A depthwise convolution that sees no later token, followed by `SiLU`.
pub(crate) struct CausalConv {
    weight: Tensor,
    bias: Option<Tensor>,
}

impl CausalConv {
    /// Over `kernel` tokens of `channels`.
    pub(crate) fn new(b: &Builder, channels: u64, kernel: u64, bias: bool) -> Self {
        Self {
            weight: b.parameter("weight", [channels, 1, kernel]),
            bias: bias.then(|| b.parameter("bias", [channels])),
        }
    }

    /// `nn.Conv1d`: `[B, C, S]` to `[B, C, S + K - 1]`, of which the first S tokens are kept.
    pub(crate) fn convolved(&self, t: &Tape, x: &Tensor) -> Tensor {
        self.of_first_tokens(t, x, &self.weight)
    }

    /// Columns `[B, S, C]`, which are gone then, to the same, `activated`.
    pub(crate) fn mixed(
        &self,
        t: &Tape,
        columns: Tensor,
        activated: impl FnOnce(&Tape, &Tensor) -> Tensor,
    ) -> Tensor {
        let convolved = self.convolved(t, &t.transpose(&columns, 1, 2));
        let active = activated(t, &t.transpose(&convolved, 1, 2));
        drop((columns, convolved));
        active
    }

    fn of_first_tokens(&self, t: &Tape, x: &Tensor, weight: &Tensor) -> Tensor {
        let longer = t.depthwise_conv1d(x, weight, self.bias.as_ref(), weight.dim(2) - 1);
        t.slice(&longer, -1, 0, x.dim(2))
    }

    /// `[B, C, S]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let (convolved, held) = self.of_weights(t, x);
        let active = t.silu(&convolved);
        drop(convolved);
        let out = t.to(&active, x.dtype());
        drop((active, held));
        out
    }

    /// The convolution without the activation.
    pub(crate) fn inactive(&self, t: &Tape, x: &Tensor) -> Tensor {
        let (convolved, _held) = self.of_weights(t, x);
        t.to(&convolved, x.dtype())
    }

    /// The convolution in the dtype of its weights. With a cache the last tokens are copied to it; a single token is
    /// appended to the cached ones (`causal_conv1d_update`), which stay in a local variable.
    fn of_weights(&self, t: &Tape, x: &Tensor) -> (Tensor, Option<Tensor>) {
        let (channels, seq) = (x.dim(1), x.dim(2));
        let kernel = self.weight.dim(2);
        // A function is given the weight through a view, of which autocast keeps no copy.
        let viewed = |t: &Tape| t.view(&self.weight, *self.weight.shape());
        let kept = t.state([x.dim(0), channels, kernel], x.dtype());
        if let Some((state, true)) = &kept
            && seq == 1
        {
            let all = {
                let all = t.cat(&[state, x], -1);
                t.to(&all, self.weight.dtype())
            };
            let longer = t.depthwise_conv1d(&all, &viewed(t), self.bias.as_ref(), 0);
            let out = t.slice(&longer, -1, longer.dim(2) - seq, longer.dim(2));
            return (out, Some(all));
        }
        let padded = (kept.is_some() && seq < kernel).then(|| {
            let shape = [x.dim(0), channels, kernel];
            t.empty("constant_pad_nd", shape.into(), x.dtype())
        });
        let wide = t.to(padded.as_ref().unwrap_or(x), self.weight.dtype());
        let out = self.of_first_tokens(t, &wide, &viewed(t));
        if kept.is_none() {
            return (out, None);
        }
        (t.slice(&out, -1, out.dim(2) - seq, out.dim(2)), None)
    }
}

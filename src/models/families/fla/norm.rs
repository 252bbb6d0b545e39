//! RMS norms, fused or PyTorch's.

use crate::nn::build::Builder;
use crate::tape::{Tape, Tensor};

/// `fla.modules.RMSNorm`, or `torch.nn.RMSNorm` when norms are not fused.
pub(crate) struct FlaNorm {
    weight: Option<Tensor>,
    fused: bool,
}

impl FlaNorm {
    /// Over `size` columns, with a weight if it is `affine`.
    pub(crate) fn new(b: &Builder, size: u64, fused: bool, affine: bool) -> Self {
        let weight = affine.then(|| b.parameter("weight", [size]));
        Self { weight, fused }
    }

    /// `[.., size]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        if self.fused {
            t.fused_rms_norm(x, self.weight.as_ref(), None).0
        } else {
            t.rms_norm(x, self.weight.as_ref())
        }
    }

    /// Adds x to the residual stream: the norm of the sum, and the sum.
    pub(crate) fn add(&self, t: &Tape, x: Tensor, residual: &Tensor) -> (Tensor, Tensor) {
        if self.fused
            && let (y, Some(sum)) = t.fused_rms_norm(&x, self.weight.as_ref(), Some(residual))
        {
            return (y, sum);
        }
        let sum = t.add(residual, &x);
        drop(x);
        (self.forward(t, &sum), sum)
    }

    /// The norm gated: fused `norm(x) * silu(gate)`.
    pub(crate) fn gated(&self, t: &Tape, x: &Tensor, gate: &Tensor) -> Tensor {
        t.fused_rms_norm_gated(x, gate, self.weight.as_ref())
    }
}

//! The norms of decoders: root mean square as different families write it, and `LayerNorm`.

use super::builder::Builder;
use super::layers::{LayerNorm, RmsNorm};
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// Which norm a family uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NormKind {
    /// `LlamaRMSNorm`.
    Llama,
    /// `Olmo2RMSNorm`: the weight is applied in float32.
    Olmo2,
    /// `GemmaRMSNorm`: one plus the weight is applied in float32.
    Gemma,
    /// `torch.nn.LayerNorm`.
    Layer,
}

/// A norm over the last dimension.
pub(super) enum Norm {
    Llama(RmsNorm),
    Olmo2(Tensor),
    Gemma(Tensor),
    /// Liger's, and whether the gradient of its input takes the place of the incoming one.
    Liger(Tensor, bool),
    Layer(LayerNorm),
}

impl Norm {
    /// Of `size` columns.
    pub(super) fn new(b: &Builder, kind: NormKind, size: u64) -> Self {
        match kind {
            NormKind::Llama => Self::Llama(RmsNorm::new(b, size)),
            NormKind::Olmo2 | NormKind::Gemma if b.liger().rms_norm => {
                Self::Liger(b.parameter("weight", [size]), b.liger_norms_in_place())
            }
            NormKind::Olmo2 => Self::Olmo2(b.parameter("weight", [size])),
            NormKind::Gemma => Self::Gemma(b.parameter("weight", [size])),
            NormKind::Layer => Self::Layer(LayerNorm::new(b, size)),
        }
    }

    /// `[.., size]` to the same.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        match self {
            Self::Llama(norm) => norm.forward(t, x),
            Self::Layer(norm) => norm.forward(t, x),
            Self::Liger(weight, in_place) => t.liger_rms_norm(x, weight, *in_place),
            Self::Olmo2(weight) => olmo2(t, weight, x),
            Self::Gemma(weight) => gemma(t, weight, x),
        }
    }
}

fn olmo2(t: &Tape, weight: &Tensor, x: &Tensor) -> Tensor {
    let wide = t.to(x, DType::Float32);
    let variance = {
        let square = t.square(&wide);
        t.mean_last(&square)
    };
    let normalized = {
        let scale = {
            let shifted = t.add_scalar(&variance);
            t.rsqrt(&shifted)
        };
        t.mul(&wide, &scale)
    };
    drop(wide);
    let weighted = t.mul(weight, &normalized);
    t.to(&weighted, x.dtype())
}

fn gemma(t: &Tape, weight: &Tensor, x: &Tensor) -> Tensor {
    let normalized = {
        let wide = t.to(x, DType::Float32);
        let scale = {
            let shifted = {
                let variance = {
                    let square = t.square(&wide);
                    t.mean_last(&square)
                };
                t.add_scalar(&variance)
            };
            t.rsqrt(&shifted)
        };
        t.mul(&wide, &scale)
    };
    let weighted = {
        let one_plus = {
            let wide = t.to(weight, DType::Float32);
            t.add_scalar(&wide)
        };
        t.mul(&normalized, &one_plus)
    };
    drop(normalized);
    t.to(&weighted, x.dtype())
}

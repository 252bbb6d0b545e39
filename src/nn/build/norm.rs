//! The norms of decoders: root mean square as different families write it, and `LayerNorm`.

use super::builder::Builder;
use super::layers::{LayerNorm, RmsNorm};
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// Which norm a family uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NormKind {
    /// `LlamaRMSNorm`.
    Llama,
    /// `Llama4TextRMSNorm`: the same, cast back before the weight is applied.
    Llama4,
    /// `Olmo2RMSNorm`: the weight is applied in float32.
    Olmo2,
    /// `GemmaRMSNorm`: one plus the weight is applied in float32.
    Gemma,
    /// `HeliumRMSNorm`: the weight is cast to float32 and applied.
    Helium,
    /// `torch.nn.LayerNorm`.
    Layer,
    /// `NemotronLayerNorm1P`: one plus the weight is applied, in the precision of autocast.
    OnePlus,
    /// `OlmoLayerNorm`: in float32 and without weights.
    Bare,
    /// `CohereLayerNorm`: written out in float32, without a bias.
    Cohere,
    /// `Gemma4RMSNorm`: the root is a power, and the weight is cast to float32 and applied.
    Power,
    /// The same without a weight.
    BarePower,
    /// `NanoChatRMSNorm`: as Llama's, without a weight.
    BareRoot,
}

/// A norm over the last dimension.
pub(crate) enum Norm {
    Llama(RmsNorm),
    Llama4(Tensor),
    Olmo2(Tensor),
    Gemma(Tensor),
    /// Liger's, and whether the gradient of its input takes the place of the incoming one.
    Liger(Tensor, bool),
    Layer(LayerNorm),
    Helium(Tensor),
    OnePlus([Tensor; 2]),
    Bare,
    BareRoot,
    Cohere(Tensor),
    Power(Option<Tensor>),
    /// A `LayerNorm` without a bias for each of the heads in `[B, heads, S, D]`
    /// (`StableLmLayerNormPerHead`).
    Apart(Vec<Tensor>),
}

impl Norm {
    /// Of `size` columns.
    pub(crate) fn new(b: &Builder, kind: NormKind, size: u64) -> Self {
        match kind {
            NormKind::Llama => Self::Llama(RmsNorm::new(b, size)),
            NormKind::Bare => Self::Bare,
            NormKind::BarePower => Self::Power(None),
            NormKind::BareRoot => Self::BareRoot,
            NormKind::Power => Self::Power(Some(b.parameter("weight", [size]))),
            NormKind::Llama4 => Self::Llama4(b.parameter("weight", [size])),
            NormKind::OnePlus => {
                Self::OnePlus(["weight", "bias"].map(|name| b.parameter(name, [size])))
            }
            NormKind::Helium => Self::Helium(b.parameter("weight", [size])),
            NormKind::Cohere => Self::Cohere(b.parameter("weight", [size])),
            NormKind::Olmo2 | NormKind::Gemma if b.liger().rms_norm => {
                Self::Liger(b.parameter("weight", [size]), b.liger_norms_in_place())
            }
            NormKind::Olmo2 => Self::Olmo2(b.parameter("weight", [size])),
            NormKind::Gemma => Self::Gemma(b.parameter("weight", [size])),
            NormKind::Layer => Self::Layer(LayerNorm::new(b, size)),
        }
    }

    /// Cohere's of `heads` heads of `size` columns each.
    pub(crate) fn of_heads(b: &Builder, heads: u64, size: u64) -> Self {
        Self::Cohere(b.parameter("weight", [heads, size]))
    }

    /// `LayerNorm` of `heads` heads of `size` columns, each by itself.
    pub(crate) fn apart(b: &Builder, heads: u64, size: u64) -> Self {
        let weight = |head| b.item("norms", head).parameter("weight", [size]);
        Self::Apart((0..).zip(0..heads).map(|(head, _)| weight(head)).collect())
    }

    /// `[.., size]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        match self {
            Self::Llama(norm) => norm.forward(t, x),
            Self::Layer(norm) => norm.forward(t, x),
            Self::Liger(weight, in_place) => t.liger_rms_norm(x, weight, *in_place),
            Self::Llama4(weight) => {
                let narrow = {
                    let wide = bare_root_mean_square(t, x);
                    t.to(&wide, x.dtype())
                };
                t.mul(&narrow, weight)
            }
            Self::Olmo2(weight) => olmo2(t, weight, x),
            Self::Gemma(weight) => gemma(t, weight, x),
            Self::Helium(weight) => {
                let (normalized, _variance) = root_mean_square(t, x);
                let weighted = {
                    let wide = t.to(weight, DType::Float32);
                    t.mul(&wide, &normalized)
                };
                drop(normalized);
                t.to(&weighted, x.dtype())
            }
            Self::OnePlus([weight, bias]) => {
                let one_plus = t.add_scalar(weight);
                t.layer_norm_narrow(x, &one_plus, bias)
            }
            Self::Bare => {
                let normalized = {
                    let wide = t.to(x, DType::Float32);
                    t.layer_norm(&wide, None, None)
                };
                t.to(&normalized, x.dtype())
            }
            Self::BareRoot => {
                let normalized = bare_root_mean_square(t, x);
                t.to(&normalized, x.dtype())
            }
            Self::Cohere(weight) => cohere(t, weight, x),
            Self::Power(weight) => power(t, weight.as_ref(), x),
            Self::Apart(weights) => {
                let heads = t.parts(x, &vec![1; weights.len()], 1);
                let each = heads.iter().zip(weights);
                let normalized: Vec<Tensor> = each
                    .map(|(head, weight)| t.layer_norm(head, Some(weight), None))
                    .collect();
                t.cat(&normalized.iter().collect::<Vec<_>>(), 1)
            }
        }
    }
}

/// x in float32 over its root mean square, and the mean square, which stays in a local variable.
pub(crate) fn root_mean_square(t: &Tape, x: &Tensor) -> (Tensor, Tensor) {
    let wide = t.to(x, DType::Float32);
    let variance = {
        let square = t.square(&wide);
        t.mean_last(&square)
    };
    let scale = {
        let shifted = t.add_scalar(&variance);
        t.rsqrt(&shifted)
    };
    (t.mul(&wide, &scale), variance)
}

fn olmo2(t: &Tape, weight: &Tensor, x: &Tensor) -> Tensor {
    let (normalized, _variance) = root_mean_square(t, x);
    let weighted = t.mul(weight, &normalized);
    t.to(&weighted, x.dtype())
}

fn cohere(t: &Tape, weight: &Tensor, x: &Tensor) -> Tensor {
    let wide = t.to(x, DType::Float32);
    let mean = t.mean_last(&wide);
    let variance = {
        let square = {
            let centered = t.sub(&wide, &mean);
            t.square(&centered)
        };
        t.mean_last(&square)
    };
    let normalized = {
        let centered = t.sub(&wide, &mean);
        let scale = {
            let shifted = t.add_scalar(&variance);
            t.rsqrt(&shifted)
        };
        t.mul(&centered, &scale)
    };
    drop(wide);
    let weighted = {
        let wide = t.to(weight, DType::Float32);
        t.mul(&wide, &normalized)
    };
    drop(normalized);
    t.to(&weighted, x.dtype())
}

/// `x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + eps)`.
pub(crate) fn bare_root_mean_square(t: &Tape, x: &Tensor) -> Tensor {
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
}

fn power(t: &Tape, weight: Option<&Tensor>, x: &Tensor) -> Tensor {
    let mut normalized = {
        let wide = t.to(x, DType::Float32);
        let shifted = {
            let variance = {
                let square = t.square(&wide);
                t.mean_last(&square)
            };
            t.add_scalar(&variance)
        };
        let scale = t.pow(&shifted);
        let product = t.mul(&wide, &scale);
        drop((scale, wide, shifted));
        product
    };
    if let Some(weight) = weight {
        let weighted = {
            let wide = t.to(weight, DType::Float32);
            t.mul(&normalized, &wide)
        };
        normalized = weighted;
    }
    t.to(&normalized, x.dtype())
}

fn gemma(t: &Tape, weight: &Tensor, x: &Tensor) -> Tensor {
    let normalized = bare_root_mean_square(t, x);
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

//! The norms of decoders: root mean square as different families write it, and `LayerNorm`.

use super::builder::Builder;
use super::layers::{LayerNorm, RmsNorm};
use crate::model::NormKind;
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// A norm over the last dimension.
pub(crate) enum Norm {
    Root(RmsNorm),
    CastRoot(Tensor),
    WideRoot(Tensor),
    OnePlusRoot(Tensor),
    FunctionalRoot(Tensor),
    Functional(Tensor),
    /// Liger's, and whether the gradient of its input takes the place of the incoming one.
    Liger(Tensor, bool),
    Layer(LayerNorm),
    WidenedRoot(Tensor),
    OnePlusLayer([Tensor; 2]),
    BareLayer,
    BareRoot,
    WideLayer(Tensor),
    Power(Option<Tensor>),
    /// A `LayerNorm` without a bias for each of the heads in `[B, heads, S, D]`
    /// (`StableLmLayerNormPerHead`).
    Apart(Vec<Tensor>),
}

impl Norm {
    /// A norm of `size` columns.
    pub(crate) fn new(b: &Builder, kind: NormKind, size: u64) -> Self {
        match kind {
            NormKind::Root => Self::Root(RmsNorm::new(b, size)),
            NormKind::BareLayer => Self::BareLayer,
            NormKind::BarePower => Self::Power(None),
            NormKind::BareRoot => Self::BareRoot,
            NormKind::Power => Self::Power(Some(b.parameter("weight", [size]))),
            NormKind::CastRoot => Self::CastRoot(b.parameter("weight", [size])),
            NormKind::OnePlusLayer => {
                Self::OnePlusLayer(["weight", "bias"].map(|name| b.parameter(name, [size])))
            }
            NormKind::WidenedRoot => Self::WidenedRoot(b.parameter("weight", [size])),
            NormKind::WideLayer => Self::WideLayer(b.parameter("weight", [size])),
            NormKind::WideRoot | NormKind::OnePlusRoot if b.liger().rms_norm => {
                Self::Liger(b.parameter("weight", [size]), b.liger_norms_in_place())
            }
            NormKind::WideRoot => Self::WideRoot(b.parameter("weight", [size])),
            NormKind::OnePlusRoot => Self::OnePlusRoot(b.parameter("weight", [size])),
            NormKind::Functional => Self::Functional(b.parameter("weight", [size])),
            NormKind::FunctionalRoot => Self::FunctionalRoot(b.parameter("weight", [size])),
            NormKind::Layer => Self::Layer(LayerNorm::new(b, size)),
        }
    }

    /// In float32 of `heads` heads of `size` columns each.
    pub(crate) fn of_heads(b: &Builder, heads: u64, size: u64) -> Self {
        Self::WideLayer(b.parameter("weight", [heads, size]))
    }

    /// `LayerNorm` of `heads` heads of `size` columns, each by itself.
    pub(crate) fn apart(b: &Builder, heads: u64, size: u64) -> Self {
        let weight = |head| b.item("norms", head).parameter("weight", [size]);
        Self::Apart((0..).zip(0..heads).map(|(head, _)| weight(head)).collect())
    }

    /// `[.., size]` to the same.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let own = match self {
            Self::Liger(weight, _)
            | Self::CastRoot(weight)
            | Self::WideRoot(weight)
            | Self::OnePlusRoot(weight)
            | Self::FunctionalRoot(weight)
            | Self::Functional(weight)
            | Self::WidenedRoot(weight)
            | Self::WideLayer(weight) => [Some(weight), None],
            Self::OnePlusLayer([weight, bias]) => [Some(weight), Some(bias)],
            Self::Power(weight) => [weight.as_ref(), None],
            // The first two call themselves, the last one is a list.
            Self::Root(_) | Self::Layer(_) | Self::Apart(_) => return self.normalize(t, x),
            Self::BareLayer | Self::BareRoot => [None, None],
        };
        t.with_own("norm", own, x, |x| self.normalize(t, x))
    }

    fn normalize(&self, t: &Tape, x: &Tensor) -> Tensor {
        match self {
            Self::Root(norm) => norm.forward(t, x),
            Self::Layer(norm) => norm.forward(t, x),
            Self::Liger(weight, in_place) => t.liger_rms_norm(x, weight, *in_place),
            Self::CastRoot(weight) => {
                let narrow = {
                    let wide = bare_root_mean_square(t, x);
                    t.to(&wide, x.dtype())
                };
                t.mul(&narrow, weight)
            }
            Self::WideRoot(weight) => wide_root(t, weight, x),
            Self::OnePlusRoot(weight) => one_plus_root(t, weight, x),
            Self::Functional(weight) => t.rms_norm(x, Some(weight)),
            Self::FunctionalRoot(weight) => {
                let wide = t.to(x, DType::Float32);
                let normalized = t.rms_norm(&wide, Some(weight));
                drop(wide);
                t.to(&normalized, x.dtype())
            }
            Self::WidenedRoot(weight) => {
                let (normalized, _variance) = root_mean_square(t, x);
                let weighted = {
                    let wide = t.to(weight, DType::Float32);
                    t.mul(&wide, &normalized)
                };
                drop(normalized);
                t.to(&weighted, x.dtype())
            }
            Self::OnePlusLayer([weight, bias]) => {
                let one_plus = t.add_scalar(weight);
                t.layer_norm_narrow(x, &one_plus, bias)
            }
            Self::BareLayer => {
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
            Self::WideLayer(weight) => wide_layer(t, weight, x),
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

fn wide_root(t: &Tape, weight: &Tensor, x: &Tensor) -> Tensor {
    let (normalized, _variance) = root_mean_square(t, x);
    let weighted = t.mul(weight, &normalized);
    t.to(&weighted, x.dtype())
}

fn wide_layer(t: &Tape, weight: &Tensor, x: &Tensor) -> Tensor {
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

fn one_plus_root(t: &Tape, weight: &Tensor, x: &Tensor) -> Tensor {
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

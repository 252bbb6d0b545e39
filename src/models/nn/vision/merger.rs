//! The module that merges neighbouring patches into one token (`models/{qwen2_vl,qwen2_5_vl,qwen3_vl}/modeling_*.py` of
//! transformers 5.23).

use crate::model::{NormKind, PackedConfig};
use crate::nn::build::{Builder, Linear, Norm};
use crate::tape::{Tape, Tensor};

/// `Qwen2_5_VLPatchMerger`, and that of Qwen2-VL and Qwen3-VL.
pub(crate) struct Merger {
    norm: Norm,
    layers: [Linear; 2],
    columns: u64,
    /// Whether patches that lie together are normalized as one.
    normalizes_merged: bool,
}

/// Columns of patches that become one token.
fn columns(c: &PackedConfig) -> u64 {
    c.tower.hidden_size * c.merge * c.merge
}

impl Merger {
    /// Before a decoder of `hidden` columns, with a norm of the kind.
    pub(crate) fn new(b: &Builder, c: &PackedConfig, hidden: u64, kind: NormKind) -> Self {
        let name = if c.deep.is_some() { "norm" } else { "ln_q" };
        let norm = Norm::new(&b.at(name), kind, c.tower.hidden_size);
        Self::of(b, c, hidden, norm)
    }

    /// A merger of a layer's result, whose merged patches are normalized.
    pub(crate) fn of_depth(b: &Builder, c: &PackedConfig, hidden: u64) -> Self {
        let norm = Norm::new(&b.at("norm"), NormKind::Layer, columns(c));
        Self {
            normalizes_merged: true,
            ..Self::of(b, c, hidden, norm)
        }
    }

    fn of(b: &Builder, c: &PackedConfig, hidden: u64, norm: Norm) -> Self {
        let columns = columns(c);
        let [first, second] = match c.deep {
            Some(_) => ["linear_fc1", "linear_fc2"].map(|name| b.at(name)),
            None => [0, 2].map(|index| b.item("mlp", index)),
        };
        Self {
            norm,
            layers: [
                Linear::new(&first, columns, columns, true),
                Linear::new(&second, columns, hidden, true),
            ],
            columns,
            normalizes_merged: false,
        }
    }

    /// `[n, H']` to `[tokens, H]`.
    pub(crate) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let [first, second] = &self.layers;
        let merged = |x: &Tensor| t.view(x, [x.numel() / self.columns, self.columns]);
        let tokens = if self.normalizes_merged {
            self.norm.forward(t, &merged(x))
        } else {
            merged(&self.norm.forward(t, x))
        };
        let inner = first.forward(t, &tokens);
        drop(tokens);
        let active = t.gelu(&inner);
        drop(inner);
        second.forward(t, &active)
    }
}

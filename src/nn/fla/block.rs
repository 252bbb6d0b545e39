//! One layer: a mixer of tokens and an MLP, each after a norm.

use super::gla::Gla;
use super::norm::FlaNorm;
use crate::nn::builder::Builder;
use crate::nn::decoder::Block;
use crate::nn::facts::Facts;
use crate::nn::layers::Linear;
use crate::spec::{FlaConfig, FlaMixer};
use crate::tape::{Tape, Tensor};

/// What mixes the tokens of a layer.
pub(super) trait Mixer {
    /// `[B, S, H]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor;
}

/// `GLABlock` and its kin.
pub(super) struct FlaBlock {
    attn_norm: FlaNorm,
    attn: Box<dyn Mixer>,
    mlp_norm: FlaNorm,
    mlp: Mlp,
}

impl FlaBlock {
    pub(super) fn new(b: &Builder, c: &FlaConfig) -> Self {
        let norm = |name| FlaNorm::new(&b.at(name), c.hidden_size, c.fused.norm, true);
        let attn_norm = norm("attn_norm");
        let at = b.at("attn");
        let attn: Box<dyn Mixer> = match c.mixer {
            FlaMixer::Gla => Box::new(Gla::new(&at, c)),
        };
        Self {
            attn_norm,
            attn,
            mlp_norm: norm("mlp_norm"),
            mlp: Mlp::new(&b.at("mlp"), c),
        }
    }
}

impl Block for FlaBlock {
    type Shared = ();

    fn outliving((): &(), _: Facts) {}

    fn forward(&self, t: &Tape, hidden: &Tensor, (): &()) -> Tensor {
        let x = t.scoped("attn_norm", None, || self.attn_norm.forward(t, hidden));
        let mixed = t.scoped("attn", None, || self.attn.forward(t, &x));
        drop(x);
        let (x, residual) = t.scoped("mlp_norm", None, || self.mlp_norm.add(t, mixed, hidden));
        let changed = t.scoped("mlp", None, || self.mlp.forward(t, &x));
        drop(x);
        t.add(&residual, &changed)
    }
}

/// `fla.modules.GatedMLP`.
#[allow(clippy::struct_field_names, reason = "the names of the PyTorch module")]
struct Mlp {
    gate_proj: Linear,
    up_proj: Linear,
    down_proj: Linear,
    fused: bool,
}

impl Mlp {
    fn new(b: &Builder, c: &FlaConfig) -> Self {
        let (hidden, intermediate) = (c.hidden_size, c.intermediate_size);
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        Self {
            gate_proj: linear("gate_proj", hidden, intermediate),
            up_proj: linear("up_proj", hidden, intermediate),
            down_proj: linear("down_proj", intermediate, hidden),
            fused: c.fused.swiglu,
        }
    }

    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let gate = self.gate_proj.forward(t, x);
        let up = self.up_proj.forward(t, x);
        match self.down_proj.weight() {
            // The fused function reads the weight, and no adapter.
            Some(weight) if self.fused => t.fused_swiglu_linear(&gate, &up, weight),
            _ => {
                let product = t.fused_swiglu(&gate, &up);
                self.down_proj.forward(t, &product)
            }
        }
    }
}

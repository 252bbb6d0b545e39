//! One layer: a mixer of tokens and an MLP, each after a norm.

use super::attention::Attention;
use super::delta_net::DeltaNet;
use super::gla::Gla;
use super::hgrn::Hgrn;
use super::hgrn2::Hgrn2;
use super::norm::FlaNorm;
use crate::model::{FlaConfig, FlaMixer};
use crate::nn::build::{Builder, Linear};
use crate::tape::{FlaVersion, Tape, Tensor};

/// A module that mixes the tokens of a layer.
pub(crate) trait Mixer {
    /// `[B, T, H]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor, tokens: Tokens) -> Tensor;

    /// Whether it leaves padding out by itself, and is given all tokens.
    fn unpads_itself(&self) -> bool {
        false
    }
}

/// Facts of the tokens for a mixer.
#[derive(Clone, Copy)]
pub(crate) struct Tokens<'a> {
    /// Sequences that each sample packs.
    pub(crate) sequences: u64,
    /// Tokens of a sequence.
    pub(crate) length: u64,
    /// The bound of the layer's forget gates `[H]`, when it has one.
    pub(crate) lower_bound: Option<&'a Tensor>,
    /// The mask `[B, S]` of this and all earlier tokens, when one is passed.
    pub(crate) mask: Option<&'a Tensor>,
}

impl Tokens<'_> {
    /// How far positions are shifted by earlier tokens, where a mask says it: `[B]`, which lives as
    /// long as the layer runs.
    pub(crate) fn shift(&self, t: &Tape) -> Option<Tensor> {
        let mask = self.mask.filter(|_| t.tokens_seen_by_layer() > 0)?;
        let lengths = t.lengths_of(mask);
        let _sum = t.empty("add", *lengths.shape(), lengths.dtype());
        Some(t.empty("sub", *lengths.shape(), lengths.dtype()))
    }

    /// Whether sequences are short enough to go through the recurrence token by token.
    pub(crate) fn one_by_one(&self) -> bool {
        /// Tokens of the longest of them (`fla/layers/*.py`).
        const SHORT: u64 = 64;
        self.length <= SHORT
    }

    /// Whether sequences are short enough for functions that, since 0.6.0, run token by token only if gradients are
    /// off.
    pub(crate) fn one_by_one_without_gradient(&self, t: &Tape) -> bool {
        self.one_by_one() && !(t.is_grad_enabled() && t.backend().fla == FlaVersion::V060)
    }
}

/// `[B, T, H D]` seen as heads of `columns` columns.
pub(crate) fn heads(t: &Tape, x: &Tensor, columns: u64) -> Tensor {
    t.reshape(x, [x.dim(0), x.dim(1), x.dim(2) / columns, columns])
}

/// The heads of `[B, T, H, D]` side by side.
pub(crate) fn merged(t: &Tape, x: &Tensor) -> Tensor {
    t.reshape(x, [x.dim(0), x.dim(1), x.dim(2) * x.dim(3)])
}

/// Inputs of all layers of one forward pass besides the hidden states.
#[derive(Clone)]
pub(crate) struct FlaShared {
    /// The mask `[B, S]`, when one is passed.
    pub(crate) mask: Option<Tensor>,
    /// The bound of this layer's forget gates `[H]`.
    pub(crate) lower_bound: Option<Tensor>,
}

/// `GLABlock` and its kin.
pub(crate) struct FlaBlock {
    attn_norm: FlaNorm,
    attn: Box<dyn Mixer>,
    mlp_norm: FlaNorm,
    mlp: Mlp,
}

impl FlaBlock {
    pub(crate) fn new(b: &Builder, c: &FlaConfig) -> Self {
        let norm = |name| FlaNorm::new(&b.at(name), c.hidden_size, c.fused.norm, true);
        let attn_norm = norm("attn_norm");
        let at = b.at("attn");
        let layer = || u64::try_from(b.index()).unwrap_or(u64::MAX);
        let hybrid = !c.attention.is_empty();
        let attention = hybrid.then(|| c.attention_of(layer())).flatten();
        let attn: Box<dyn Mixer> = match (attention, c.mixer) {
            (Some(attention), _) => Box::new(Attention::new(&at, c, attention)),
            (None, FlaMixer::Hgrn) => Box::new(Hgrn::new(&at, c, layer())),
            (None, FlaMixer::Hgrn2) => Box::new(Hgrn2::new(&at, c, layer())),
            (None, FlaMixer::DeltaNet | FlaMixer::GatedDeltaNet) => Box::new(DeltaNet::new(&at, c)),
            (None, _) => Box::new(Gla::new(&at, c)),
        };
        Self {
            attn_norm,
            attn,
            mlp_norm: norm("mlp_norm"),
            mlp: Mlp::new(&b.at("mlp"), c),
        }
    }

    /// The mixer over all tokens, or over the tokens that are no padding, all samples one after the other.
    fn mixed(&self, t: &Tape, x: &Tensor, shared: &FlaShared) -> Tensor {
        let mask = shared.mask.as_ref();
        let together = Tokens {
            sequences: 1,
            length: x.dim(1),
            lower_bound: shared.lower_bound.as_ref(),
            mask,
        };
        let Some(mask) = mask.filter(|_| !self.attn.unpads_itself()) else {
            return self.attn.forward(t, x, together);
        };
        let (samples, tokens, width) = (x.dim(0), x.dim(1), x.dim(2));
        let indices = &t.unpadding(mask, tokens);
        let packed = {
            let flat = t.reshape(x, [samples * tokens, width]);
            let rows = t.unpad(&flat, indices);
            t.reshape(&rows, [1, rows.dim(0), width])
        };
        let one_by_one = Tokens {
            sequences: samples,
            ..together
        };
        let padded = {
            let mixed = self.attn.forward(t, &packed, one_by_one);
            t.nothing_packed();
            let rows = t.reshape(&mixed, [mixed.dim(1), width]);
            t.repad(&rows, indices, samples * tokens)
        };
        t.reshape(&padded, [samples, tokens, width])
    }

    /// `[B, S, H]` to the same.
    pub(crate) fn forward(&self, t: &Tape, hidden: &Tensor, shared: &FlaShared) -> Tensor {
        let x = t.scoped("attn_norm", None, || self.attn_norm.forward(t, hidden));
        let mixed = t.scoped("attn", None, || self.mixed(t, &x, shared));
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
        let both = |x: &Tensor| [&self.gate_proj, &self.up_proj].map(|linear| linear.forward(t, x));
        match self.down_proj.weight() {
            // The fused function reads the weight, and no adapter.
            Some(weight) if self.fused => t.with_own("fused_mlp", [Some(weight)], x, |x| {
                let [gate, up] = both(x);
                t.read_outside(&[Some(weight)]);
                t.fused_swiglu_linear(&gate, &up, weight)
            }),
            _ => {
                let [gate, up] = both(x);
                let product = t.fused_swiglu(&gate, &up);
                self.down_proj.forward(t, &product)
            }
        }
    }
}

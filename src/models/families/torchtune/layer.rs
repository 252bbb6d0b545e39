//! `TransformerSelfAttentionLayer` and `FeedForward` (`modules/{transformer,feed_forward}.py`).

use super::attention::{Inputs, MultiHeadAttention, Projections};
use super::gemma2_attention::Gemma2Attention;
use super::rotary::Rotary;
use crate::model::{Activation, DecoderConfig};
use crate::nn::attention::AttentionOptions;
use crate::nn::build::{Builder, Facts, Linear, Norm};
use crate::nn::decoder::Block;
use crate::tape::{Tape, Tensor};

enum Attention {
    Heads(MultiHeadAttention),
    Written(Gemma2Attention),
}

/// `FeedForward`.
struct FeedForward {
    w1: Linear,
    w2: Linear,
    w3: Linear,
    activation: fn(&Tape, &Tensor) -> Tensor,
}

/// `TransformerSelfAttentionLayer`.
pub(super) struct TransformerSelfAttentionLayer {
    attn: Attention,
    mlp: FeedForward,
    /// Before and after attention, before and after the MLP.
    norms: [Option<(&'static str, Norm)>; 4],
}

impl FeedForward {
    fn new(b: &Builder, c: &DecoderConfig) -> Self {
        let (hidden, inner) = (c.hidden_size, c.intermediate_size);
        let linear = |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, false);
        Self {
            w1: linear("gate_proj", hidden, inner),
            w2: linear("down_proj", inner, hidden),
            w3: linear("up_proj", hidden, inner),
            activation: match c.activation {
                Activation::Gelu => Tape::gelu,
                _ => Tape::silu,
            },
        }
    }

    /// `[B, S, H]` to the same.
    fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        let h = {
            let gate = {
                let gate = self.w1.forward(t, x);
                (self.activation)(t, &gate)
            };
            let up = self.w3.forward(t, x);
            t.mul(&gate, &up)
        };
        self.w2.forward(t, &h)
    }
}

impl TransformerSelfAttentionLayer {
    pub(super) fn new(
        b: &Builder,
        c: &DecoderConfig,
        (shared, options): (Option<&Rotary>, AttentionOptions),
    ) -> Self {
        let projections = Projections::new(&b.at("self_attn"), c, shared);
        let attn = if c.attention_softcap {
            let windowed = c.windowed.get(b.index()).copied().unwrap_or(false);
            Attention::Written(Gemma2Attention::new(projections, windowed))
        } else {
            Attention::Heads(MultiHeadAttention::new(projections, options))
        };
        let mlp = FeedForward::new(&b.at("mlp"), c);
        let kind = c.family.style.norm;
        let norm = |name| (name, Norm::new(&b.at(name), kind, c.hidden_size));
        Self {
            attn,
            mlp,
            norms: c.family.names.norms.map(|name| name.map(norm)),
        }
    }

    /// x after the norm, if there is one.
    fn normalized(&self, t: &Tape, place: usize, x: &Tensor) -> Tensor {
        match &self.norms[place] {
            Some((name, norm)) => t.scoped(name, None, || norm.forward(t, x)),
            None => x.clone(),
        }
    }
}

impl Block for TransformerSelfAttentionLayer {
    type Shared = Inputs;

    fn forward(&self, t: &Tape, x: &Tensor, inputs: &Inputs) -> Tensor {
        let mut h = self.normalized(t, 0, x);
        let attn_out = t.scoped("self_attn", None, || match &self.attn {
            Attention::Heads(attention) => attention.forward(t, &h, inputs),
            Attention::Written(attention) => attention.forward(t, &h, inputs),
        });
        h = {
            let scaled = self.normalized(t, 1, &attn_out);
            t.add(&scaled, x)
        };
        let mlp_out = {
            let normalized = self.normalized(t, 2, &h);
            t.scoped("mlp", None, || self.mlp.forward(t, &normalized))
        };
        let out = {
            let scaled = self.normalized(t, 3, &mlp_out);
            t.add(&h, &scaled)
        };
        // Python's locals go in the order in which they came.
        drop((h, attn_out, mlp_out));
        out
    }

    fn outliving(inputs: &Inputs, _: Facts) -> Inputs {
        inputs.clone()
    }
}

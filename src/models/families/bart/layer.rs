//! The layers of BART and Marian, whose norms come after the residual sums, and of Whisper, mBART, PEGASUS
//! and M2M100, whose norms come before the sublayers.

use super::attention::BartAttention;
use crate::families::network::Shared;
use crate::model::{Activation, BartConfig, BartStack, Transformers};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear};
use crate::nn::decoder::Block;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::DType;

/// `BartEncoderLayer`, `BartDecoderLayer` or Whisper's.
pub(crate) struct BartLayer {
    self_attn: BartAttention,
    self_attn_layer_norm: LayerNorm,
    /// Attention to the encoder with its norm, of a decoder.
    encoder_attn: Option<(BartAttention, LayerNorm)>,
    fc1: Linear,
    fc2: Linear,
    final_layer_norm: LayerNorm,
    activation: Activation,
    activation_dropout: bool,
    dropout: bool,
    /// Whether norms come before the sublayers.
    norms_first: bool,
    facts: Facts,
}

impl BartLayer {
    pub(crate) fn new(
        b: &Builder,
        c: &BartConfig,
        stack: BartStack,
        options: AttentionOptions,
        decoder: bool,
    ) -> Self {
        let attend =
            |name, causal| BartAttention::new(&b.at(name), c, stack, options, decoder, causal);
        let norm = |name| LayerNorm::new(&b.at(name), c.d_model);
        Self {
            self_attn: attend("self_attn", decoder),
            self_attn_layer_norm: norm("self_attn_layer_norm"),
            encoder_attn: decoder.then(|| {
                (
                    attend("encoder_attn", false),
                    norm("encoder_attn_layer_norm"),
                )
            }),
            fc1: Linear::new(&b.at("fc1"), c.d_model, stack.ffn_dim, true),
            fc2: Linear::new(&b.at("fc2"), stack.ffn_dim, c.d_model, true),
            final_layer_norm: norm("final_layer_norm"),
            activation: c.activation,
            activation_dropout: c.activation_dropout,
            dropout: c.dropout.residual,
            norms_first: c.recordings.is_some() || c.kind.norms_first(),
            facts: options.facts,
        }
    }

    /// A sublayer with its norm, whose result is dropped out and added to the residual stream.
    fn joined(
        &self,
        t: &Tape,
        norm: &LayerNorm,
        residual: &Tensor,
        sublayer: impl FnOnce(Tensor) -> Tensor,
    ) -> Tensor {
        let out = sublayer(if self.norms_first {
            norm.forward(t, residual)
        } else {
            residual.clone()
        });
        let out = dropped(t, out, self.dropout);
        let sum = t.add(residual, &out);
        drop(out);
        if self.norms_first {
            sum
        } else {
            norm.forward(t, &sum)
        }
    }

    /// An encoder's result is kept finite in float16: always where norms come first (in Whisper's since
    /// transformers 4.51), else where it is not.
    fn finite(&self, t: &Tape, out: Tensor) -> Tensor {
        let version = self.facts.transformers;
        if self.encoder_attn.is_some() || out.dtype() != DType::Float16 {
            return out;
        }
        if self.norms_first && version != Transformers::V448 {
            return t.clamp(&out, 2);
        }
        t.looks_for_infinities(&out, version == Transformers::V5);
        out
    }
}

impl Block for BartLayer {
    type Shared = Shared;

    /// The encoder's mask is a keyword argument since transformers 5.
    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        let recent = facts.transformers == Transformers::V5;
        Shared {
            mask: None,
            encoder: None,
            encoder_mask: shared.encoder_mask.clone().filter(|_| recent),
        }
    }

    fn trained(shared: &mut Shared) -> Option<&mut Tensor> {
        shared.encoder.as_mut()
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        let mut held = Vec::new();
        let norm = &self.self_attn_layer_norm;
        let mut x = self.joined(t, norm, hidden, |x| {
            t.scoped("self_attn", None, || {
                let (out, locals) = self.self_attn.forward(t, &x, None, shared.mask.as_ref());
                held = locals;
                out
            })
        });
        if let (Some((attend, norm)), Some(encoder)) = (&self.encoder_attn, &shared.encoder) {
            x = self.joined(t, norm, &x, |x| {
                t.scoped("encoder_attn", None, || {
                    let mask = shared.encoder_mask.as_ref();
                    let (out, locals) = attend.forward(t, &x, Some(encoder), mask);
                    // Since transformers 5 one variable takes the weights of both.
                    if self.facts.transformers == Transformers::V5 {
                        held.clear();
                    }
                    held.extend(locals);
                    out
                })
            });
        }
        let out = self.joined(t, &self.final_layer_norm, &x, |x| {
            let wide = activated(t, self.activation, self.fc1.forward(t, &x));
            drop(x);
            let wide = dropped(t, wide, self.activation_dropout);
            self.fc2.forward(t, &wide)
        });
        let out = self.finite(t, out);
        drop((x, held));
        out
    }
}

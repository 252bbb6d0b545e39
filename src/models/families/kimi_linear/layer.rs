//! `KimiLinearDecoderLayer` (`models/kimi_linear/modeling_kimi_linear.py`, transformers 5.23).

use super::delta_attention::KimiDeltaAttention;
use crate::families::network::Net;
use crate::model::{DecoderConfig, LayerNames, Mixing, ResolvedSpec};
use crate::nn::attention::{AttentionOptions, LatentAttention};
use crate::nn::build::{Builder, Facts, RmsNorm};
use crate::nn::decoder::{Causal, Layer, Shared, WeighingBlock};
use crate::nn::mlp::FeedForward;
use crate::tape::{Tape, Tensor};

/// `KimiLinearDecoderLayer`.
pub(crate) struct KimiLinearLayer {
    self_attn: SelfAttention,
    mlp: FeedForward,
    input_layernorm: RmsNorm,
    post_attention_layernorm: RmsNorm,
}

/// The module that mixes the tokens of a layer.
enum SelfAttention {
    Full(Box<LatentAttention>),
    Delta(Box<KimiDeltaAttention>),
}

impl Layer for KimiLinearLayer {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let at = b.at("self_attn");
        let space = c.state_space.unwrap_or_default();
        let full = c.mixers.get(b.index()) == Some(&Mixing::Attention);
        Self {
            self_attn: match (c.latent, space.heads) {
                (Some(sizes), _) if full => {
                    SelfAttention::Full(Box::new(LatentAttention::new(&at, c, sizes, options)))
                }
                (_, heads) => SelfAttention::Delta(Box::new(KimiDeltaAttention::new(
                    &at,
                    c.hidden_size,
                    heads.unwrap_or_default(),
                    space.conv_kernel,
                ))),
            },
            mlp: FeedForward::new(b, c, &LayerNames::of(c)),
            input_layernorm: RmsNorm::new(&b.at("input_layernorm"), c.hidden_size),
            post_attention_layernorm: RmsNorm::new(
                &b.at("post_attention_layernorm"),
                c.hidden_size,
            ),
        }
    }
}

impl WeighingBlock for KimiLinearLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn forward(&self, t: &Tape, residual: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let (attended, weights) = {
            let x = t.scoped("input_layernorm", None, || {
                self.input_layernorm.forward(t, residual)
            });
            t.scoped("self_attn", None, || match &self.self_attn {
                SelfAttention::Full(attention) => attention.forward(t, &x, shared),
                SelfAttention::Delta(attention) => (attention.forward(t, &x), Vec::new()),
            })
        };
        let residual = t.add(residual, &attended);
        drop(attended);
        let (changed, logits) = {
            let x = t.scoped("post_attention_layernorm", None, || {
                self.post_attention_layernorm.forward(t, &residual)
            });
            self.mlp.forward(t, &x)
        };
        let out = t.add(&residual, &changed);
        drop((changed, logits, residual, weights));
        (out, None)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Causal::<KimiLinearLayer>::new(
        b,
        spec.config(),
        spec,
        facts,
    ))
}

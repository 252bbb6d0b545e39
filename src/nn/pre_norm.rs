//! What layers of Llama's make have in common: a norm before the attention and one before the MLP,
//! each with a residual around it (`LlamaDecoderLayer`, `DeepseekV3DecoderLayer`).

use super::builder::Builder;
use super::layers::RmsNorm;
use super::moe::Mlp;
use crate::spec::DecoderConfig;
use crate::tape::{Tape, Tensor};

/// Such a layer without its attention, which is made before it.
pub(super) struct PreNorm {
    mlp: Mlp,
    norms: [RmsNorm; 2],
}

impl PreNorm {
    pub(super) fn new(b: &Builder, c: &DecoderConfig) -> Self {
        Self {
            mlp: Mlp::new(&b.at("mlp"), c, b.index()),
            norms: ["input_layernorm", "post_attention_layernorm"]
                .map(|name| RmsNorm::new(&b.at(name), c.hidden_size)),
        }
    }

    /// `[B, S, H]` to the same; `attend` gives the attention's output and its weights, which the
    /// layer holds to its end.
    pub(super) fn forward(
        &self,
        t: &Tape,
        hidden: &Tensor,
        attend: impl FnOnce(&Tensor) -> (Tensor, Option<Tensor>),
    ) -> Tensor {
        let [input, post_attention] = &self.norms;
        let (attended, weights) = {
            let x = t.scoped("input_layernorm", None, || input.forward(t, hidden));
            t.scoped("self_attn", None, || attend(&x))
        };
        let residual = t.add(hidden, &attended);
        drop(attended);
        let changed = {
            let x = t.scoped("post_attention_layernorm", None, || {
                post_attention.forward(t, &residual)
            });
            t.scoped("mlp", None, || self.mlp.forward(t, &x))
        };
        let out = t.add(&residual, &changed);
        drop((changed, weights));
        out
    }
}

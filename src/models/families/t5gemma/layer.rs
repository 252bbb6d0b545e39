//! The layers of `T5Gemma`: norms before and after each sublayer, attention to the encoder in a decoder's.

use crate::model::{DecoderConfig, NormKind};
use crate::nn::attention::{
    AttentionOptions, RotaryAttention, attend_with_weights, dropped, in_heads, joined,
};
use crate::nn::build::{Builder, Facts, Linear, Norm};
use crate::nn::decoder::{Block, Shared};
use crate::nn::mlp::GatedMlp;
use crate::tape::{Tape, Tensor};

/// Inputs of a layer.
#[derive(Clone)]
pub(crate) struct Given {
    pub(crate) own: Shared,
    /// The encoder's result, for a decoder.
    pub(crate) encoder: Option<Tensor>,
    pub(crate) encoder_mask: Option<Tensor>,
}

/// `T5GemmaEncoderLayer` or `T5GemmaDecoderLayer`.
pub(crate) struct T5GemmaLayer {
    self_attn: RotaryAttention,
    mlp: GatedMlp,
    cross_attn: Option<CrossAttention>,
    /// Before and after attention, the MLP, and attention to the encoder.
    norms: [[Norm; 2]; 2],
    cross_norms: Option<[Norm; 2]>,
    dropout: bool,
}

/// `T5GemmaCrossAttention`.
struct CrossAttention {
    q_proj: Linear,
    k_proj: Linear,
    v_proj: Linear,
    o_proj: Linear,
    head_dim: u64,
    options: AttentionOptions,
}

impl T5GemmaLayer {
    /// A layer of the encoder or, if it `crosses`, of the decoder: it attends to `crosses` columns of the encoder's
    /// result.
    pub(crate) fn new(
        b: &Builder,
        c: &DecoderConfig,
        options: AttentionOptions,
        (crosses, dropout): (Option<u64>, bool),
    ) -> Self {
        let options = AttentionOptions {
            softcap: c.attention_softcap,
            bidirectional: crosses.is_none(),
            ..options
        };
        let (_, parts) = c.put_together(options.facts.transformers);
        let norms = |names: [&'static str; 2]| {
            names.map(|name| Norm::new(&b.at(name), NormKind::OnePlusRoot, c.hidden_size))
        };
        let self_attn = RotaryAttention::new(&b.at("self_attn"), c, options, parts, true);
        let around_attention = norms(["pre_self_attn_layernorm", "post_self_attn_layernorm"]);
        let mlp = GatedMlp::new(&b.at("mlp"), c.hidden_size, c.intermediate_size, Tape::gelu);
        let around_mlp = norms(["pre_feedforward_layernorm", "post_feedforward_layernorm"]);
        let cross_attn =
            crosses.map(|columns| CrossAttention::new(&b.at("cross_attn"), c, columns, options));
        Self {
            self_attn,
            mlp: mlp.dropped(dropout),
            norms: [around_attention, around_mlp],
            cross_norms: crosses
                .map(|_| norms(["pre_cross_attn_layernorm", "post_cross_attn_layernorm"])),
            cross_attn,
            dropout,
        }
    }

    /// A sublayer with its norms, whose result is added to the residual stream.
    fn added(
        &self,
        t: &Tape,
        [before, after]: &[Norm; 2],
        residual: &Tensor,
        sublayer: impl FnOnce(&Tensor) -> Tensor,
    ) -> Tensor {
        let out = {
            let x = before.forward(t, residual);
            sublayer(&x)
        };
        let normed = after.forward(t, &out);
        drop(out);
        let out = dropped(t, normed.clone(), self.dropout);
        t.add(residual, &out)
    }
}

impl Block for T5GemmaLayer {
    type Shared = Given;

    /// Cosines and sines come as a pair; the rest are saved tensors.
    fn outliving(given: &Given, _facts: Facts) -> Given {
        let own = Shared {
            positions: None,
            mask: None,
            ..given.own.clone()
        };
        Given {
            own,
            encoder: None,
            encoder_mask: None,
        }
    }

    fn trained(given: &mut Given) -> Option<&mut Tensor> {
        given.encoder.as_mut()
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, given: &Given) -> Tensor {
        let [around_attention, around_mlp] = &self.norms;
        // One variable takes the weights of both.
        let mut weights = None;
        let mut x = self.added(t, around_attention, hidden, |x| {
            let attended = t.scoped("self_attn", None, || {
                self.self_attn.forward(t, x, &given.own)
            });
            weights = attended.1;
            attended.0
        });
        let crossing = self.cross_attn.as_ref().zip(self.cross_norms.as_ref());
        if let (Some((attend, norms)), Some(encoder)) = (crossing, &given.encoder) {
            x = self.added(t, norms, &x, |x| {
                let mask = given.encoder_mask.as_ref();
                let attended = t.scoped("cross_attn", None, || attend.forward(t, x, encoder, mask));
                weights = attended.1;
                attended.0
            });
        }
        let out = self.added(t, around_mlp, &x, |x| {
            t.scoped("mlp", None, || self.mlp.forward(t, x))
        });
        drop(weights);
        out
    }
}

impl CrossAttention {
    /// To `columns` columns.
    fn new(b: &Builder, c: &DecoderConfig, columns: u64, options: AttentionOptions) -> Self {
        let [inner, narrow] =
            [c.num_attention_heads, c.num_key_value_heads].map(|heads| heads * c.head_dim);
        let linear =
            |name, inputs, outputs| Linear::new(&b.at(name), inputs, outputs, c.attention_bias);
        Self {
            q_proj: linear("q_proj", c.hidden_size, inner),
            k_proj: linear("k_proj", columns, narrow),
            v_proj: linear("v_proj", columns, narrow),
            o_proj: linear("o_proj", inner, c.hidden_size),
            head_dim: c.head_dim,
            options: AttentionOptions {
                bidirectional: true,
                positions_given: false,
                ..options
            },
        }
    }

    /// `[B, S, H]` to the same with the encoder's result `[B, K, C]`, and eager attention's weights.
    fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        encoder: &Tensor,
        mask: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        let heads = |y: Tensor| in_heads(t, &y, self.head_dim);
        let q = heads(self.q_proj.forward(t, x));
        let (k, v) = t.crossed(|| {
            let k = heads(self.k_proj.forward(t, encoder));
            (k, heads(self.v_proj.forward(t, encoder)))
        });
        let (out, weights) = attend_with_weights(t, self.options, &q, &k, &v, mask);
        let out = joined(t, out);
        let projected = self.o_proj.forward(t, &out);
        drop((out, q, k, v));
        (projected, weights)
    }
}

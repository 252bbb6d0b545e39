//! A layer of `ModernBERT` or its decoder: norms come first, every few layers see all tokens and the others near ones.

use crate::ask::Attention;
use crate::model::{Activation, ModernBertConfig, Transformers};
use crate::nn::attention::{
    AttentionOptions, Rotary, attend_as_bert, attend_with_weights, dropped, in_heads, rotary,
};
use crate::nn::build::{Builder, Facts, LayerNorm, Linear};
use crate::nn::decoder::Block;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};

/// `ModernBertEncoderLayer`.
pub(crate) struct ModernBertLayer {
    /// The first layer has none.
    attn_norm: Option<LayerNorm>,
    /// q, k and v, together or each by itself.
    projections: Vec<Linear>,
    /// A layer's own positions (transformers 4).
    rotary: Option<Rotary>,
    wo: Linear,
    mlp_norm: LayerNorm,
    wi: Linear,
    down: Linear,
    /// Whether it sees near tokens only.
    pub(crate) windowed: bool,
    head_dim: u64,
    activation: Activation,
    mlp_dropout: bool,
    options: AttentionOptions,
}

/// Inputs of a layer.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) mask: Option<Tensor>,
    /// Its positions.
    pub(crate) rotary_input: RotaryInput,
    /// Positions that the layers of a decoder only hold.
    pub(crate) _positions: Option<Tensor>,
}

/// How a layer knows positions.
#[derive(Clone)]
pub(crate) enum RotaryInput {
    /// By cosines and sines `[1, S, D]`.
    By(Tensor, Tensor),
    /// By cosines and sines that the layer makes of positions `[S]`. The mask of the other layers is passed, too.
    Own(Tensor, Tensor),
}

impl ModernBertLayer {
    pub(crate) fn new(b: &Builder, c: &ModernBertConfig, options: AttentionOptions) -> Self {
        let (hidden, inner, biases) = (c.hidden_size, c.intermediate_size, c.biases);
        let norm = |name| LayerNorm::with_bias(&b.at(name), hidden, biases.norm);
        let attn_norm = (!b.is_first()).then(|| norm("attn_norm"));
        let attn = b.at("attn");
        let linear = |name, columns| Linear::new(&attn.at(name), hidden, columns, biases.attention);
        let projections = if c.decoder {
            Vec::from(["q_proj", "k_proj", "v_proj"].map(|name| linear(name, hidden)))
        } else {
            vec![linear("Wqkv", 3 * hidden)]
        };
        let own = options.facts.transformers != Transformers::V5;
        let rotary = own.then(|| Rotary::new(&attn.at("rotary_emb"), c.head_dim, options.facts));
        let wo = linear("Wo", hidden);
        let mlp_norm = norm("mlp_norm");
        let mlp = b.at("mlp");
        Self {
            attn_norm,
            projections,
            rotary,
            wo,
            mlp_norm,
            wi: Linear::new(&mlp.at("Wi"), hidden, 2 * inner, biases.mlp),
            down: Linear::new(&mlp.at("Wo"), inner, hidden, biases.mlp),
            windowed: c.windowed.get(b.index()).is_some_and(|windowed| *windowed),
            head_dim: c.head_dim,
            activation: c.activation,
            mlp_dropout: c.dropout.residual,
            options,
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights where the layer holds them.
    fn attend(&self, t: &Tape, x: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        let (b, s, hidden) = (x.dim(0), x.dim(1), x.dim(2));
        let heads = hidden / self.head_dim;
        if let [q, k, v] = &self.projections[..] {
            return self.attend_before(t, x, shared, [q, k, v]);
        }
        let qkv = self.projections[0].forward(t, x);
        let qkv = t.view(&qkv, [b, s, 3, heads, self.head_dim]);
        let mask = shared.mask.as_ref();
        let (out, weights, held) = match (&self.rotary, &shared.rotary_input) {
            (Some(rotary), RotaryInput::Own(positions, _)) => {
                let (cos, sin) = rotary.forward(t, positions, qkv.dtype());
                let [q, k, v] = t.unbind(&t.transpose(&qkv, 1, 3), 2);
                let [q, k] = [q, k].map(|x| rotary::apply(t, &x, &cos, &sin));
                (self.weighed(t, [&q, &k, &v], mask).0, None, None)
            }
            (_, RotaryInput::By(cos, sin) | RotaryInput::Own(cos, sin)) => {
                let [q, k, v] = t.unbind(&qkv, 2).map(|x| t.transpose(&x, 1, 2));
                let [q, k] = rotary::apply_in_float32(t, [&q, &k], cos, sin);
                let (out, weights) = self.weighed(t, [&q, &k, &v], mask);
                (out, weights, Some([q, k, v]))
            }
        };
        let merged = t.reshape(&out, [b, s, hidden]);
        drop(out);
        let projected = self.wo.forward(t, &merged);
        // Attention's result keeps its name until this is assigned.
        let dropped = dropped(t, projected, self.options.dropout);
        drop((held, qkv));
        (dropped, weights)
    }

    /// Attends in a decoder.
    fn attend_before(
        &self,
        t: &Tape,
        x: &Tensor,
        shared: &Shared,
        projections: [&Linear; 3],
    ) -> (Tensor, Option<Tensor>) {
        let [q, k, v] = projections.map(|p| in_heads(t, &p.forward(t, x), self.head_dim));
        let (RotaryInput::By(cos, sin) | RotaryInput::Own(cos, sin)) = &shared.rotary_input;
        let rotated = rotary::apply_in_float32(t, [&q, &k], cos, sin);
        drop((q, k));
        let [q, k] = rotated;
        let (k, v) = t.cached(k, v);
        let mask = shared.mask.as_ref();
        let (out, weights) = if self.options.implementation == Attention::Eager {
            attend_with_weights(t, self.options, &q, &k, &v, mask)
        } else {
            attend_as_bert(t, self.options, [&q, &k, &v], mask, true)
        };
        let merged = t.reshape(&out, *x.shape());
        drop(out);
        let projected = self.wo.forward(t, &merged);
        let dropped = dropped(t, projected, self.options.dropout);
        drop((merged, q, k, v));
        (dropped, weights)
    }

    fn weighed(
        &self,
        t: &Tape,
        [q, k, v]: [&Tensor; 3],
        mask: Option<&Tensor>,
    ) -> (Tensor, Option<Tensor>) {
        if self.options.implementation == Attention::Eager {
            return attend_with_weights(t, self.options, q, k, v, mask);
        }
        attend_as_bert(t, self.options, [q, k, v], mask, false)
    }
}

impl Block for ModernBertLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        let mut kept = shared.clone();
        if facts.transformers != Transformers::V5 {
            kept.mask = None;
        }
        kept
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> Tensor {
        let (attended, weights) = {
            let normed = match &self.attn_norm {
                Some(norm) => t.scoped("attn_norm", None, || norm.forward(t, hidden)),
                None => hidden.clone(),
            };
            t.scoped("attn", None, || self.attend(t, &normed, shared))
        };
        let sum = t.add(hidden, &attended);
        let held;
        let changed = {
            let normed = t.scoped("mlp_norm", None, || self.mlp_norm.forward(t, &sum));
            // The input of a decoder's MLP keeps its name until the sum is made.
            held = (self.projections.len() > 1).then(|| normed.clone());
            t.scoped("mlp", None, || {
                let both = self.wi.forward(t, &normed);
                let inner = both.dim(2) / 2;
                let [input, gate] = t.split(&both, [inner; 2], -1);
                drop(both);
                let product = {
                    let bent = activated(t, self.activation, input.clone());
                    t.mul(&bent, &gate)
                };
                let product = dropped(t, product, self.mlp_dropout);
                self.down.forward(t, &product)
            })
        };
        let out = t.add(&sum, &changed);
        drop((changed, attended, weights, held));
        out
    }
}

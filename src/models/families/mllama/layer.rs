//! Layers of Llama 3.2 Vision's decoder, some of which attend to images
//! (`models/mllama/modeling_mllama.py` of transformers 5.23).

use crate::families::network::Net;
use crate::model::{DecoderConfig, ImageConfig, NormKind, ResolvedSpec};
use crate::nn::attention::{AttentionOptions, attend_with_weights, in_heads, joined};
use crate::nn::build::{Builder, Facts, Linear, Norm};
use crate::nn::decoder::{Causal, Crossing, DecoderLayer, Layer, Shared, WeighingBlock};
use crate::nn::mlp::GatedMlp;
use crate::tape::{Tape, Tensor};

/// `MllamaSelfAttentionDecoderLayer` or `MllamaCrossAttentionDecoderLayer`.
pub(crate) enum MllamaLayer {
    /// A layer of Llama's.
    Own(Box<DecoderLayer>),
    /// One that attends to images.
    Cross(Box<CrossLayer>),
}

/// `MllamaCrossAttentionDecoderLayer`.
pub(crate) struct CrossLayer {
    /// Queries, keys, values and the result.
    attention: [Linear; 4],
    /// Norms of queries and of keys.
    head_norms: [Norm; 2],
    norms: [Norm; 2],
    mlp: GatedMlp,
    gates: [Tensor; 2],
    head_dim: u64,
    options: AttentionOptions,
}

impl CrossLayer {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let hidden = c.hidden_size;
        let head_dim = hidden / c.num_attention_heads;
        let narrow = c.num_key_value_heads * head_dim;
        let norm = |name| Norm::new(&b.at(name), NormKind::Root, hidden);
        let attention = || {
            let at = b.at("cross_attn");
            let linear = |name, inputs, outputs| Linear::new(&at.at(name), inputs, outputs, false);
            let attention = [
                linear("q_proj", hidden, hidden),
                linear("k_proj", hidden, narrow),
                linear("v_proj", hidden, narrow),
                linear("o_proj", hidden, hidden),
            ];
            let norms =
                ["q_norm", "k_norm"].map(|name| Norm::new(&at.at(name), NormKind::Root, head_dim));
            (attention, norms, norm("input_layernorm"))
        };
        let (first, (second, (attention, head_norms, before, mlp, after))) =
            b.parameter_after("cross_attn_attn_gate", [1], || {
                b.parameter_after("cross_attn_mlp_gate", [1], || {
                    let (attention, head_norms, before) = attention();
                    let mlp = GatedMlp::new(&b.at("mlp"), hidden, c.intermediate_size, Tape::silu);
                    (
                        attention,
                        head_norms,
                        before,
                        mlp,
                        norm("post_attention_layernorm"),
                    )
                })
            });
        Self {
            attention,
            head_norms,
            norms: [before, after],
            mlp,
            gates: [first, second],
            head_dim,
            options,
        }
    }

    /// `[B, S, H]` to the same, with eager attention's weights, which the layer holds.
    fn attend(&self, t: &Tape, x: &Tensor, seen: &Crossing) -> (Tensor, Option<Tensor>) {
        let [query, key, value, output] = &self.attention;
        let [of_queries, of_keys] = &self.head_norms;
        let b = x.dim(0);
        let q = {
            let projected = in_heads(t, &query.forward(t, x), self.head_dim);
            of_queries.forward(t, &projected)
        };
        let heads = |y: Tensor| {
            let columns = y.dim(-1);
            let rows = t.view(&y, [b, y.numel() / (b * columns), columns]);
            in_heads(t, &rows, self.head_dim)
        };
        let (k, v) = t.crossed(|| {
            // Once kept they are not asked for again.
            let states = seen.states.as_ref().unwrap_or(x);
            let k = key.forward(t, states);
            let v = value.forward(t, states);
            let (k, v) = (heads(k), heads(v));
            (of_keys.forward(t, &k), v)
        });
        let (out, weights) = attend_with_weights(t, self.options, &q, &k, &v, Some(&seen.mask));
        let merged = joined(t, out);
        (output.forward(t, &merged), weights)
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, seen: &Crossing) -> Tensor {
        let [before, after] = &self.norms;
        let gated = |x: &Tensor, part: usize| t.mul(&t.tanh(&self.gates[part]), x);
        let normed = t.scoped("input_layernorm", None, || before.forward(t, hidden));
        let (attended, weights) = t.scoped("cross_attn", None, || self.attend(t, &normed, seen));
        drop(normed);
        let sum = {
            let scaled = gated(&attended, 0);
            t.add(hidden, &scaled)
        };
        drop(attended);
        let normed = t.scoped("post_attention_layernorm", None, || after.forward(t, &sum));
        let out = t.scoped("mlp", None, || self.mlp.forward(t, &normed));
        drop(normed);
        let shown = t.mul(&t.select(&seen.rows, 1), &out);
        drop(out);
        let result = {
            let scaled = gated(&shown, 1);
            t.add(&sum, &scaled)
        };
        drop((shown, sum, weights));
        result
    }
}

impl Layer for MllamaLayer {
    fn new(b: &Builder, c: &DecoderConfig, options: AttentionOptions) -> Self {
        let crosses = |layer: u64| match c.images.as_deref() {
            Some(ImageConfig::Crossed(images)) => images.crossing.contains(&layer),
            _ => false,
        };
        if crosses(b.index() as u64) {
            Self::Cross(Box::new(CrossLayer::new(b, c, options)))
        } else {
            Self::Own(Box::new(DecoderLayer::new(b, c, options)))
        }
    }

    fn is_skipped(&self, shared: &Shared) -> bool {
        matches!(self, Self::Cross(_)) && shared.crossing.is_none()
    }
}

impl WeighingBlock for MllamaLayer {
    type Shared = Shared;

    fn outliving(shared: &Shared, facts: Facts) -> Shared {
        shared.outliving(facts)
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, shared: &Shared) -> (Tensor, Option<Tensor>) {
        match (self, &shared.crossing) {
            (Self::Own(layer), _) => layer.forward(t, hidden, shared),
            (Self::Cross(layer), Some(seen)) => (layer.forward(t, hidden, seen), None),
            (Self::Cross(_), None) => (hidden.clone(), None),
        }
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Causal::<MllamaLayer>::new(b, spec.config(), spec, facts))
}

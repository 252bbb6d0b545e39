//! XGLM (`models/xglm/modeling_xglm.py` of transformers 5.23): attention is written out, samples and heads
//! being one dimension, and positions are sines.

use super::network::weights_not_below;
use crate::families::network::{CausalLm, Net};
use crate::model::{Activation, DecoderConfig, ResolvedSpec};
use crate::nn::attention::{dropped, in_heads};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::{Block, Shell};
use crate::nn::heads::classifier;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `XGLMForCausalLM`.
pub(crate) struct Xglm {
    embed_tokens: Embedding,
    /// `[positions, H]`, a buffer.
    embed_positions: Tensor,
    layers: Vec<Rc<XglmLayer>>,
    layer_norm: LayerNorm,
    lm_head: Linear,
    dropout: bool,
    shell: Shell,
}

/// `XGLMDecoderLayer`.
struct XglmLayer {
    k_proj: Linear,
    v_proj: Linear,
    q_proj: Linear,
    out_proj: Linear,
    self_attn_layer_norm: LayerNorm,
    fc1: Linear,
    fc2: Linear,
    final_layer_norm: LayerNorm,
    head_dim: u64,
    activation: Activation,
    attention_dropout: bool,
    dropout: bool,
}

impl Xglm {
    pub(crate) fn new(b: &Builder, c: &DecoderConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let hidden = c.hidden_size;
        let model = b.at("model");
        let embed_tokens = Embedding::of_input(&model.at("embed_tokens"), c.vocab_size, hidden);
        let rows = Shape::from([c.position_rows, hidden]);
        let positions = model.at("embed_positions");
        let layers = || {
            let layers = model.layers("layers", c.num_hidden_layers, |b| {
                Rc::new(XglmLayer::new(b, c))
            });
            (layers, LayerNorm::new(&model.at("layer_norm"), hidden))
        };
        let embed_positions = positions.buffer("weights", rows, b.loaded_dtype());
        let (layers, layer_norm) = layers();
        let lm_head = classifier::head(b, c, spec, &embed_tokens.weight);
        Self {
            embed_tokens: embed_tokens.scaled(),
            embed_positions,
            layers,
            layer_norm,
            lm_head,
            dropout: c.dropout.embedding,
            shell: Shell::new(b, spec, facts),
        }
    }

    fn decode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let embedded = t.scoped("embed_tokens", None, || {
            self.embed_tokens.forward(t, input_ids)
        });
        let shell = &self.shell;
        let mask = shell.causal_mask(t, input_ids, None, shell.facts.mask_style());
        let tokens = input_ids.dim(1);
        let positions = shell
            .given_positions()
            .unwrap_or_else(|| t.empty("arange", Shape::from([tokens]), DType::Int64));
        let places = t.scoped("embed_positions", None, || {
            let rows = t.add_scalar(&positions);
            let shape = Shape::from([rows.numel(), self.embed_positions.dim(1)]);
            let places = t.empty("index_select", shape, self.embed_positions.dtype());
            t.view(&places, [rows.numel() / tokens, tokens, places.dim(1)])
        });
        let sum = t.add(&embedded, &places);
        drop(places);
        let hidden = dropped(t, sum, self.dropout);
        let hidden = t.through_layers("layers", &self.layers, hidden, |_, layer, hidden| {
            shell.run(t, layer, hidden, &mask)
        });
        let out = t.scoped("layer_norm", None, || self.layer_norm.forward(t, &hidden));
        drop((hidden, positions, mask, embedded));
        out
    }
}

impl CausalLm for Xglm {
    /// Token ids `[B, S]` to logits `[B, S, V]` and, from labels `[B, S]`, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let hidden = t.scoped("model", None, || self.decode(t, input_ids));
        let given = (input_ids, labels);
        self.shell.language_model(t, hidden, &self.lm_head, given)
    }
}

impl XglmLayer {
    fn new(b: &Builder, c: &DecoderConfig) -> Self {
        let (hidden, inner) = (c.hidden_size, c.intermediate_size);
        let attention = b.at("self_attn");
        let linear = |name| Linear::new(&attention.at(name), hidden, hidden, true);
        Self {
            k_proj: linear("k_proj"),
            v_proj: linear("v_proj"),
            q_proj: linear("q_proj"),
            out_proj: linear("out_proj"),
            self_attn_layer_norm: LayerNorm::new(&b.at("self_attn_layer_norm"), hidden),
            fc1: Linear::new(&b.at("fc1"), hidden, inner, true),
            fc2: Linear::new(&b.at("fc2"), inner, hidden, true),
            final_layer_norm: LayerNorm::new(&b.at("final_layer_norm"), hidden),
            head_dim: c.head_dim,
            activation: c.activation,
            attention_dropout: c.dropout.attention,
            dropout: c.dropout.residual,
        }
    }

    /// `XGLMAttention`: `[B, S, H]` to the same, with the weights, which the layer holds.
    fn attend(&self, t: &Tape, x: &Tensor, mask: Option<&Tensor>) -> (Tensor, Tensor) {
        let (b, s, hidden) = (x.dim(0), x.dim(1), x.dim(2));
        let heads = hidden / self.head_dim;
        let q = {
            let q = self.q_proj.forward(t, x);
            t.mul_scalar(&q)
        };
        let (k, v) = (self.k_proj.forward(t, x), self.v_proj.forward(t, x));
        let parted = |y: Tensor| in_heads(t, &y, self.head_dim);
        let (k, v) = t.cached(parted(k), parted(v));
        let flat = |y: Tensor| t.reshape(&y, [b * heads, y.dim(2), self.head_dim]);
        let (q, k, v) = (flat(parted(q)), flat(k), flat(v));
        let weights = weights_not_below(t, [&q, &k], heads, mask);
        let kept = dropped(t, weights.clone(), self.attention_dropout);
        let out = {
            let product = t.batched(&kept, &v);
            let parted = t.view(&product, [b, heads, s, self.head_dim]);
            t.reshape(&t.transpose(&parted, 1, 2), [b, s, hidden])
        };
        let out = self.out_proj.forward(t, &out);
        drop((q, k, v, kept));
        (out, weights)
    }
}

impl Block for XglmLayer {
    type Shared = Option<Tensor>;

    /// Layers take the mask by position.
    fn outliving(_mask: &Option<Tensor>, _facts: Facts) -> Option<Tensor> {
        None
    }

    fn forward(&self, t: &Tape, hidden: &Tensor, mask: &Option<Tensor>) -> Tensor {
        let (attended, weights) = {
            let normed = t.scoped("self_attn_layer_norm", None, || {
                self.self_attn_layer_norm.forward(t, hidden)
            });
            t.scoped("self_attn", None, || self.attend(t, &normed, mask.as_ref()))
        };
        let attended = dropped(t, attended, self.dropout);
        let sum = t.add(hidden, &attended);
        drop(attended);
        let normed = t.scoped("final_layer_norm", None, || {
            self.final_layer_norm.forward(t, &sum)
        });
        let wide = t.scoped("fc1", None, || self.fc1.forward(t, &normed));
        drop(normed);
        let active = activated(t, self.activation, wide);
        let out = t.scoped("fc2", None, || self.fc2.forward(t, &active));
        drop(active);
        let out = dropped(t, out, self.dropout);
        let result = t.add(&sum, &out);
        drop((out, sum, weights));
        result
    }
}

/// Builds the model.
pub(crate) fn build_xglm(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::decoder(Xglm::new(b, spec.config(), spec, facts))
}

//! ESM, which reads proteins (`models/esm/modeling_esm.py` of transformers 5.23), predicting masked tokens
//! or classes.

use super::layer::ResidualNorm;
use super::network::{of_class, position_ids};
use crate::ask::{Attention, Task};
use crate::families::network::{Encoder, Net};
use crate::model::{Activation, BertConfig, Esm, ResolvedSpec};
use crate::nn::attention::{AttentionOptions, Rotary, attend_as_bert, in_heads, rotary};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::{Block, Shell};
use crate::nn::heads::{Head, Transform};
use crate::nn::masks::BatchShape;
use crate::nn::masks::mask;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `EsmForMaskedLM` and its like.
pub(crate) struct EsmModel {
    words: Embedding,
    norm: Option<LayerNorm>,
    /// The embedding of positions, if they are added to the embeddings of words.
    positions: Option<Embedding>,
    _position_ids: Tensor,
    rotary: Option<Rotary>,
    layers: Vec<Rc<EsmLayer>>,
    last_norm: LayerNorm,
    /// Parameters that nothing here computes with.
    _contacts: Linear,
    head: Head,
    token_dropout: bool,
    attention: Attention,
    shell: Shell,
}

impl EsmModel {
    pub(crate) fn new(
        b: &Builder,
        c: &BertConfig,
        esm: Esm,
        spec: &ResolvedSpec,
        facts: Facts,
    ) -> Self {
        let options = AttentionOptions::of_encoder(c.dropout.attention, spec, facts);
        let (hidden, rows) = (c.hidden_size, c.max_position_embeddings);
        let base = b.at("esm");
        let at = base.at("embeddings");
        let words = Embedding::of_input(&at.at("word_embeddings"), c.vocab_size, hidden);
        let norm = esm
            .normed
            .then(|| LayerNorm::new(&at.at("layer_norm"), hidden));
        let position_ids = at.buffer("position_ids", [1, rows], DType::Int64);
        let table = || Embedding::new(&at.at("position_embeddings"), rows, hidden);
        let positions = (!esm.rotary).then(table);
        let rotary = || Rotary::alone(&base.at("rotary_embeddings"), c.head_dim, facts);
        let rotary = esm.rotary.then(rotary);
        let encoder = base.at("encoder");
        let layers = encoder.items("layer", c.num_hidden_layers, |b| {
            Rc::new(EsmLayer::new(b, c, options))
        });
        let last_norm = LayerNorm::new(&encoder.at("emb_layer_norm_after"), hidden);
        let weights = c.num_hidden_layers * c.num_attention_heads;
        let contacts = base.at("contact_head").at("regression");
        let contacts = Linear::new(&contacts, weights, 1, true);
        let head = match spec.task {
            Task::SequenceClassification => of_class(b, c),
            Task::TokenClassification => {
                Head::of_each(b, spec.task, [hidden, c.num_labels], c.classifier_dropout)
            }
            _ => of_tokens(b, c, esm, &words.weight),
        };
        Self {
            words,
            norm,
            positions,
            _position_ids: position_ids,
            rotary,
            layers,
            last_norm,
            _contacts: contacts,
            head,
            token_dropout: esm.token_dropout,
            attention: spec.attention,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// `EsmModel`: `[B, S, H]`.
    fn encode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let size = BatchShape::of(input_ids);
        let padding = self.shell.call().mask();
        let embedded = t.scoped("esm.embeddings", None, || {
            self.embed(t, input_ids, padding.as_ref())
        });
        let dtype = embedded.dtype();
        let mask = self
            .shell
            .padding_mask
            .then(|| mask::of_encoder(t, size, self.attention, dtype));
        let rotate = self.rotary.as_ref().map(|rotary| {
            let positions = t.empty("arange", Shape::from([size.s]), DType::Int64);
            let rotate = rotary.forward(t, &positions, dtype);
            (rotate, positions)
        });
        let positions = rotate.as_ref().map(|(_, positions)| positions.clone());
        let given = Given {
            mask,
            rotate: rotate.map(|(rotate, _)| rotate),
        };
        let mut hidden = embedded.clone();
        for (i, layer) in (0..).zip(&self.layers) {
            hidden = t.scoped("esm.encoder.layer", Some(i), || {
                self.shell.run(t, layer, &hidden, &given)
            });
        }
        let out = self.last_norm.forward(t, &hidden);
        drop((hidden, given, positions, embedded));
        out
    }

    /// `EsmEmbeddings`, which look at the padding mask `[B, S]`.
    fn embed(&self, t: &Tape, input_ids: &Tensor, padding: Option<&Tensor>) -> Tensor {
        let size = BatchShape::of(input_ids);
        let ids = position_ids(t, size, false);
        let words = self.words.forward(t, input_ids);
        let mut x = words.clone();
        let mut held = None;
        if self.token_dropout {
            let scaled;
            (scaled, held) = without_masked(t, x, padding);
            x = scaled;
        }
        if let Some(table) = &self.positions {
            let positions = table.forward(t, &ids);
            x = t.add(&x, &positions);
            held = held.or(Some(positions));
        }
        if let Some(norm) = &self.norm {
            x = norm.forward(t, &x);
        }
        if let Some(padding) = padding {
            x = t.mul(&x, &t.unsqueeze(padding, 2));
        }
        drop((words, ids, held));
        x
    }
}

impl Encoder for EsmModel {
    /// Token ids `[B, S]` to logits `[B, S, V]` or `[B, classes]` and, from labels, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let hidden = self.encode(t, input_ids);
        self.head
            .forward(t, self.shell.facts, (&hidden, None), labels)
    }
}

/// Embeddings `[B, S, H]`, zero for masked tokens and otherwise scaled by the share of masked tokens, which the caller
/// holds.
fn without_masked(t: &Tape, x: Tensor, padding: Option<&Tensor>) -> (Tensor, Option<Tensor>) {
    let (b, s, dtype) = (x.dim(0), x.dim(1), x.dtype());
    let masked = || t.empty("eq", Shape::from([b, s]), DType::Bool);
    let numbers = |op, dtype| t.empty(op, Shape::from([b]), dtype);
    let filled = t.masked_fill(&x, &t.unsqueeze(&masked(), 2));
    drop(x);
    let lengths = padding.map(|padding| t.reduce("sum", padding, Shape::from([b]), DType::Int64));
    let share = {
        let count = {
            let masked = masked();
            let count = numbers("sum", DType::Int64);
            drop(t.empty("sum", *masked.shape(), DType::Int64));
            count
        };
        let count = t.to(&count, DType::Float32);
        drop(numbers("div", DType::Float32));
        count
    };
    let scaled = t.mul_scalar(&filled);
    drop(filled);
    let rest = numbers("rsub", DType::Float32);
    let out = t.div_by(&scaled, &t.view(&rest, [b, 1, 1]));
    drop((scaled, rest));
    let out = t.to(&out, dtype);
    drop(lengths);
    (out, Some(share))
}

/// `EsmLMHead`.
fn of_tokens(b: &Builder, c: &BertConfig, esm: Esm, words: &Tensor) -> Head {
    let at = b.at("lm_head");
    let hidden = c.hidden_size;
    let bias = at.parameter("bias", [c.vocab_size]);
    let transform = Transform {
        dense: Linear::new(&at.at("dense"), hidden, hidden, true),
        activation: Activation::GeluErf,
        norm: Some(LayerNorm::new(&at.at("layer_norm"), hidden)),
    };
    let tied = esm.tied.then_some(words);
    let decoder = Linear::of_output(&at.at("decoder"), hidden, c.vocab_size, tied);
    Head {
        bias: Some(bias),
        ..Head::of_tokens("lm_head", transform, decoder)
    }
}

/// `EsmLayer`.
struct EsmLayer {
    query: Linear,
    key: Linear,
    value: Linear,
    attention_output: ResidualNorm,
    attention_norm: LayerNorm,
    intermediate: Linear,
    output: ResidualNorm,
    norm: LayerNorm,
    head_dim: u64,
    activation: Activation,
    options: AttentionOptions,
}

impl EsmLayer {
    fn new(b: &Builder, c: &BertConfig, options: AttentionOptions) -> Self {
        let (hidden, inner, dropout) = (c.hidden_size, c.intermediate_size, c.dropout.residual);
        let attention = b.at("attention");
        let own = attention.at("self");
        let linear = |name| Linear::new(&own.at(name), hidden, hidden, true);
        let (query, key, value) = (linear("query"), linear("key"), linear("value"));
        let attention_output = ResidualNorm::plain(&attention.at("output"), hidden, c, dropout);
        let attention_norm = LayerNorm::new(&attention.at("LayerNorm"), hidden);
        let dense = b.at("intermediate").at("dense");
        Self {
            query,
            key,
            value,
            attention_output,
            attention_norm,
            intermediate: Linear::new(&dense, hidden, inner, true),
            output: ResidualNorm::plain(&b.at("output"), inner, c, dropout),
            norm: LayerNorm::new(&b.at("LayerNorm"), hidden),
            head_dim: c.head_dim,
            activation: c.activation,
            options,
        }
    }

    /// `EsmSelfAttention`: `[B, S, H]` to the same, with the weights of eager attention.
    fn attend(&self, t: &Tape, x: &Tensor, given: &Given) -> (Tensor, Option<Tensor>) {
        let heads = |projection: &Linear| in_heads(t, &projection.forward(t, x), self.head_dim);
        let q = heads(&self.query);
        let (mut k, v) = (heads(&self.key), heads(&self.value));
        let mut q = t.mul_scalar(&q);
        if let Some((cos, sin)) = &given.rotate {
            [q, k] = rotary::apply_in_float32(t, [&q, &k], cos, sin);
        }
        let mask = given.mask.as_ref();
        let (out, weights) = attend_as_bert(t, self.options, [&q, &k, &v], mask, false);
        (t.view(&out, *x.shape()), weights)
    }
}

/// Inputs of every layer.
#[derive(Clone)]
struct Given {
    mask: Option<Tensor>,
    /// Cosines and sines `[1, S, D]`.
    rotate: Option<(Tensor, Tensor)>,
}

impl Block for EsmLayer {
    type Shared = Given;

    fn outliving(given: &Given, _facts: Facts) -> Given {
        given.clone()
    }

    fn forward(&self, t: &Tape, x: &Tensor, given: &Given) -> Tensor {
        let attended = t.scoped("attention", None, || {
            let normed = self.attention_norm.forward(t, x);
            let (out, weights) = self.attend(t, &normed, given);
            let out = self.attention_output.forward(t, &out, x);
            drop((normed, weights));
            out
        });
        let normed = self.norm.forward(t, &attended);
        let wide = t.scoped("intermediate", None, || {
            let wide = self.intermediate.forward(t, &normed);
            activated(t, self.activation, wide)
        });
        let out = t.scoped("output", None, || self.output.forward(t, &wide, &attended));
        drop((wide, normed, attended));
        out
    }
}

/// Builds the model.
pub(crate) fn build_esm(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    let config: &BertConfig = spec.config();
    let esm = config.esm.expect("a config of ESM");
    Net::encoder(EsmModel::new(b, config, esm, spec, facts))
}

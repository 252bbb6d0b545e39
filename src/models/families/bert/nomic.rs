//! `NomicBERT` (`models/nomic_bert/modeling_nomic_bert.py` of transformers 5.23): BERT with rotary positions
//! and gated feed-forward layers.

use super::network::{answered, head, pooler};
use crate::ask::Attention;
use crate::families::network::{Encoder, Net};
use crate::model::{BertConfig, ResolvedSpec};
use crate::nn::attention::{AttentionOptions, Rotary, attend_as_bert, dropped, joined, rotary};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::{Block, Shell};
use crate::nn::heads::{Head, Transform};
use crate::nn::masks::BatchShape;
use crate::nn::masks::mask;
use crate::nn::mlp::GatedMlp;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// The model with a head.
pub(crate) struct NomicBert {
    words: Embedding,
    segments: Embedding,
    norm: LayerNorm,
    /// Positions and segments `[1, P]`, which nobody reads.
    _ids: [Tensor; 2],
    dropout: bool,
    pooler: Option<Transform>,
    rotary: Rotary,
    layers: Vec<Rc<NomicLayer>>,
    head: Head,
    attention: Attention,
    shell: Shell,
}

impl NomicBert {
    pub(crate) fn new(b: &Builder, c: &BertConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions::of_encoder(c.dropout.attention, spec, facts);
        let base = b.at(c.family.base_model);
        let at = base.at("embeddings");
        let words = Embedding::of_input(&at.at("word_embeddings"), c.vocab_size, c.hidden_size);
        let types = at.at("token_type_embeddings");
        let segments = Embedding::new(&types, c.type_vocab_size, c.hidden_size);
        let norm = LayerNorm::new(&at.at("LayerNorm"), c.hidden_size);
        let ids = ["position_ids", "token_type_ids"]
            .map(|name| at.buffer(name, [1, c.max_position_embeddings], DType::Int64));
        let pooler = pooler(&base, c, spec.task);
        let rotary = Rotary::new(&base.at("rotary_emb"), c.head_dim, facts);
        let layers = base.items("layers", c.num_hidden_layers, |b| {
            Rc::new(NomicLayer::new(b, c, options))
        });
        let head = head(b, c, spec.task, &words.weight);
        Self {
            words,
            segments,
            norm,
            _ids: ids,
            dropout: c.dropout.embedding,
            pooler,
            rotary,
            layers,
            head,
            attention: spec.attention,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// `NomicBertModel`: `[B, S, H]`.
    fn encode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let size = BatchShape::of(input_ids);
        let positions = t.empty("arange", Shape::from([size.s]), DType::Int64);
        let embedded = t.scoped("embeddings", None, || self.embed(t, input_ids));
        let dtype = embedded.dtype();
        let padded = self.shell.padding_mask;
        let mask = padded.then(|| mask::of_encoder(t, size, self.attention, dtype));
        let (cos, sin) = self.rotary.forward(t, &positions, dtype);
        let given = Given {
            mask,
            cos,
            sin,
            _positions: positions,
        };
        let mut hidden = embedded.clone();
        for (i, layer) in (0..).zip(&self.layers) {
            hidden = t.scoped("layers", Some(i), || {
                self.shell.run(t, layer, &hidden, &given)
            });
        }
        drop((given, embedded));
        hidden
    }

    /// `NomicBertEmbeddings`.
    fn embed(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let words = self.words.forward(t, input_ids);
        let ids = t.empty("zeros", *input_ids.shape(), DType::Int64);
        let segments = self.segments.forward(t, &ids);
        let sum = t.add(&words, &segments);
        drop(words);
        let normed = self.norm.forward(t, &sum);
        drop(sum);
        let out = dropped(t, normed, self.dropout);
        drop((segments, ids));
        out
    }
}

impl Encoder for NomicBert {
    /// Token ids `[B, S]` to logits `[B, S, V]`, `[B, S, classes]` or `[B, classes]` and, from labels, the
    /// loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let facts = self.shell.facts;
        let hidden = t.scoped("nomic_bert", None, || self.encode(t, input_ids));
        let reads = (self.pooler.as_ref(), &self.head);
        answered(t, facts, reads, &hidden, labels)
    }
}

/// Inputs of every layer.
#[derive(Clone)]
struct Given {
    mask: Option<Tensor>,
    cos: Tensor,
    sin: Tensor,
    _positions: Tensor,
}

/// `NomicBertLayer`.
struct NomicLayer {
    attention_norm: LayerNorm,
    mlp: GatedMlp,
    q_proj: Linear,
    k_proj: Linear,
    v_proj: Linear,
    o_proj: Linear,
    mlp_norm: LayerNorm,
    head_dim: u64,
    dropout: bool,
    options: AttentionOptions,
}

impl NomicLayer {
    fn new(b: &Builder, c: &BertConfig, options: AttentionOptions) -> Self {
        let hidden = c.hidden_size;
        let inner = c.num_attention_heads * c.head_dim;
        let norm = |name| LayerNorm::new(&b.at(name), hidden);
        let attention_norm = norm("post_attention_layernorm");
        let mlp = GatedMlp::new(&b.at("mlp"), hidden, c.intermediate_size, Tape::silu);
        let at = b.at("self_attn");
        let linear = |name, inputs, outputs| Linear::new(&at.at(name), inputs, outputs, false);
        Self {
            attention_norm,
            mlp,
            q_proj: linear("q_proj", hidden, inner),
            k_proj: linear("k_proj", hidden, inner),
            v_proj: linear("v_proj", hidden, inner),
            o_proj: linear("o_proj", inner, hidden),
            mlp_norm: norm("post_mlp_layernorm"),
            head_dim: c.head_dim,
            dropout: c.dropout.residual,
            options,
        }
    }

    /// `NomicBertAttention`: `[B, S, H]` to the same, with the weights of eager attention.
    fn attend(&self, t: &Tape, x: &Tensor, given: &Given) -> (Tensor, Option<Tensor>) {
        let projections = [&self.q_proj, &self.k_proj, &self.v_proj];
        let angles = [&given.cos, &given.sin];
        let [q, k, v] = rotary::rotated_heads(t, x, projections, self.head_dim, angles);
        let mask = given.mask.as_ref();
        let (out, weights) = attend_as_bert(t, self.options, [&q, &k, &v], mask, false);
        let out = joined(t, out);
        let projected = self.o_proj.forward(t, &out);
        drop((out, q, k, v));
        (projected, weights)
    }
}

impl Block for NomicLayer {
    type Shared = Given;

    fn outliving(given: &Given, _facts: Facts) -> Given {
        given.clone()
    }

    fn forward(&self, t: &Tape, x: &Tensor, given: &Given) -> Tensor {
        let (attended, weights) = t.scoped("self_attn", None, || self.attend(t, x, given));
        let sum = {
            let added = dropped(t, attended.clone(), self.dropout);
            t.add(x, &added)
        };
        let residual = self.attention_norm.forward(t, &sum);
        drop(sum);
        let sum = {
            let changed = t.scoped("mlp", None, || self.mlp.forward(t, &residual));
            let added = dropped(t, changed.clone(), self.dropout);
            t.add(&residual, &added)
        };
        let out = self.mlp_norm.forward(t, &sum);
        drop((sum, residual, attended, weights));
        out
    }
}

/// Builds the model.
pub(crate) fn build_nomic(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::encoder(NomicBert::new(b, spec.config(), spec, facts))
}

//! `MPNet` (`models/mpnet/modeling_mpnet.py` of transformers 5.23), predicting masked tokens or classes.

use super::layer::ResidualNorm;
use super::network::{of_class, of_tokens, position_ids};
use crate::ask::{Attention, Task};
use crate::families::network::{Encoder, Net};
use crate::model::{Activation, BertConfig, ResolvedSpec};
use crate::nn::attention::{AttentionOptions, dropped, in_heads};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::{Block, Shell};
use crate::nn::heads::Head;
use crate::nn::masks::BatchShape;
use crate::nn::masks::mask;
use crate::nn::mlp::activated;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `MPNetForMaskedLM` or `MPNetForSequenceClassification`.
pub(crate) struct Mpnet {
    words: Embedding,
    positions: Embedding,
    layer_norm: LayerNorm,
    _position_ids: Tensor,
    layers: Vec<Rc<MpnetLayer>>,
    /// A bias of each head for each bucket of distances.
    biases: Embedding,
    head: Head,
    dropout: bool,
    shell: Shell,
}

impl Mpnet {
    pub(crate) fn new(b: &Builder, c: &BertConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions {
            dropout: c.dropout.attention,
            ..AttentionOptions::of(spec, facts)
        };
        let (hidden, rows) = (c.hidden_size, c.max_position_embeddings);
        let base = b.at("mpnet");
        let at = base.at("embeddings");
        let words = Embedding::of_input(&at.at("word_embeddings"), c.vocab_size, hidden);
        let positions = Embedding::new(&at.at("position_embeddings"), rows, hidden);
        let layer_norm = LayerNorm::new(&at.at("LayerNorm"), hidden);
        let position_ids = at.buffer("position_ids", [1, rows], DType::Int64);
        let encoder = base.at("encoder");
        let layers = encoder.items("layer", c.num_hidden_layers, |b| {
            Rc::new(MpnetLayer::new(b, c, options))
        });
        let table = encoder.at("relative_attention_bias");
        let biases = Embedding::new(&table, c.buckets, c.num_attention_heads);
        let classes = [hidden, c.num_labels];
        let head = match spec.task {
            Task::SequenceClassification => of_class(b, c),
            Task::TokenClassification => Head::of_each(b, spec.task, classes, c.dropout.residual),
            Task::QuestionAnswering => Head::of_each(b, spec.task, classes, false),
            _ => of_tokens(b, c, &words.weight),
        };
        Self {
            words,
            positions,
            layer_norm,
            _position_ids: position_ids,
            layers,
            biases,
            head,
            dropout: c.dropout.embedding,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// `MPNetModel`: `[B, S, H]`.
    fn encode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let size = BatchShape::of(input_ids);
        let embedded = t.scoped("mpnet.embeddings", None, || {
            let ids = position_ids(t, size, false);
            let words = self.words.forward(t, input_ids);
            let positions = self.positions.forward(t, &ids);
            let sum = t.add(&words, &positions);
            let normed = self.layer_norm.forward(t, &sum);
            drop(sum);
            let out = dropped(t, normed, self.dropout);
            drop((ids, words, positions));
            out
        });
        let mask = self
            .shell
            .padding_mask
            .then(|| mask::of_encoder(t, size, Attention::Eager, self.shell.dtype()));
        let bias = t.scoped("mpnet.encoder", None, || self.bias(t, size));
        let given = (mask, bias);
        let mut hidden = embedded.clone();
        for (i, layer) in (0..).zip(&self.layers) {
            hidden = t.scoped("mpnet.encoder.layer", Some(i), || {
                self.shell.run(t, layer, &hidden, &given)
            });
        }
        drop((given, embedded));
        hidden
    }

    /// `compute_position_bias`: `[B, A, S, S]`.
    fn bias(&self, t: &Tape, BatchShape { b, s }: BatchShape) -> Tensor {
        let (buckets, held) = buckets(t, s);
        let values = self.biases.forward(t, &buckets);
        let heads = values.dim(2);
        let values = t.unsqueeze(&t.permute(&values, &[2, 0, 1]), 0);
        let out = t.contiguous(&t.expand(&values, [b, heads, s, s]));
        drop((values, buckets, held));
        out
    }
}

impl Encoder for Mpnet {
    /// Token ids `[B, S]` to logits `[B, S, V]` or `[B, classes]` and, from labels, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let hidden = self.encode(t, input_ids);
        self.head
            .forward(t, self.shell.facts, (&hidden, None), labels)
    }
}

/// `relative_position_bucket` of all distances: indices `[S, S]`, and what the caller holds.
fn buckets(t: &Tape, s: u64) -> (Tensor, Vec<Tensor>) {
    let square = |op, dtype| t.empty(op, Shape::from([s, s]), dtype);
    let indices = |op| square(op, DType::Int64);
    let range = || t.empty("arange", Shape::from([s]), DType::Int64);
    let held = vec![range(), range(), indices("sub")];
    let negative = indices("neg");
    let sides = {
        let scaled = {
            let wide = {
                let _below = square("lt", DType::Bool);
                indices("_to_copy")
            };
            let scaled = indices("mul");
            drop(wide);
            scaled
        };
        let sides = t.add_scalar(&scaled);
        drop(scaled);
        sides
    };
    let distance = indices("abs");
    drop(negative);
    let small = square("lt", DType::Bool);
    let large = {
        let whole = {
            let mut float = square("_to_copy", DType::Float32);
            for op in ["div", "log", "div", "mul"] {
                float = square(op, DType::Float32);
            }
            let whole = indices("_to_copy");
            drop(float);
            whole
        };
        let shifted = t.add_scalar(&whole);
        drop(whole);
        let _most = indices("full_like");
        let least = indices("minimum");
        drop(shifted);
        least
    };
    drop(indices("where"));
    drop((large, small, distance));
    (sides, held)
}

/// `MPNetLayer`.
struct MpnetLayer {
    query: Linear,
    key: Linear,
    value: Linear,
    attention_output: ResidualNorm,
    intermediate: Linear,
    output: ResidualNorm,
    head_dim: u64,
    options: AttentionOptions,
    activation: Activation,
}

impl MpnetLayer {
    fn new(b: &Builder, c: &BertConfig, options: AttentionOptions) -> Self {
        let hidden = c.hidden_size;
        let attention = b.at("attention");
        let own = attention.at("attn");
        let linear = |name| Linear::new(&own.at(name), hidden, hidden, true);
        let (query, key, value) = (linear("q"), linear("k"), linear("v"));
        let attention_output = ResidualNorm::of(linear("o"), &attention.at("LayerNorm"), c);
        let dense = b.at("intermediate").at("dense");
        Self {
            query,
            key,
            value,
            attention_output,
            intermediate: Linear::new(&dense, hidden, c.intermediate_size, true),
            output: ResidualNorm::new(&b.at("output"), c.intermediate_size, c),
            head_dim: c.head_dim,
            options,
            activation: c.activation,
        }
    }

    /// `MPNetSelfAttention` up to its last layer: `[B, S, H]` to the same, and what it holds.
    fn attend(&self, t: &Tape, x: &Tensor, (mask, bias): &Given) -> (Tensor, Vec<Tensor>) {
        let made = |projection: &Linear| in_heads(t, &projection.forward(t, x), self.head_dim);
        let (q, k, v) = (made(&self.query), made(&self.key), made(&self.value));
        let mut scores = {
            let product = t.matmul(&q, &t.transpose(&k, 2, 3));
            t.div_scalar(&product)
        };
        scores = t.add_in_place(scores, bias);
        if let Some(mask) = mask {
            scores = t.add(&scores, mask);
        }
        let weights = dropped(t, t.softmax(&scores, None), self.options.dropout);
        let out = t.matmul(&weights, &v);
        let out = t.contiguous(&t.permute(&out, &[0, 2, 1, 3]));
        let out = t.view(&out, *x.shape());
        (out, vec![scores, weights, q, k, v])
    }
}

/// The mask, and the biases `[B, A, S, S]`.
type Given = (Option<Tensor>, Tensor);

impl Block for MpnetLayer {
    type Shared = Given;

    fn outliving(given: &Given, _facts: Facts) -> Given {
        given.clone()
    }

    fn forward(&self, t: &Tape, x: &Tensor, given: &Given) -> Tensor {
        let attended = t.scoped("attention", None, || {
            let (merged, held) = self.attend(t, x, given);
            let out = self.attention_output.dense.forward(t, &merged);
            drop((held, merged));
            self.attention_output.added_beside(t, &out, x)
        });
        let wide = t.scoped("intermediate", None, || {
            let wide = self.intermediate.forward(t, &attended);
            activated(t, self.activation, wide)
        });
        t.scoped("output", None, || self.output.forward(t, &wide, &attended))
    }
}

/// Builds the model.
pub(crate) fn build_mpnet(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::encoder(Mpnet::new(b, spec.config(), spec, facts))
}

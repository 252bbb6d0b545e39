//! `DeBERTa` (`models/deberta/modeling_deberta.py` of transformers 5.23), V2 and V3
//! (`models/deberta_v2/modeling_deberta_v2.py`), predicting masked
//! tokens or a class.

use super::layer::{DebertaLayer, Shared};
use crate::ask::Task;
use crate::families::network::{Encoder, Net};
use crate::model::{Activation, BertConfig, BertKind, Relative, ResolvedSpec};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::Shell;
use crate::nn::heads::{Head, HeadLoss, Reads, Transform};
use crate::nn::masks::mask;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `DebertaForMaskedLM`, `DebertaV2ForMaskedLM` or `DebertaV2ForSequenceClassification`.
pub(crate) struct Deberta {
    words: Embedding,
    /// Embeddings of positions, if they are added to words, and of segments, if there are any.
    tables: [Option<Embedding>; 2],
    layer_norm: LayerNorm,
    position_ids: Tensor,
    layers: Vec<Rc<DebertaLayer>>,
    /// A row for each distance of two tokens, and the norm over them.
    distances: (Embedding, Option<LayerNorm>),
    head: Head,
    dropout: bool,
    /// Whether it is of the first version.
    first: bool,
    shell: Shell,
}

/// Its head. Tokens come by the table `words` of the embedding (`LegacyDebertaV2OnlyMLMHead`).
fn head(b: &Builder, c: &BertConfig, relative: Relative, task: Task, words: &Tensor) -> Head {
    let (hidden, classes) = (c.hidden_size, c.num_labels);
    let transform = |dense: &Builder, norm| Transform {
        dense: Linear::new(dense, hidden, hidden, true),
        activation: Activation::Gelu,
        norm,
    };
    if task.head_of_each().is_some() {
        let dropout = task == Task::TokenClassification && c.dropout.residual;
        return Head::of_each(b, task, [hidden, classes], dropout);
    }
    if task == Task::SequenceClassification {
        // `ContextPooler` and a classifier.
        let pooler = transform(&b.at("pooler").at("dense"), None);
        let output = Linear::new(&b.at("classifier"), hidden, classes, true);
        return Head {
            reads: Reads::First,
            drops_first: relative.pooler_dropout,
            transform: Some(pooler),
            loss: HeadLoss::Labelled,
            ..Head::plain("classifier", output, c.classifier_dropout)
        };
    }
    let at = b.at("cls").at("predictions");
    let inner = at.at("transform");
    let dense = inner.at("dense");
    let mut transform = transform(&dense, None);
    transform.norm = Some(LayerNorm::new(&inner.at("LayerNorm"), hidden));
    let decoder = at.at("decoder");
    decoder.untied([c.vocab_size, hidden]);
    decoder.untied([c.vocab_size]);
    let bias = at.parameter("bias", [c.vocab_size]);
    Head::of_tokens(
        "cls.predictions",
        transform,
        Linear::sharing(&decoder, words, bias),
    )
}

impl Deberta {
    pub(crate) fn new(
        b: &Builder,
        c: &BertConfig,
        relative: Relative,
        spec: &ResolvedSpec,
        facts: Facts,
    ) -> Self {
        let options = AttentionOptions {
            dropout: c.dropout.attention,
            ..AttentionOptions::of(spec, facts)
        };
        let base = b.at("deberta");
        let at = base.at("embeddings");
        let words = Embedding::of_input(&at.at("word_embeddings"), c.vocab_size, c.hidden_size);
        let table = |needed: bool, name, rows| {
            needed.then(|| Embedding::new(&at.at(name), rows, c.hidden_size))
        };
        let rows = c.max_position_embeddings;
        let tables = [
            table(relative.position_biased, "position_embeddings", rows),
            table(
                c.type_vocab_size > 0,
                "token_type_embeddings",
                c.type_vocab_size,
            ),
        ];
        let first = c.kind == BertKind::DebertaV1;
        let layer_norm = LayerNorm::new(&at.at("LayerNorm"), c.hidden_size).written_out(first);
        let position_ids = at.buffer("position_ids", [1, rows], DType::Int64);
        let encoder = base.at("encoder");
        let layers = encoder.items("layer", c.num_hidden_layers, |b| {
            Rc::new(DebertaLayer::new(b, c, relative, options))
        });
        let distances = Embedding::new(&encoder.at("rel_embeddings"), relative.rows, c.hidden_size);
        let norm = || LayerNorm::new(&encoder.at("LayerNorm"), c.hidden_size);
        let distances = (distances, relative.normalized.then(norm));
        let head = head(b, c, relative, spec.task, &words.weight);
        Self {
            words,
            tables,
            layer_norm,
            position_ids,
            layers,
            distances,
            head,
            dropout: c.dropout.embedding,
            first,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// `DebertaV2Model`: `[B, S, H]`.
    fn encode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let (b, s) = (input_ids.dim(0), input_ids.dim(1));
        let padding = self.shell.padding_mask;
        if !padding {
            mask::looks_like_padding(t, b);
        }
        let of_mask = if padding {
            DType::Int64
        } else {
            DType::Float32
        };
        // The batch holds a mask that came with it.
        let ones = (!padding).then(|| t.empty("ones", Shape::from([b, s]), of_mask));
        let segments = t.empty("zeros", Shape::from([b, s]), DType::Int64);
        let embedded = t.scoped("embeddings", None, || {
            self.embed(t, input_ids, &segments, ones.as_ref())
        });
        let mask = t.empty("mul", Shape::from([b, 1, s, s]), of_mask);
        let distances = t.scoped("encoder", None, || {
            if self.first {
                plain_distances(t, s)
            } else {
                distances(t, s)
            }
        });
        let (table, norm) = &self.distances;
        let rows = match norm {
            Some(norm) => t.scoped("encoder.LayerNorm", None, || norm.forward(t, &table.weight)),
            None => table.weight.clone(),
        };
        let shared = Shared {
            mask,
            distances,
            rows,
        };
        // All hidden states are kept until the model returns.
        let mut states = vec![embedded];
        for (i, layer) in (0..).zip(&self.layers) {
            let hidden = t.scoped("encoder.layer", Some(i), || {
                let hidden = &states[states.len() - 1];
                self.shell.run(t, layer, hidden, &shared)
            });
            states.push(hidden);
        }
        drop(shared);
        let last = states.swap_remove(self.layers.len());
        drop((states, ones, segments));
        last
    }

    fn embed(
        &self,
        t: &Tape,
        input_ids: &Tensor,
        segments: &Tensor,
        ones: Option<&Tensor>,
    ) -> Tensor {
        let s = input_ids.dim(1);
        let words = self.words.forward(t, input_ids);
        let [positions, of_segments] = &self.tables;
        let positions = match positions {
            Some(table) => table.forward(t, &t.slice(&self.position_ids, 1, 0, s)),
            None => t.empty("zeros_like", *words.shape(), words.dtype()),
        };
        let mut sum = words.clone();
        if self.tables[0].is_some() {
            sum = t.add(&sum, &positions);
        }
        if let Some(table) = of_segments {
            let rows = table.forward(t, segments);
            sum = t.add(&sum, &rows);
        }
        sum = self.layer_norm.forward(t, &sum);
        let shape = Shape::from([words.dim(0), s, 1]);
        // A mask in another dtype is cast.
        let mask = match ones.filter(|ones| ones.dtype() == sum.dtype()) {
            Some(ones) => t.view(ones, shape),
            None => t.empty("_to_copy", shape, sum.dtype()),
        };
        sum = t.mul(&sum, &mask);
        let out = dropped(t, sum, self.dropout);
        drop((words, positions));
        out
    }
}

impl Encoder for Deberta {
    /// Token ids `[B, S]` to logits `[B, S, V]` or `[B, classes]` and, from labels, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let hidden = t.scoped("deberta", None, || self.encode(t, input_ids));
        self.head
            .forward(t, self.shell.facts, (&hidden, None), labels)
    }
}

/// `build_relative_position`: the distance of each two of S tokens, `[1, 1, S, S]`.
fn plain_distances(t: &Tape, s: u64) -> Tensor {
    let _ids = [(); 2].map(|()| t.empty("arange", Shape::from([s]), DType::Int64));
    let _repeated = t.empty("repeat", Shape::from([s, s]), DType::Int64);
    t.empty("sub", Shape::from([1, 1, s, s]), DType::Int64)
}

/// Distances in buckets of logarithmic width: of each two of S tokens,
/// `[1, 1, S, S]`.
fn distances(t: &Tape, s: u64) -> Tensor {
    let square = |op, dtype| t.empty(op, Shape::from([1, 1, s, s]), dtype);
    let whole = |op| square(op, DType::Int64);
    let real = |op| square(op, DType::Float32);
    let flags = |op| square(op, DType::Bool);
    let ids = [(); 2].map(|()| t.empty("arange", Shape::from([s]), DType::Int64));
    let distance = whole("sub");
    let sign = whole("sign");
    let absolute = {
        let near = {
            let _sides = [flags("lt"), flags("gt")];
            flags("bitwise_and")
        };
        let middle = t.empty("_to_copy", Shape::new(&[]), DType::Int64);
        let positive = whole("abs");
        let absolute = whole("where");
        drop((near, positive, middle));
        absolute
    };
    let mut logarithm = real("div");
    for op in ["log", "div", "mul", "ceil", "add"] {
        logarithm = real(op);
    }
    let buckets = {
        let near = flags("le");
        let parts = [real("_to_copy"), real("mul")];
        let buckets = real("where");
        drop((near, parts));
        buckets
    };
    drop((sign, absolute, logarithm, distance));
    let buckets = {
        let _real = buckets;
        whole("_to_copy")
    };
    drop(ids);
    buckets
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    let config: &BertConfig = spec.config();
    let relative = config.relative.expect("a config of DeBERTa");
    Net::encoder(Deberta::new(b, config, relative, spec, facts))
}

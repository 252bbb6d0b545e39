//! `LayoutLM` (`models/layoutlm/modeling_layoutlm.py` of transformers 5.23): BERT with embeddings of where
//! tokens stand on a page. Boxes that do not come with the batch are made of zeros.

use super::layer::BertLayer;
use super::network::{head, pooled, pooler};
use crate::ask::Task;
use crate::families::network::{Encoder, Net};
use crate::model::{BertConfig, ResolvedSpec};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Output};
use crate::nn::decoder::{Block, Shell};
use crate::nn::heads::{Head, HeadLoss, Transform};
use crate::nn::masks::BatchShape;
use crate::nn::masks::mask;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// The model with a head.
pub(crate) struct LayoutLm {
    words: Embedding,
    positions: Embedding,
    /// Embeddings of columns, rows, heights and widths on a page.
    places: [Embedding; 4],
    segments: Embedding,
    norm: LayerNorm,
    position_ids: Tensor,
    dropout: bool,
    layers: Vec<Rc<Layer>>,
    /// It runs for every task.
    pooler: Option<Transform>,
    head: Head,
    classifies: bool,
    dtype: DType,
    shell: Shell,
}

/// A layer, which is given the mask by its place.
struct Layer(BertLayer);

impl Block for Layer {
    /// The mask.
    type Shared = Option<Tensor>;

    fn outliving(_mask: &Option<Tensor>, _facts: Facts) -> Option<Tensor> {
        None
    }

    fn forward(&self, t: &Tape, x: &Tensor, mask: &Option<Tensor>) -> Tensor {
        self.0.forward(t, x, mask)
    }
}

impl LayoutLm {
    pub(crate) fn new(b: &Builder, c: &BertConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions {
            bidirectional: true,
            ..AttentionOptions::of_encoder(c.dropout.attention, spec, facts)
        };
        let base = b.at(c.family.base_model);
        let at = base.at("embeddings");
        let table = |name: &'static str, rows| Embedding::new(&at.at(name), rows, c.hidden_size);
        let words = Embedding::of_input(&at.at("word_embeddings"), c.vocab_size, c.hidden_size);
        let positions = table("position_embeddings", c.max_position_embeddings);
        let places = [
            "x_position_embeddings",
            "y_position_embeddings",
            "h_position_embeddings",
            "w_position_embeddings",
        ];
        let places = places.map(|name| table(name, c.page_positions));
        let segments = table("token_type_embeddings", c.type_vocab_size);
        let norm = LayerNorm::new(&at.at("LayerNorm"), c.hidden_size);
        let position_ids = at.buffer("position_ids", [1, c.max_position_embeddings], DType::Int64);
        let layers = base.at("encoder").items("layer", c.num_hidden_layers, |b| {
            Rc::new(Layer(BertLayer::new(b, c, options)))
        });
        let pooler = pooler(&base, c, Task::SequenceClassification);
        let mut head = head(b, c, spec.task, &words.weight);
        if spec.task == Task::MaskedLm {
            head.loss = HeadLoss::Classes;
        }
        Self {
            words,
            positions,
            places,
            segments,
            norm,
            position_ids,
            dropout: c.dropout.embedding,
            layers,
            pooler,
            head,
            classifies: spec.task == Task::SequenceClassification,
            dtype: b.dtype(),
            shell: Shell::new(b, spec, facts),
        }
    }

    /// `LayoutLMModel`: `[B, S, H]`, and what the pooler makes of its first token.
    fn encode(&self, t: &Tape, input_ids: &Tensor) -> (Tensor, Option<Tensor>) {
        let size = BatchShape::of(input_ids);
        let BatchShape { b, s } = size;
        let padded = self.shell.padding_mask;
        if !padded {
            mask::looks_like_padding(t, b);
        }
        let ones = (!padded).then(|| t.empty("ones", Shape::from([b, s]), DType::Float32));
        let segments = t.empty("zeros", Shape::from([b, s]), DType::Int64);
        let boxes = t.empty("zeros", Shape::from([b, s, 4]), DType::Int64);
        let given = if padded { DType::Int64 } else { DType::Float32 };
        let mask = Some(mask::inverted(t, size, given, self.dtype));
        let embedded = t.scoped("embeddings", None, || {
            self.embed(t, [input_ids, &segments, &boxes])
        });
        let mut hidden = embedded.clone();
        for (i, layer) in (0..).zip(&self.layers) {
            hidden = t.scoped("encoder.layer", Some(i), || {
                self.shell.run(t, layer, &hidden, &mask)
            });
        }
        let pooler = self.pooler.as_ref();
        let pooled = pooler.map(|pooler| pooled(t, self.shell.facts, pooler, &hidden));
        drop((ones, segments, boxes, mask, embedded));
        (hidden, pooled)
    }

    /// `LayoutLMEmbeddings`.
    fn embed(&self, t: &Tape, [input_ids, segment_ids, boxes]: [&Tensor; 3]) -> Tensor {
        let side = || {
            let index = self.shell.facts;
            t.select(&index.index_all(t, boxes, 2), 2)
        };
        let [x, y, h, w] = &self.places;
        let ids = t.slice(&self.position_ids, 1, 0, input_ids.dim(1));
        let length = || {
            let (from, to) = (side(), side());
            t.sub(&to, &from)
        };
        let mut parts = vec![
            self.words.forward(t, input_ids),
            self.positions.forward(t, &ids),
        ];
        parts.extend([x, y, x, y].map(|axis| axis.forward(t, &side())));
        parts.extend([h, w].map(|axis| axis.forward(t, &length())));
        parts.push(self.segments.forward(t, segment_ids));
        let mut sum = parts[0].clone();
        for part in &parts[1..] {
            sum = t.add(&sum, part);
        }
        let normed = self.norm.forward(t, &sum);
        drop(sum);
        let out = dropped(t, normed, self.dropout);
        drop(parts);
        out
    }
}

impl Encoder for LayoutLm {
    /// Token ids `[B, S]` to logits `[B, S, V]`, `[B, S, classes]` or `[B, classes]` and, from labels, the
    /// loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let facts = self.shell.facts;
        let (hidden, pooled) = t.scoped("layoutlm", None, || self.encode(t, input_ids));
        let read = pooled.as_ref().filter(|_| self.classifies);
        let output = self
            .head
            .forward(t, facts, (read.unwrap_or(&hidden), None), labels);
        drop((pooled, hidden));
        output
    }
}

/// Builds the model.
pub(crate) fn build_layoutlm(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::encoder(LayoutLm::new(b, spec.config(), spec, facts))
}

//! `DistilBERT` (`models/distilbert/modeling_distilbert.py`), predicting masked tokens or a class.

use super::layer::{DistilBertLayer, Shared};
use crate::ask::{Attention, Task};
use crate::families::network::{Encoder, Net};
use crate::model::{Activation, DistilBertConfig, ResolvedSpec, Transformers};
use crate::nn::attention::{AttentionOptions, dropped};
use crate::nn::build::{Builder, Embedding, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::Shell;
use crate::nn::heads::{Head, Reads, Transform};
use crate::nn::masks::BatchShape;
use crate::nn::masks::{mask, triangle as mask_triangle};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// `DistilBertForMaskedLM` or `DistilBertForSequenceClassification`.
pub(crate) struct DistilBert {
    words: Embedding,
    positions: Embedding,
    layer_norm: LayerNorm,
    position_ids: Tensor,
    layers: Vec<Rc<DistilBertLayer>>,
    head: Head,
    dropout: bool,
    attention: Attention,
    shell: Shell,
}

/// Its head. Tokens come by the table `words` of the embedding.
fn head(b: &Builder, c: &DistilBertConfig, task: Task, words: &Tensor) -> Head {
    let dense = |name| Linear::new(&b.at(name), c.dim, c.dim, true);
    if task.head_of_each().is_some() {
        let dropout = match task {
            Task::QuestionAnswering => c.qa_dropout,
            _ => c.dropout.residual,
        };
        return Head::of_each(b, task, [c.dim, c.num_labels], dropout);
    }
    if task == Task::SequenceClassification {
        let transform = Transform {
            dense: dense("pre_classifier"),
            activation: Activation::Relu,
            norm: None,
        };
        let output = Linear::new(&b.at("classifier"), c.dim, c.num_labels, true);
        return Head {
            reads: Reads::First,
            transform: Some(transform),
            ..Head::plain("classifier", output, c.classifier_dropout)
        };
    }
    let transform = Transform {
        dense: dense("vocab_transform"),
        activation: c.activation,
        norm: Some(LayerNorm::new(&b.at("vocab_layer_norm"), c.dim)),
    };
    let projector = b.at("vocab_projector");
    projector.untied([c.vocab_size, c.dim]);
    let bias = projector.parameter("bias", [c.vocab_size]);
    Head::of_tokens(
        "vocab_projector",
        transform,
        Linear::sharing(&projector, words, bias),
    )
}

impl DistilBert {
    pub(crate) fn new(
        b: &Builder,
        c: &DistilBertConfig,
        spec: &ResolvedSpec,
        facts: Facts,
    ) -> Self {
        let options = AttentionOptions {
            dropout: c.dropout.attention,
            ..AttentionOptions::of(spec, facts)
        };
        let base = b.at("distilbert");
        let embeddings = base.at("embeddings");
        let words = Embedding::of_input(&embeddings.at("word_embeddings"), c.vocab_size, c.dim);
        let table = embeddings.at("position_embeddings");
        let positions = Embedding::new(&table, c.max_position_embeddings, c.dim);
        let layer_norm = LayerNorm::new(&embeddings.at("LayerNorm"), c.dim);
        let ids = [1, c.max_position_embeddings];
        let position_ids = embeddings.buffer("position_ids", ids, DType::Int64);
        let layers = base.at("transformer").items("layer", c.n_layers, |b| {
            Rc::new(DistilBertLayer::new(b, c, options))
        });
        let head = head(b, c, spec.task, &words.weight);
        Self {
            words,
            positions,
            layer_norm,
            position_ids,
            layers,
            head,
            dropout: c.dropout.embedding,
            attention: spec.attention,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// `DistilBertModel`: `[B, S, H]`.
    fn encode(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let size = BatchShape::of(input_ids);
        let recent = self.shell.facts.transformers == Transformers::V5;
        if !recent && !self.shell.padding_mask {
            mask::looks_like_padding(t, size.b);
        }
        let embedded = t.scoped("embeddings", None, || self.embed(t, input_ids));
        let dtype = embedded.dtype();
        let shared = Shared(if recent {
            self.shell
                .padding_mask
                .then(|| mask::of_encoder(t, size, self.attention, dtype))
        } else {
            self.mask_of_four(t, size, dtype)
        });
        let mut hidden = embedded.clone();
        for (i, layer) in (0..).zip(&self.layers) {
            hidden = t.scoped("transformer.layer", Some(i), || {
                self.shell.run(t, layer, &hidden, &shared)
            });
        }
        drop((shared, embedded));
        hidden
    }

    fn embed(&self, t: &Tape, input_ids: &Tensor) -> Tensor {
        let words = self.words.forward(t, input_ids);
        let ids = t.slice(&self.position_ids, 1, 0, input_ids.dim(1));
        let positions = self.positions.forward(t, &ids);
        let sum = t.add(&words, &positions);
        let normed = self.layer_norm.forward(t, &sum);
        drop(sum);
        let out = dropped(t, normed, self.dropout);
        drop((words, positions));
        out
    }

    /// The mask of transformers 4: eager attention compares a mask `[B, S]` that is always there,
    /// sdpa gets no mask where nothing is padding, else the mask in the `dtype` of the embeddings.
    fn mask_of_four(&self, t: &Tape, size: BatchShape, dtype: DType) -> Option<Tensor> {
        let padding = self.shell.padding_mask;
        let ones = (!padding).then(|| t.empty("ones", size.into(), DType::Float32));
        if self.attention == Attention::Eager {
            // The mask that came with the batch lives there.
            return ones.or_else(|| Some(t.empty("mask", Shape::from([0]), DType::Int64)));
        }
        mask::looks_for_padding(t, size);
        padding.then(|| mask_triangle::expanded(t, size.scores(), DType::Int64, dtype))
    }
}

impl Encoder for DistilBert {
    /// Token ids `[B, S]` to logits `[B, S, V]` or `[B, classes]` and, from labels, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let hidden = t.scoped("distilbert", None, || self.encode(t, input_ids));
        self.head
            .forward(t, self.shell.facts, (&hidden, None), labels)
    }
}

/// Builds the model.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::encoder(DistilBert::new(b, spec.config(), spec, facts))
}

//! `RemBERT` and `RoFormer` (`models/{rembert,roformer}/modeling_*.py` of transformers 5.23): BERT whose
//! attention is written out.

use super::layer::BertLayer;
use super::network::{Embeddings, head, pooled, pooler};
use crate::ask::Task;
use crate::families::network::{Encoder, Net};
use crate::model::{BertConfig, BertKind, ResolvedSpec};
use crate::nn::attention::AttentionOptions;
use crate::nn::build::{Builder, Facts, LayerNorm, Linear, Output};
use crate::nn::decoder::{Shell, WeighingBlock};
use crate::nn::heads::{Head, HeadLoss, Transform};
use crate::nn::masks::BatchShape;
use crate::nn::masks::mask;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

/// The model with a head.
pub(crate) struct WrittenOutBert {
    embeddings: Embeddings,
    /// From the columns of the embeddings to those of the layers.
    projection: Option<Linear>,
    /// Sines and cosines `[P, D]` of positions (`RoFormer`).
    positions: Option<Tensor>,
    layers: Vec<Rc<Layer>>,
    pooler: Option<Transform>,
    head: Head,
    kind: BertKind,
    /// The name of the model without its head.
    base: &'static str,
    shell: Shell,
}

/// `RemBertLayer` or `RoFormerLayer`.
struct Layer(BertLayer);

/// Inputs of all layers, by their places.
#[derive(Clone, Default)]
struct Given {
    mask: Option<Tensor>,
    /// Sines and cosines `[1, 1, S, D]`.
    positions: Option<Tensor>,
}

impl WeighingBlock for Layer {
    type Shared = Given;

    fn outliving(_given: &Given, _facts: Facts) -> Given {
        Given::default()
    }

    fn forward(&self, t: &Tape, x: &Tensor, given: &Given) -> (Tensor, Option<Tensor>) {
        let (mask, positions) = (given.mask.as_ref(), given.positions.as_ref());
        self.0.forward_with_weights(t, x, mask, positions)
    }
}

/// Tokens, by a table of their own (`RemBertLMPredictionHead`).
fn of_tokens(b: &Builder, c: &BertConfig) -> Head {
    let at = b.at("cls").at("predictions");
    let (width, decoder) = (c.output_embedding_size, at.at("decoder"));
    let dense = Linear::new(&at.at("dense"), c.hidden_size, width, true);
    let mut output = Linear::of_output(&decoder, width, c.vocab_size, None);
    output.add_bias(&decoder, c.vocab_size);
    let transform = Transform {
        dense,
        activation: c.activation,
        norm: Some(LayerNorm::new(&at.at("LayerNorm"), width)),
    };
    Head::of_tokens("cls.predictions", transform, output)
}

impl WrittenOutBert {
    pub(crate) fn new(b: &Builder, c: &BertConfig, spec: &ResolvedSpec, facts: Facts) -> Self {
        let options = AttentionOptions::of_encoder(c.dropout.attention, spec, facts);
        let base = b.at(c.family.base_model);
        let embeddings = Embeddings::new(&base.at("embeddings"), c, facts);
        let encoder = base.at("encoder");
        let rembert = c.kind == BertKind::RemBert;
        let projection = if rembert {
            Some(encoder.at("embedding_hidden_mapping_in"))
        } else {
            (c.embedding_size != c.hidden_size).then(|| base.at("embeddings_project"))
        };
        let projection =
            projection.map(|at| Linear::new(&at, c.embedding_size, c.hidden_size, true));
        let positions = (!rembert).then(|| {
            let at = encoder.at("embed_positions");
            at.frozen([c.max_position_embeddings, c.head_dim])
        });
        let layers = encoder.items("layer", c.num_hidden_layers, |b| {
            Rc::new(Layer(BertLayer::new(b, c, options)))
        });
        let pooler = pooler(&base, c, spec.task);
        let masked = spec.task == Task::MaskedLm;
        let mut head = if masked && rembert {
            of_tokens(b, c)
        } else {
            head(b, c, spec.task, &embeddings.words.weight)
        };
        if masked {
            head.loss = HeadLoss::Classes;
        } else if rembert && spec.task == Task::QuestionAnswering {
            head.loss = HeadLoss::Spans { in_place: true };
        }
        Self {
            embeddings,
            projection,
            positions,
            layers,
            pooler,
            head,
            kind: c.kind,
            base: c.family.base_model,
            shell: Shell::new(b, spec, facts),
        }
    }

    /// The model without a head: `[B, S, H]` and, for a class, what the pooler makes of its first token.
    fn encode(&self, t: &Tape, input_ids: &Tensor) -> (Tensor, Option<Tensor>) {
        let size = BatchShape::of(input_ids);
        let BatchShape { b, s } = size;
        let padded = self.shell.padding_mask;
        let ones = (!padded).then(|| {
            mask::looks_like_padding(t, b);
            t.empty("ones", Shape::from([b, s]), DType::Float32)
        });
        let (mut embedded, segment_ids) = t.scoped("embeddings", None, || {
            self.embeddings.forward_with_segments(t, input_ids)
        });
        let project = |x: &Tensor| match &self.projection {
            Some(projection) => projection.forward(t, x),
            None => x.clone(),
        };
        if self.kind == BertKind::RoFormer {
            embedded = project(&embedded);
        }
        let mask = mask::of_given(t, size.scores(), true, padded, embedded.dtype());
        drop(ones);
        let mut hidden = embedded.clone();
        if self.kind == BertKind::RemBert {
            hidden = project(&hidden);
        }
        let given = Given {
            mask,
            positions: self.positions.as_ref().map(|table| {
                let _ids = t.empty("arange", Shape::from([s]), DType::Int64);
                t.empty(
                    "embedding",
                    Shape::from([1, 1, s, table.dim(1)]),
                    table.dtype(),
                )
            }),
        };
        let hidden = {
            let mut last = (hidden, None);
            for (i, layer) in (0..).zip(&self.layers) {
                last = t.scoped("encoder.layer", Some(i), || {
                    self.shell.run_with_weights(t, layer, &last.0, &given)
                });
            }
            last.0
        };
        let Given { mask, positions } = given;
        drop(positions);
        let pooler = self.pooler.as_ref();
        let pooled = pooler.map(|pooler| pooled(t, self.shell.facts, pooler, &hidden));
        drop((mask, segment_ids, embedded));
        (hidden, pooled)
    }
}

impl Encoder for WrittenOutBert {
    /// Token ids `[B, S]` to logits `[B, S, V]`, `[B, S, classes]` or `[B, classes]` and, from labels, the
    /// loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        let (hidden, pooled) = t.scoped(self.base, None, || self.encode(t, input_ids));
        let read = pooled.as_ref().unwrap_or(&hidden);
        self.head.forward(t, self.shell.facts, (read, None), labels)
    }
}

/// Builds the model.
pub(crate) fn build_written_out(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    Net::encoder(WrittenOutBert::new(b, spec.config(), spec, facts))
}

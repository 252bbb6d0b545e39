//! The classification head of a decoder.

use super::loss;
use crate::ask::Task;
use crate::model::{DecoderConfig, ResolvedSpec, TensorStyle, Transformers};
use crate::nn::build::{Builder, Facts, Linear, Output};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The head: of language models, tied to the embedding's weight if the config says so; or `score`, if the
/// model classifies sequences.
pub(crate) fn head(b: &Builder, c: &DecoderConfig, spec: &ResolvedSpec, table: &Tensor) -> Linear {
    if spec.task == Task::SequenceClassification {
        return Linear::of_output(&b.at("score"), c.embedding_size, c.num_labels, None);
    }
    // Of a model in stages it has a weight of its own.
    let tied = c.tie_word_embeddings && !spec.is_pipelined();
    let tied = tied.then_some(table);
    let name = c.head_name(spec.framework);
    let at = b.at(name).divided_as(TensorStyle::ColwiseGatherOutput);
    Linear::of_output(&at, c.embedding_size, c.vocab_size, tied)
}

/// `GenericForSequenceClassification.forward` (`modeling_layers.py`): from hidden states `[B, S, H]`
/// the logits `[B, C]` of each sample's last token `[B, S]` that is no padding and, from labels
/// `[B]`, the loss.
pub(crate) fn classify(
    t: &Tape,
    facts: Facts,
    hidden: &Tensor,
    score: &Linear,
    (input_ids, labels): (&Tensor, Option<&Tensor>),
) -> Output {
    let logits = t.scoped("score", None, || score.forward(t, hidden));
    pooled(t, facts, &logits, (input_ids, labels))
}

/// Classes from logits `[B, S, C]` of all tokens.
pub(crate) fn pooled(
    t: &Tape,
    facts: Facts,
    logits: &Tensor,
    (input_ids, labels): (&Tensor, Option<&Tensor>),
) -> Output {
    let (last, _held) = last_tokens(t, facts, input_ids);
    let pooled = {
        let rows = t.empty("arange", Shape::from([input_ids.dim(0)]), DType::Int64);
        t.index_elements(logits, &[rows, last.clone()])
    };
    let loss = labels.map(|labels| loss::of_classes(t, &pooled, labels));
    Output::of(pooled, loss)
}

/// The place of each sample's last token `[B]`, and tensors that live as long as the model's forward.
fn last_tokens(t: &Tape, facts: Facts, ids: &Tensor) -> (Tensor, Vec<Tensor>) {
    let samples = Shape::from([ids.dim(0)]);
    let compared = t.empty("ne", *ids.shape(), DType::Bool);
    let is_token = t.empty("_to_copy", *ids.shape(), DType::Int32);
    drop(compared);
    if facts.transformers == Transformers::V448 {
        // The token before the first padding, or else the last.
        let first = t.argmax_last(&is_token);
        drop(is_token);
        let _before = t.empty("sub", samples, DType::Int64);
        drop(first);
        return (t.empty("remainder", samples, DType::Int64), Vec::new());
    }
    let indices = t.empty("arange", Shape::from([ids.dim(1)]), DType::Int32);
    let last = {
        let products = t.empty("mul", *ids.shape(), DType::Int32);
        t.argmax_last(&products)
    };
    (last, vec![is_token, indices])
}

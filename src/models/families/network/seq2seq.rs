//! Common parts of encoder-decoders: the decoder's ids from the labels, and the loss.

use crate::nn::build::Output;
use crate::nn::heads::loss;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// A model that gives a sequence for a sequence.
pub(crate) trait Seq2Seq {
    /// Whether the decoder's ids are made from the labels before the encoder runs.
    fn shifts_first(&self) -> bool;

    /// The decoder's ids `[B, T]` from the labels.
    fn shifted(&self, t: &Tape, labels: &Tensor) -> Tensor {
        shift_right(t, labels)
    }

    /// The loss of logits `[B, T, V]` and labels.
    fn loss(&self, t: &Tape, logits: &Tensor, labels: &Tensor) -> Tensor {
        loss::of_classes(t, logits, labels)
    }

    /// Whether the decoder's result `[B, T, H]` is given beside the logits.
    fn gives_decoded(&self) -> bool {
        false
    }

    /// The paths of the encoder and the decoder.
    fn stacks(&self) -> [&'static str; 2] {
        ["encoder", "decoder"]
    }

    /// The encoder's result `[B, S, H]` for token ids `[B, S]`.
    fn encode(&self, t: &Tape, input_ids: &Tensor) -> Tensor;

    /// The decoder's result `[B, T, H]` for ids `[B, T]` and the encoder's result.
    fn decode(&self, t: &Tape, ids: &Tensor, encoded: &Tensor) -> Tensor;

    /// The logits `[B, T, V]`, and a tensor that is a local variable until the loss is computed.
    fn head(&self, t: &Tape, decoded: &Tensor) -> (Tensor, Option<Tensor>);
}

/// Inputs of every layer of a stack besides the hidden states.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) mask: Option<Tensor>,
    /// The encoder's result, for a decoder.
    pub(crate) encoder: Option<Tensor>,
    pub(crate) encoder_mask: Option<Tensor>,
}

/// The encoder alone.
pub(crate) fn encode(t: &Tape, model: &dyn Seq2Seq, input: &Tensor) -> Tensor {
    let [encoder, _] = model.stacks();
    t.scoped(encoder, None, || model.encode(t, input))
}

/// Token ids `[B, S]`, and of the decoder's `[B, T]` either the labels or the ids themselves, to
/// logits `[B, T, V]` and the loss. Where the encoder has run `before`, the ids are the decoder's.
pub(crate) fn forward(
    t: &Tape,
    model: &dyn Seq2Seq,
    input_ids: &Tensor,
    labels: Option<&Tensor>,
    (decoder_ids, before): (Option<&Tensor>, Option<Tensor>),
) -> Output {
    let shift = |here: bool| {
        labels
            .filter(|_| here)
            .map(|labels| model.shifted(t, labels))
    };
    let first = shift(model.shifts_first());
    let [_, decoder] = model.stacks();
    let encoded = before.unwrap_or_else(|| encode(t, model, input_ids));
    let shifted = first.or_else(|| shift(!model.shifts_first()));
    let ids = shifted.as_ref().or(decoder_ids).unwrap_or(input_ids);
    let decoded = t.scoped(decoder, None, || model.decode(t, ids, &encoded));
    let (logits, local) = t.scoped("lm_head", None, || model.head(t, &decoded));
    let loss = labels.map(|labels| model.loss(t, &logits, labels));
    drop((local, shifted));
    Output {
        logits: Some(logits),
        loss,
        encoded: Some(encoded),
        beside: Vec::from_iter(model.gives_decoded().then_some(decoded)),
    }
}

/// `_shift_right` or `shift_tokens_right`: the decoder's ids from the labels.
pub(crate) fn shift_right(t: &Tape, labels: &Tensor) -> Tensor {
    let (b, n) = (labels.dim(0), labels.dim(1));
    let ids = t.empty("new_zeros", Shape::from([b, n]), DType::Int64);
    drop(t.empty("clone", Shape::from([b, n - 1]), DType::Int64));
    drop(t.empty("eq", Shape::from([b, n]), DType::Bool));
    ids
}

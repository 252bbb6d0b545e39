//! Inputs of a model.

use crate::ask::{PackingKind, Task};
use crate::families::torchtune;
use crate::model::{Input, ResolvedSpec};
use crate::nn::vision::batch as vision_batch;
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// The tensors of one micro-batch on the device.
#[derive(Clone)]
pub struct Batch {
    /// Token ids `[B, S]`, images `[B, C, I, I]`, spectrograms `[B, channels, frames]`, or features
    /// `[B, in]` of the toy.
    pub input: Tensor,
    /// Padding mask `[B, S]`, when one is passed.
    pub padding_mask: Option<Tensor>,
    /// Labels `[B, S]`, when the model computes the loss.
    pub labels: Option<Tensor>,
    /// The decoder's token ids `[B, T]`, when they do not come from labels.
    pub decoder_ids: Option<Tensor>,
    /// Labels `[B, S]`, shifted by one, of which the loss is made, by the training loop itself where there are
    /// no others.
    pub targets: Option<Tensor>,
    /// Positions `[B, S]` or `[1, S]`, when they are passed: where ranks divide the sequence or it is packed no layer
    /// could count them.
    pub positions: Option<Tensor>,
    /// The beginning of each packed sequence and the end of the last, `[n + 1]`, where that is passed.
    pub boundaries: Option<Tensor>,
    /// Images `[B, C, I, I]` that come with texts, and whether the model is asked for their loss.
    pub images: Option<(Tensor, bool)>,
    /// The second label `[B]` of a sample that has two, how many patches images have, how large they are or which of their
    /// pixels are none of padding, the kinds `[B, S]` of tokens.
    pub beside: Vec<Tensor>,
}

impl Batch {
    /// Inputs that are, or may be, in floating point.
    pub(crate) fn inputs_mut(&mut self) -> Vec<&mut Tensor> {
        let images = self.images.as_mut().map(|(images, _)| images);
        let single = [Some(&mut self.input), self.labels.as_mut(), images];
        let all = single.into_iter().flatten();
        all.chain(&mut self.beside).collect()
    }

    /// A batch with nothing beside its input.
    pub fn of(input: Tensor) -> Self {
        Self {
            input,
            padding_mask: None,
            labels: None,
            decoder_ids: None,
            targets: None,
            positions: None,
            boundaries: None,
            images: None,
            beside: Vec::new(),
        }
    }

    /// Token ids `[B, S]`.
    pub fn ids(&self) -> &Tensor {
        &self.input
    }

    /// Images that come with texts.
    pub fn images(&self) -> Option<&Tensor> {
        self.images.as_ref().map(|(images, _)| images)
    }

    /// The mask `[B, S]` that says which tokens are padding, when there is one.
    pub fn mask(&self) -> Option<&Tensor> {
        self.padding_mask.as_ref()
    }
}

/// Tensors of a batch besides its inputs.
#[derive(Clone, Copy)]
pub(crate) struct Given {
    pub(crate) mask: bool,
    pub(crate) labels: bool,
    /// Whether there are token ids for the decoder of an encoder-decoder.
    pub(crate) decoder_ids: bool,
}

/// A batch of `samples` samples with inputs and targets of those lengths.
pub(crate) fn batch(
    t: &Tape,
    spec: &ResolvedSpec,
    (samples, [seq_len, target_seq_len]): (u64, [u64; 2]),
    with: Given,
) -> Batch {
    let Given { mask, labels, .. } = with;
    let input = |shape: Shape, dtype| t.allocate("zeros", shape, dtype, Category::Inputs);
    let what = spec.architecture.input(seq_len);
    if let Input::Features(width) = what {
        return Batch::of(input(Shape::from([samples, width]), spec.stored_weights()));
    }
    let images = spec.architecture.pixels().map(|[channels, side]| {
        let shape = Shape::from([samples, channels, side, side]);
        input(shape, DType::Float32)
    });
    if spec.task == Task::Contrastive {
        let tokens = Shape::from([samples, seq_len]);
        let ids = input(tokens, DType::Int64);
        return Batch {
            padding_mask: mask.then(|| input(tokens, DType::Int64)),
            images: images.map(|images| (images, labels)),
            ..Batch::of(ids)
        };
    }
    if let Some(images) = images {
        return Batch {
            labels: labels.then(|| input(Shape::from([samples]), DType::Int64)),
            ..Batch::of(images)
        };
    }
    let floats = if spec.quantization.is_on() {
        spec.precision.dtype()
    } else {
        spec.stored_weights()
    };
    let tokens = Shape::from([samples, seq_len]);
    let (shape, dtype) = match what {
        Input::Waveforms(length) => (Shape::from([samples, length]), floats),
        Input::Spectrograms([rows, columns]) => (Shape::from([samples, rows, columns]), floats),
        _ => (tokens, DType::Int64),
    };
    let ids = input(shape, dtype);
    let mask = mask && !matches!(what, Input::Spectrograms(_));
    let mask = mask.then(|| input(shape, DType::Int64));
    let given = match spec.task {
        Task::Seq2SeqLm | Task::Ctc => Shape::from([samples, target_seq_len]),
        Task::CausalLm | Task::ImageTextToText | Task::MaskedLm | Task::TokenClassification => {
            tokens
        }
        Task::SequenceClassification
        | Task::ImageClassification
        | Task::AudioClassification
        | Task::QuestionAnswering
        | Task::Contrastive => Shape::from([samples]),
    };
    let number = spec.task == Task::SequenceClassification && spec.architecture.labels() == 1;
    let label = if number { floats } else { DType::Int64 };
    let labels = labels.then(|| input(given, label));
    // Where answers end.
    let ends = (labels.is_some() && spec.task == Task::QuestionAnswering)
        .then(|| input(given, DType::Int64));
    let targets = with.decoder_ids && spec.task == Task::Seq2SeqLm;
    let decoder_ids = targets.then(|| input(given, DType::Int64));
    let places = Shape::from([1, seq_len]);
    let mut positions = spec.divides_sequence().then(|| input(places, DType::Int64));
    let mut boundaries = None;
    let mut numbers = None;
    if spec.packing.is_on() {
        positions = Some(input(tokens, DType::Int64));
        if spec.packing.kind == PackingKind::PaddingFree {
            let ends = Shape::from([spec.packing.sequences + 1]);
            boundaries = Some(input(ends, DType::Int32));
            numbers = Some(input(tokens, DType::Int32));
        }
    }
    let vision_tower = spec.architecture.images();
    let (seen, mut beside) = vision_tower.map_or_else(Default::default, |vision_tower| {
        vision_batch::among_tokens(t, spec, vision_tower, samples, tokens)
    });
    beside.extend(ends);
    beside.extend(numbers);
    if spec.packing.is_on() && spec.is_of_torchtune() {
        let parts = torchtune::block_mask([samples, seq_len]).into_iter();
        beside.extend(parts.map(|(shape, dtype)| input(shape, dtype)));
    }
    Batch {
        input: ids,
        padding_mask: mask,
        labels,
        decoder_ids,
        targets: None,
        positions,
        boundaries,
        images: seen.map(|images| (images, false)),
        beside,
    }
}

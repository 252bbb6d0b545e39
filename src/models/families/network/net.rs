//! Abilities of a model on the tape, whichever it is.

use super::batch::Batch;
use super::seq2seq::Seq2Seq;
use crate::model::{LocalStage, ResolvedSpec};
use crate::nn::build::{Builder, Facts, Output};
use crate::nn::decoder::{Causal, Layer};
use crate::nn::vision::ImageFeatures;
use crate::tape::{Tape, Tensor};

/// Builds the models of a family: their parameters and buffers are allocated.
pub(crate) type Build = fn(&Builder, &ResolvedSpec, Facts) -> Net;

/// A model's modules.
pub(crate) enum Net {
    /// A model that gives a sequence for a sequence.
    Seq2Seq(Box<dyn Seq2Seq>),
    /// A model that predicts the next token.
    Decoder(Box<dyn CausalLm>),
    /// A model that reads its whole input at once.
    Encoder(Box<dyn Encoder>),
    /// A model that compares images with texts.
    Pairs(Box<dyn Compares>),
    /// A graph that `torch.export` wrote.
    Graph(Box<dyn GraphModel>),
}

impl Net {
    /// A model that gives a sequence for a sequence.
    pub(crate) fn seq2seq(net: impl Seq2Seq + 'static) -> Self {
        Self::Seq2Seq(Box::new(net))
    }

    /// A model that predicts the next token.
    pub(crate) fn decoder(net: impl CausalLm + 'static) -> Self {
        Self::Decoder(Box::new(net))
    }

    /// A model that reads its whole input at once.
    pub(crate) fn encoder(net: impl Encoder + 'static) -> Self {
        Self::Encoder(Box::new(net))
    }

    /// A model that compares images with texts.
    pub(crate) fn pairs(net: impl Compares + 'static) -> Self {
        Self::Pairs(Box::new(net))
    }
}

/// A causal language model.
pub(crate) trait CausalLm {
    /// Token ids `[B, S]` to logits `[B, S, V]` and, from labels `[B, S]`, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output;

    /// Whether ranks can have some of its layers each.
    fn has_stages(&self) -> bool {
        false
    }

    /// Token ids `[B, S]`, if the stage is the first, or hidden states `[B, S, H]`, to hidden states or, if
    /// it is the last, logits `[B, S, V]`. Nothing changes where there are no stages.
    fn run_stage(
        &self,
        _t: &Tape,
        _stage: &LocalStage,
        input: &Tensor,
        _positions: Option<&Tensor>,
    ) -> Tensor {
        input.clone()
    }

    /// Features of images of `samples` samples, where `generate` asks for them before it gives a prompt.
    fn see(&self, _t: &Tape, _images: &Tensor, _samples: u64) -> Option<ImageFeatures> {
        None
    }

    /// Positions `[B, S]` of a prompt to what `generate` gives instead.
    fn places(&self, _t: &Tape, positions: Tensor) -> Tensor {
        positions
    }
}

impl<L: Layer> CausalLm for Causal<L> {
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input_ids, labels)
    }

    fn has_stages(&self) -> bool {
        self.has_stages()
    }

    fn run_stage(
        &self,
        t: &Tape,
        stage: &LocalStage,
        input: &Tensor,
        positions: Option<&Tensor>,
    ) -> Tensor {
        self.run_stage(t, stage, input, positions)
    }

    fn see(&self, t: &Tape, images: &Tensor, samples: u64) -> Option<ImageFeatures> {
        let (vision_tower, shell) = self.vision_tower()?;
        vision_tower.features(t, shell, images, samples)
    }

    fn places(&self, t: &Tape, positions: Tensor) -> Tensor {
        match self.vision_tower() {
            Some((vision_tower, shell)) => vision_tower.places(t, positions, shell.padding_mask),
            None => positions,
        }
    }
}

/// A model that reads its whole input at once.
pub(crate) trait Encoder {
    /// Token ids `[B, S]` or images `[B, C, I, I]` to logits and, from labels, the loss.
    fn forward(&self, t: &Tape, input: &Tensor, labels: Option<&Tensor>) -> Output;
}

/// A model that compares images with texts, or tells classes of images.
pub(crate) trait Compares {
    /// Images `[B, C, I, I]` to logits `[B, classes]` and, from labels `[B]`, the loss; or token ids
    /// `[B, S]` with images, and whether their loss is asked for, to logits `[B, B]` and the loss.
    fn forward(
        &self,
        t: &Tape,
        input: &Tensor,
        images: Option<&(Tensor, bool)>,
        labels: Option<&Tensor>,
    ) -> Output;
}

/// A model that says itself what goes in and how its loss is computed.
pub(crate) trait GraphModel {
    /// Copies one micro-batch to the device, and its target where the loss needs one.
    fn fetch(&self, t: &Tape) -> Batch;

    /// Runs it.
    fn forward(&self, t: &Tape, batch: &Batch) -> Output;

    /// The loss that the training loop computes of what it gave.
    fn loss(&self, t: &Tape, batch: &Batch, output: &Output) -> Option<Tensor>;
}

//! The decoders by their type.

use crate::families::bloom::Bloom;
use crate::families::falcon::Falcon;
use crate::families::fla::Fla;
use crate::families::gemma::Gemma3nLayer;
use crate::families::gpt_neox::GptNeoxLayer;
use crate::families::gpt2::Gpt2;
use crate::families::mamba::Mamba;
use crate::families::mllama::MllamaLayer;
use crate::families::mpt::Mpt;
use crate::families::opt::{Opt, Xglm};
use crate::families::phi::{Phi3Layer, PhiLayer};
use crate::model::{DecoderConfig, DecoderType, ImageConfig, ResolvedSpec};
use crate::nn::build::{Builder, Facts, Output};
use crate::nn::decoder::{Causal, DecoderLayer, Layer};
use crate::nn::vision::ImageFeatures;
use crate::tape::{Tape, Tensor};
use crate::units::apart;

/// A causal language model.
pub(crate) trait CausalLm {
    /// Token ids `[B, S]` to logits `[B, S, V]` and, from labels `[B, S]`, the loss.
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output;

    /// Features of images of so many samples, where `generate` asks for them before it gives a prompt.
    fn see(&self, _t: &Tape, _images: &Tensor, _samples: u64) -> Option<ImageFeatures> {
        None
    }

    /// Positions `[B, S]` of a prompt to what `generate` gives instead.
    fn places(&self, _t: &Tape, positions: Tensor) -> Tensor {
        positions
    }
}

impl CausalLm for Bloom {
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input_ids, labels)
    }
}

impl CausalLm for Mpt {
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input_ids, labels)
    }
}

impl CausalLm for Falcon {
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input_ids, labels)
    }
}

impl CausalLm for Mamba {
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input_ids, labels)
    }
}

impl CausalLm for Gpt2 {
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input_ids, labels)
    }
}

impl CausalLm for Opt {
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input_ids, labels)
    }
}

impl CausalLm for Fla {
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input_ids, labels)
    }
}

impl CausalLm for Xglm {
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input_ids, labels)
    }
}

impl<L: Layer> CausalLm for Causal<L> {
    fn forward(&self, t: &Tape, input_ids: &Tensor, labels: Option<&Tensor>) -> Output {
        self.forward(t, input_ids, labels)
    }

    fn see(&self, t: &Tape, images: &Tensor, samples: u64) -> Option<ImageFeatures> {
        let (sight, shell) = self.sight()?;
        sight.features(t, shell, images, samples)
    }

    fn places(&self, t: &Tape, positions: Tensor) -> Tensor {
        match self.sight() {
            Some((sight, shell)) => sight.places(t, positions, shell.padding_mask),
            None => positions,
        }
    }
}

/// Builds the decoder that the config describes.
pub(crate) fn build(
    b: &Builder,
    c: &DecoderConfig,
    spec: &ResolvedSpec,
    facts: Facts,
) -> Box<dyn CausalLm> {
    match c.model_type {
        DecoderType::Mamba | DecoderType::Mamba2 | DecoderType::FalconMamba => {
            let sizes = c.state_space.unwrap_or_default();
            Box::new(apart(|| Mamba::new(b, c, sizes, spec, facts)))
        }
        DecoderType::Bloom => Box::new(apart(|| Bloom::new(b, c, spec, facts))),
        DecoderType::Mpt => Box::new(apart(|| Mpt::new(b, c, spec, facts))),
        DecoderType::Falcon => Box::new(apart(|| Falcon::new(b, c, spec, facts))),
        DecoderType::Gpt2
        | DecoderType::GptBigCode
        | DecoderType::GptNeo
        | DecoderType::GptJ
        | DecoderType::CodeGen => Box::new(apart(|| Gpt2::new(b, c, spec, facts))),
        DecoderType::Opt | DecoderType::BioGpt => Box::new(apart(|| Opt::new(b, c, spec, facts))),
        DecoderType::Xglm => Box::new(apart(|| Xglm::new(b, c, spec, facts))),
        DecoderType::GptNeox => Box::new(apart(|| Causal::<GptNeoxLayer>::new(b, c, spec, facts))),
        DecoderType::Gemma3n => Box::new(apart(|| Causal::<Gemma3nLayer>::new(b, c, spec, facts))),
        DecoderType::Phi => Box::new(apart(|| Causal::<PhiLayer>::new(b, c, spec, facts))),
        DecoderType::Phi3 => Box::new(apart(|| Causal::<Phi3Layer>::new(b, c, spec, facts))),
        _ if matches!(c.images.as_deref(), Some(ImageConfig::Crossed(_))) => {
            Box::new(apart(|| Causal::<MllamaLayer>::new(b, c, spec, facts)))
        }
        _ => Box::new(Causal::<DecoderLayer>::new(b, c, spec, facts)),
    }
}

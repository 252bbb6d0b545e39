//! What `generate` asks of a model, by family and version of transformers.

use super::facts::{Facts, Transformers};
use crate::spec::{Architecture, DecoderType, ResolvedSpec};
use crate::tape::CacheKind;

/// How `generate` calls a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calling {
    /// Whether its config's class names a token that begins a text (`configuration_*.py`).
    pub start_token: bool,
    /// Whether it is given token positions.
    pub positions: bool,
    /// Whether it makes logits of the last position alone.
    pub last_logits: bool,
    /// What it keeps from one token to the next.
    pub cache: CacheKind,
    /// The version that calls it.
    pub version: GenerateVersion,
}

/// The versions of `generation/utils.py`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerateVersion {
    /// transformers 4.48.
    V448,
    /// transformers 4.51.
    V451,
    /// transformers 5.23.
    V5,
}

impl Calling {
    pub(super) fn of(spec: &ResolvedSpec) -> Self {
        let version = Facts::of(spec).transformers;
        let family = match &spec.architecture {
            Architecture::Decoder(config) => Some(config.model_type),
            _ => None,
        };
        let is = |families: &[DecoderType]| family.is_some_and(|own| families.contains(&own));
        let recent = version == Transformers::V5;
        let early = version == Transformers::V448;
        let whole = is(&[DecoderType::Gpt2, DecoderType::Opt, DecoderType::Bloom])
            || (early && is(&[DecoderType::GptNeox]));
        let tuples = is(&[DecoderType::Gpt2]) || (early && is(&[DecoderType::Opt]));
        let no_start = [
            DecoderType::Qwen2,
            DecoderType::Qwen3,
            DecoderType::Qwen2Moe,
            DecoderType::Qwen3Moe,
            DecoderType::Olmo,
            DecoderType::Olmo2,
            DecoderType::Olmo3,
            DecoderType::Olmoe,
            DecoderType::Glm,
            DecoderType::Glm4,
        ];
        Self {
            start_token: family.is_some() && !is(&no_start),
            positions: !is(&[DecoderType::Bloom]),
            last_logits: recent || !whole,
            cache: match (recent, tuples) {
                (true, _) => CacheKind::Joined,
                (false, true) => CacheKind::Tuples,
                (false, false) => CacheKind::Given,
            },
            version: match version {
                Transformers::V448 => GenerateVersion::V448,
                Transformers::V451 => GenerateVersion::V451,
                Transformers::V5 => GenerateVersion::V5,
            },
        }
    }
}

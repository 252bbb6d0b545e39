//! What `generate` can ask of models.

use crate::ask::Framework;
use crate::model::{Architecture, DecoderType};

/// Whether models of the type have such a cache in transformers 4 (`cache_implementation` of
/// `configuration_*.py`). They are not compiled for it: `is_compileable` of that class is commented out.
pub fn has_places(model_type: DecoderType) -> bool {
    matches!(
        model_type,
        DecoderType::Gemma2 | DecoderType::Gemma3 | DecoderType::Cohere2
    )
}

/// Whether `forward` has a parameter for how many last positions get logits (`logits_to_keep`,
/// `num_logits_to_keep` in 4.48). Of the models that transformers 4 estimates, these have none
/// (`modeling_*.py` of 4.48.3 and 4.51.3), nor have encoder-decoders in any version but `T5Gemma`.
pub fn takes_logits_to_keep(architecture: &Architecture, framework: Framework) -> bool {
    let Architecture::Decoder(config) = architecture else {
        return match architecture {
            Architecture::ModernBert(config) => config.decoder,
            Architecture::Bart(config) => config.alone,
            _ => matches!(
                architecture,
                Architecture::Fla(_) | Architecture::T5Gemma(_)
            ),
        };
    };
    let without = match config.model_type {
        DecoderType::Bloom
        | DecoderType::CodeGen
        | DecoderType::FalconMamba
        | DecoderType::Gpt2
        | DecoderType::GptBigCode
        | DecoderType::GptJ
        | DecoderType::GptNeo
        | DecoderType::Mamba
        | DecoderType::Mpt
        | DecoderType::Opt => framework != Framework::Torch215Transformers523,
        DecoderType::GptNeox => framework == Framework::Torch26Transformers448,
        _ => false,
    };
    !without
}

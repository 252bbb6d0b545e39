//! Decoders: their sizes and options, and which reader and which list of
//! modules belongs to which `model_type`.

use crate::ask::{Framework, Task};
use crate::families::bloom::reader as bloom;
use crate::families::deepseek::reader as deepseek;
use crate::families::doge::reader as doge;
use crate::families::falcon::reader as falcon;
use crate::families::gemma::reader as gemma;
use crate::families::gpt_neox::reader as gpt_neox;
use crate::families::gpt2::reader as gpt2;
use crate::families::hybrid::{nemotron_h_reader as nemotron_h, reader as hybrid};
use crate::families::jetmoe::reader as jetmoe;
use crate::families::llama::{kin, llama4_reader as llama4, reader as llama, windows};
use crate::families::mamba::reader as mamba;
use crate::families::minimax::reader as minimax;
use crate::families::mpt::reader as mpt;
use crate::families::olmo::{olmo_hybrid_reader as olmo_hybrid, olmo2_reader as olmo2};
use crate::families::opt::reader as opt;
use crate::families::phi::{phi3_reader as phi3, reader as phi};
use crate::model::ConfigFields;
use crate::model::Family;
use crate::model::{Architecture, DecoderConfig, DecoderType, Module};

/// The token that texts begin with.
const START: &str = "bos_token_id";

/// The architecture of any decoder.
pub(crate) fn read_any(
    family: &'static Family,
    _: Option<Task>,
    fields: &mut ConfigFields<'_>,
) -> Architecture {
    Architecture::Decoder(read(family, fields))
}

/// Reads the config of a decoder. What is wrong is pushed to `fields`.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let model_type = family.decoder_type();
    let mut config = match model_type {
        DecoderType::Llama
        | DecoderType::Mistral
        | DecoderType::Qwen2
        | DecoderType::Qwen3
        | DecoderType::Mixtral
        | DecoderType::Olmoe
        | DecoderType::Qwen2Moe
        | DecoderType::Qwen3Moe => llama::read(family, fields),
        _ => read_unlike_llama(family, fields),
    };
    let (named, null) = (fields.get(START).is_some(), fields.is_null(START));
    config.starts = (named || null).then_some(named);
    let named = windows::TYPES.map(|list| fields.get(list));
    if named.iter().any(Option::is_some) && model_type != DecoderType::NemotronH {
        windows::check_types(config.num_hidden_layers, fields);
    }
    config
}

/// The same of other types. The page fetches it when its first estimate is there.
#[inline(never)]
fn read_unlike_llama(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let model_type = family.decoder_type();
    match model_type {
        DecoderType::Mamba | DecoderType::Mamba2 | DecoderType::FalconMamba => {
            mamba::read(family, fields)
        }
        DecoderType::Bamba
        | DecoderType::Lfm2
        | DecoderType::Lfm2Moe
        | DecoderType::FalconH1
        | DecoderType::GraniteMoeHybrid
        | DecoderType::Jamba
        | DecoderType::Qwen3Next
        | DecoderType::Qwen35
        | DecoderType::Qwen35Moe => hybrid::read(family, fields),
        DecoderType::NemotronH => nemotron_h::read(family, fields),
        DecoderType::OlmoHybrid => olmo_hybrid::read(family, fields),
        DecoderType::MiniMax => minimax::read(family, fields),
        DecoderType::JetMoe => jetmoe::read(family, fields),
        DecoderType::Bloom => bloom::read(family, fields),
        DecoderType::Mpt => mpt::read(family, fields),
        DecoderType::Falcon => falcon::read(family, fields),
        DecoderType::Gpt2 | DecoderType::GptBigCode => gpt2::read(family, fields),
        DecoderType::GptNeo | DecoderType::GptJ | DecoderType::CodeGen => {
            gpt2::read_wide(family, fields)
        }
        DecoderType::GptNeox => gpt_neox::read(family, fields),
        DecoderType::Gemma
        | DecoderType::Gemma2
        | DecoderType::Gemma3
        | DecoderType::Gemma3n
        | DecoderType::Gemma4
        | DecoderType::VaultGemma => gemma::read(family, fields),
        DecoderType::Opt => opt::read(family, fields),
        DecoderType::BioGpt => opt::read_biogpt(family, fields),
        DecoderType::Xglm => opt::read_xglm(family, fields),
        DecoderType::Olmo2 => olmo2::read(family, fields),
        DecoderType::DeepseekV2
        | DecoderType::DeepseekV3
        | DecoderType::DeepseekV32
        | DecoderType::GlmMoeDsa
        | DecoderType::Glm4MoeLite
        | DecoderType::AxK1
        | DecoderType::Mistral4
        | DecoderType::Youtu
        | DecoderType::MiniCpm3 => deepseek::read(family, fields),
        DecoderType::Phi => phi::read(family, fields),
        DecoderType::Phi3 => phi3::read(family, fields),
        DecoderType::Llama4 => llama4::read(family, fields),
        _ => kin::read(family, fields),
    }
}

/// All modules with parameters, in the order in which they are built.
pub(crate) fn modules(config: &DecoderConfig, framework: Framework) -> Vec<Module> {
    match config.model_type {
        DecoderType::Llama
        | DecoderType::Mistral
        | DecoderType::Qwen2
        | DecoderType::Qwen3
        | DecoderType::Mixtral
        | DecoderType::Olmoe
        | DecoderType::Qwen2Moe
        | DecoderType::Qwen3Moe => llama::modules(config, framework),
        DecoderType::Mamba | DecoderType::Mamba2 | DecoderType::FalconMamba => {
            mamba::modules(config)
        }
        DecoderType::Bamba
        | DecoderType::Lfm2
        | DecoderType::Lfm2Moe
        | DecoderType::FalconH1
        | DecoderType::GraniteMoeHybrid
        | DecoderType::Jamba
        | DecoderType::Qwen3Next
        | DecoderType::Qwen35
        | DecoderType::Qwen35Moe
        | DecoderType::OlmoHybrid
        | DecoderType::MiniMax
        | DecoderType::NemotronH => hybrid::modules(config, framework),
        DecoderType::Bloom => bloom::modules(config),
        DecoderType::Mpt => mpt::modules(config),
        DecoderType::JetMoe => jetmoe::modules(config),
        DecoderType::Doge => doge::modules(config),
        DecoderType::Falcon => falcon::modules(config),
        DecoderType::Gpt2
        | DecoderType::GptBigCode
        | DecoderType::GptNeo
        | DecoderType::GptJ
        | DecoderType::CodeGen => gpt2::modules(config),
        DecoderType::GptNeox => gpt_neox::modules(config, framework),
        DecoderType::Gemma
        | DecoderType::Gemma2
        | DecoderType::Gemma3
        | DecoderType::Gemma3n
        | DecoderType::Gemma4
        | DecoderType::VaultGemma => gemma::modules(config),
        DecoderType::Opt | DecoderType::BioGpt | DecoderType::Xglm => opt::modules(config),
        DecoderType::Olmo2 => olmo2::modules(config),
        DecoderType::DeepseekV2
        | DecoderType::DeepseekV3
        | DecoderType::DeepseekV32
        | DecoderType::GlmMoeDsa
        | DecoderType::Glm4MoeLite
        | DecoderType::AxK1
        | DecoderType::Mistral4
        | DecoderType::Youtu
        | DecoderType::MiniCpm3 => deepseek::modules(config, framework),
        DecoderType::Phi => phi::modules(config),
        DecoderType::Phi3 => phi3::modules(config),
        _ => kin::modules(config, framework),
    }
}

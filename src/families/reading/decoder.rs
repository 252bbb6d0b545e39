//! Decoders: their sizes and options, and which list of modules belongs to which `model_type`.

use super::layer_lists;
use crate::ask::Framework;
use crate::families::bloom::reader as bloom;
use crate::families::deepseek::reader as deepseek;
use crate::families::doge::reader as doge;
use crate::families::falcon::reader as falcon;
use crate::families::gemma::reader as gemma;
use crate::families::gpt_neox::reader as gpt_neox;
use crate::families::gpt2::reader as gpt2;
use crate::families::hybrid::reader as hybrid;
use crate::families::jetmoe::reader as jetmoe;
use crate::families::llama::{kin, reader as llama};
use crate::families::mamba::reader as mamba;
use crate::families::mpt::reader as mpt;
use crate::families::olmo::olmo2_reader as olmo2;
use crate::families::opt::reader as opt;
use crate::families::phi::{phi3_reader as phi3, reader as phi};
use crate::model::{ConfigFields, DecoderConfig, DecoderType, Family, Module, Reader};

/// The token that texts begin with.
const START: &str = "bos_token_id";

/// Reads the config of a decoder. What is wrong is pushed to `fields`.
pub(crate) fn read(family: &'static Family, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    let Reader::Decoder(read) = family.read else {
        return DecoderConfig::plain(family, 1, 1, 1);
    };
    let mut config = read(family, fields);
    let (named, null) = (fields.get(START).is_some(), fields.is_null(START));
    config.starts = (named || null).then_some(named);
    if !family.options.layers_listed {
        layer_lists::check(config.num_hidden_layers, fields);
    }
    config
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

//! Every family, a line each, as transformers orders what it names first.

use super::{
    bart, beit, bert, bloom, clip, cohere, conv_nets, deberta, deepseek, distilbert, doge, ernie,
    eurobert, exaone, exported, falcon, fla, gemma, glm, gpt_neox, gpt2, granite, hunyuan, hybrid,
    image_text, internvl, jetmoe, kimi_linear, linear, llama, mamba, minimax, mistral, mistral3,
    mllama, modernbert, mpt, olmo, opt, phi, qwen, qwen_vl, swin, t5, t5gemma, torchtitan,
    torchtune, vit, wav2vec2,
};
use crate::catalog::Model;
use crate::families::network::{Build, Net};
use crate::model::{Architecture, Family, ResolvedSpec};
use crate::nn::build::{Builder, Facts};
#[cfg(not(target_arch = "wasm32"))]
use std::collections::BTreeSet;

/// A family and what builds its models.
pub(crate) struct Entry {
    /// Its record.
    pub(crate) family: &'static Family,
    build: Build,
    /// Whether its models are of the blocks that Llama is built of.
    of_blocks: bool,
}

const fn entry(family: &'static Family, build: Build) -> Entry {
    Entry {
        family,
        build,
        of_blocks: false,
    }
}

/// A decoder of the blocks that Llama is built of, put together as its record says.
const fn like_llama(family: &'static Family) -> Entry {
    Entry {
        of_blocks: true,
        ..entry(family, llama::build)
    }
}

/// The families by their `model_type`. Each is asked for when its turn comes: what no one asks for need not be
/// there.
pub(crate) const FAMILIES: &[fn() -> Entry] = &[
    || like_llama(&llama::LLAMA),
    || like_llama(&mistral::MISTRAL),
    || like_llama(&qwen::QWEN2),
    || like_llama(&qwen::QWEN3),
    || like_llama(&mistral::MIXTRAL),
    || like_llama(&olmo::OLMOE),
    || like_llama(&qwen::QWEN2_MOE),
    || like_llama(&qwen::QWEN3_MOE),
    || entry(&mamba::MAMBA, mamba::build),
    || entry(&mamba::MAMBA2, mamba::build),
    || entry(&mamba::FALCON_MAMBA, mamba::build),
    || like_llama(&hybrid::BAMBA),
    || like_llama(&hybrid::FALCON_H1),
    || like_llama(&hybrid::LFM2),
    || like_llama(&hybrid::LFM2_MOE),
    || entry(&bloom::BLOOM, bloom::build),
    || entry(&mpt::MPT, mpt::build),
    || entry(&falcon::FALCON, falcon::build),
    || like_llama(&deepseek::DEEPSEEK_V2),
    || like_llama(&deepseek::DEEPSEEK_V3),
    || like_llama(&deepseek::DEEPSEEK_V32),
    || like_llama(&glm::GLM_MOE_DSA),
    || entry(&gpt2::GPT2, gpt2::build),
    || entry(&gpt2::GPT_BIGCODE, gpt2::build_big_code),
    || entry(&gpt2::GPT_NEO, gpt2::build_neo),
    || entry(&gpt2::GPTJ, gpt2::build_j),
    || entry(&gpt2::CODEGEN, gpt2::build_code_gen),
    || entry(&t5::T5, t5::build),
    || entry(&bert::BERT, bert::build),
    || entry(&bert::ROBERTA, bert::build),
    || entry(&bert::DATA2VEC_TEXT, bert::build),
    || entry(&bert::ERNIE, bert::build),
    || entry(&bert::ROBERTA_PRELAYERNORM, bert::build_pre_norm),
    || entry(&bert::XLM_ROBERTA_XL, bert::build_pre_norm),
    || entry(&bert::MEGATRON_BERT, bert::build_pre_norm),
    || entry(&bert::ESM, bert::build_esm),
    || entry(&bert::DEBERTA, deberta::build),
    || entry(&bert::DEBERTA_V2, deberta::build),
    || entry(&bert::MPNET, bert::build_mpnet),
    || entry(&bert::NOMIC_BERT, bert::build_nomic),
    || entry(&bert::LAYOUTLM, bert::build_layoutlm),
    || entry(&bert::REMBERT, bert::build_written_out),
    || entry(&bert::ROFORMER, bert::build_written_out),
    || entry(&bert::ELECTRA, bert::build),
    || entry(&bert::ALBERT, bert::build),
    || entry(&bart::BART, bart::build),
    || entry(&bart::MBART, bart::build),
    || entry(&bart::PLBART, bart::build),
    || entry(&bart::BLENDERBOT, bart::build),
    || entry(&bart::BLENDERBOT_SMALL, bart::build),
    || entry(&bart::PEGASUS, bart::build),
    || entry(&bart::MARIAN, bart::build),
    || entry(&bart::M2M_100, bart::build),
    || entry(&bart::WHISPER, bart::build_whisper),
    || entry(&vit::VIT, vit::build),
    || entry(&vit::VIT_MSN, vit::build),
    || entry(&vit::AUDIO_SPECTROGRAM_TRANSFORMER, vit::build),
    || entry(&vit::DEIT, vit::build),
    || entry(&vit::DINOV2, vit::build),
    || entry(&vit::DINOV2_WITH_REGISTERS, vit::build),
    || entry(&swin::SWIN, swin::build),
    || entry(&swin::SWINV2, swin::build),
    || entry(&beit::BEIT, beit::build),
    || entry(&beit::DATA2VEC_VISION, beit::build),
    || entry(&conv_nets::CONVNEXT, conv_nets::build_convnext),
    || entry(&conv_nets::CONVNEXTV2, conv_nets::build_convnext),
    || entry(&conv_nets::RESNET, conv_nets::build_resnet),
    || entry(&wav2vec2::WAV2VEC2, wav2vec2::build),
    || entry(&wav2vec2::UNISPEECH, wav2vec2::build),
    || entry(&wav2vec2::UNISPEECH_SAT, wav2vec2::build),
    || entry(&wav2vec2::DATA2VEC_AUDIO, wav2vec2::build),
    || entry(&wav2vec2::WAVLM, wav2vec2::build),
    || entry(&wav2vec2::HUBERT, wav2vec2::build),
    || entry(&clip::CLIP, clip::build),
    || entry(&clip::SIGLIP, clip::build),
    || like_llama(&image_text::LLAVA),
    || like_llama(&image_text::LLAVA_NEXT),
    || like_llama(&image_text::GEMMA3_WITH_IMAGES),
    || like_llama(&image_text::PALIGEMMA),
    || like_llama(&image_text::IDEFICS3),
    || like_llama(&image_text::SMOLVLM),
    || entry(&mllama::MLLAMA, mllama::build),
    || like_llama(&internvl::INTERNVL),
    || like_llama(&mistral3::MISTRAL3_WITH_IMAGES),
    || like_llama(&qwen_vl::QWEN2_VL),
    || like_llama(&qwen_vl::QWEN2_5_VL),
    || like_llama(&qwen_vl::QWEN3_VL),
    || like_llama(&qwen_vl::QWEN3_VL_MOE),
    || entry(&distilbert::DISTILBERT, distilbert::build),
    || entry(&modernbert::MODERNBERT, modernbert::build),
    || entry(&modernbert::MODERNBERT_DECODER, modernbert::build),
    || entry(&eurobert::EUROBERT, eurobert::build),
    || entry(&t5::MT5, t5::build),
    || entry(&t5::UMT5, t5::build),
    || entry(&t5gemma::T5GEMMA, t5gemma::build),
    || entry(&gpt_neox::GPT_NEOX, gpt_neox::build),
    || like_llama(&gemma::GEMMA),
    || like_llama(&gemma::GEMMA2),
    || like_llama(&gemma::GEMMA3_TEXT),
    || entry(&gemma::GEMMA3N_TEXT, gemma::build_gemma3n),
    || like_llama(&gemma::GEMMA4_TEXT),
    || entry(&opt::OPT, opt::build),
    || entry(&opt::BIOGPT, opt::build_bio),
    || entry(&opt::XGLM, opt::build_xglm),
    || like_llama(&olmo::OLMO2),
    || entry(&phi::PHI, phi::build),
    || entry(&phi::PHI3, phi::build_phi3),
    || like_llama(&phi::PHIMOE),
    || like_llama(&llama::STARCODER2),
    || like_llama(&llama::DIFFLLAMA),
    || like_llama(&granite::GRANITE),
    || like_llama(&cohere::COHERE),
    || like_llama(&cohere::COHERE2),
    || like_llama(&llama::STABLELM),
    || like_llama(&olmo::OLMO),
    || like_llama(&olmo::OLMO3),
    || like_llama(&llama::SMOLLM3),
    || like_llama(&llama::ARCEE),
    || like_llama(&llama::NEMOTRON),
    || like_llama(&llama::HELIUM),
    || like_llama(&llama::SEED_OSS),
    || like_llama(&mistral::MINISTRAL),
    || like_llama(&mistral::MINISTRAL3),
    || like_llama(&olmo::FLEX_OLMO),
    || like_llama(&exaone::EXAONE_MOE),
    || like_llama(&llama::SOLAR_OPEN),
    || like_llama(&gemma::VAULTGEMMA),
    || like_llama(&minimax::MINIMAX_M2),
    || like_llama(&llama::CWM),
    || like_llama(&llama::APERTUS),
    || like_llama(&llama::JAIS2),
    || like_llama(&llama::AFMOE),
    || like_llama(&hunyuan::HY_V3),
    || like_llama(&llama::NANOCHAT),
    || like_llama(&deepseek::YOUTU),
    || like_llama(&deepseek::MINICPM3),
    || like_llama(&llama::HYPERCLOVAX),
    || like_llama(&llama::MELLUM),
    || like_llama(&llama::BITNET),
    || like_llama(&llama::PERSIMMON),
    || like_llama(&llama::INTERNLM3),
    || like_llama(&llama::IQUESTCODER),
    || like_llama(&mistral::MISTRAL4),
    || like_llama(&cohere::COHERE2_MOE),
    || like_llama(&exaone::EXAONE4),
    || like_llama(&glm::GLM),
    || like_llama(&glm::GLM4),
    || like_llama(&llama::DOTS1),
    || like_llama(&glm::GLM4_MOE),
    || like_llama(&deepseek::AXK1),
    || like_llama(&glm::GLM4_MOE_LITE),
    || like_llama(&ernie::ERNIE4_5),
    || like_llama(&llama::GPT_OSS),
    || like_llama(&granite::GRANITEMOE),
    || like_llama(&granite::GRANITE_SWA),
    || like_llama(&granite::GRANITEMOE_SWA),
    || like_llama(&granite::GRANITEMOESHARED),
    || like_llama(&granite::GRANITEMOEHYBRID),
    || like_llama(&ernie::ERNIE4_5_MOE),
    || like_llama(&hunyuan::HUNYUAN_V1_DENSE),
    || like_llama(&hunyuan::HUNYUAN_V1_MOE),
    || like_llama(&hybrid::NEMOTRON_H),
    || like_llama(&qwen::QWEN3_NEXT),
    || like_llama(&qwen::QWEN3_5),
    || like_llama(&qwen::QWEN3_5_MOE),
    || like_llama(&olmo::OLMO_HYBRID),
    || like_llama(&minimax::MINIMAX),
    || like_llama(&doge::DOGE),
    || like_llama(&jetmoe::JETMOE),
    || like_llama(&hybrid::JAMBA),
    || entry(&kimi_linear::KIMI_LINEAR, kimi_linear::build),
    || like_llama(&llama::LLAMA4_TEXT),
    || entry(&fla::GLA, fla::build),
    || entry(&fla::GATED_DELTANET, fla::build),
    || entry(&fla::RETNET, fla::build),
    || entry(&fla::HGRN, fla::build),
    || entry(&fla::HGRN2, fla::build),
    || entry(&fla::FLA_TRANSFORMER, fla::build),
    || entry(&fla::DELTA_NET, fla::build),
    #[cfg(test)]
    || like_llama(&super::fictitious::FICTITIOUS),
];

/// Families of flash-linear-attention whose `model_type` is one of transformers', too. Its configs alone say
/// how the loss is computed, and always do.
const OF_FLA: &[fn() -> Entry] = &[
    || entry(&fla::FLA_MAMBA, fla::build),
    || entry(&fla::FLA_MAMBA2, fla::build),
];

/// Families that are read as parts of others alone.
const WITHIN: &[fn() -> Entry] = &[|| entry(&mllama::MLLAMA_TEXT, mllama::build)];

/// Families of other libraries, which replace the families that configs are read as.
const OF_TORCHTUNE: &[fn() -> Entry] = &[
    || entry(&torchtune::LLAMA, torchtune::build),
    || entry(&torchtune::LLAMA3_1, torchtune::build),
    || entry(&torchtune::QWEN2, torchtune::build),
    || entry(&torchtune::GEMMA, torchtune::build),
    || entry(&torchtune::GEMMA2, torchtune::build),
    || entry(&torchtune::PHI3, torchtune::build),
    || entry(&torchtitan::LLAMA, torchtune::build),
];

/// The published models of each folder.
pub(crate) const MODELS: &[fn() -> &'static [Model]] = &[
    || qwen::MODELS,
    || llama::MODELS,
    || mistral::MODELS,
    || qwen::MORE_MODELS,
    || llama::MORE_MODELS,
    || mistral::MORE_MODELS,
    || olmo::MODELS,
    || glm::MODELS,
    || deepseek::MODELS,
    || ernie::MODELS,
    || hunyuan::MODELS,
    || hybrid::MODELS,
    || kimi_linear::MODELS,
    || granite::MODELS,
    || minimax::MODELS,
    || opt::MODELS,
    || exaone::MODELS,
    || bart::MODELS,
    || gpt2::MODELS,
    || t5::MODELS,
    || bert::MODELS,
    || gpt_neox::MODELS,
    || gemma::MODELS,
    || image_text::MODELS,
    || cohere::MODELS,
    || mpt::MODELS,
    || phi::MODELS,
    || mamba::MODELS,
    || falcon::MODELS,
    || bloom::MODELS,
    || fla::MODELS,
    || distilbert::MODELS,
    || vit::MODELS,
    || clip::MODELS,
    || qwen_vl::MODELS,
    || internvl::MODELS,
    || mllama::MODELS,
    || mistral3::MODELS,
    || swin::MODELS,
    || wav2vec2::MODELS,
    || conv_nets::MODELS,
    || beit::MODELS,
    || eurobert::MODELS,
    || modernbert::MODELS,
    || t5gemma::MODELS,
];

/// The field by which configs of flash-linear-attention are told.
const FLA_FIELD: &str = "fuse_cross_entropy";

/// Every `model_type` that is read.
pub fn model_types() -> impl Iterator<Item = &'static str> {
    FAMILIES
        .iter()
        .flat_map(|entry| entry().family.model_types.iter().copied())
}

/// The files of `tests/fixtures` that hold measured cases of families.
#[cfg(not(target_arch = "wasm32"))]
pub fn fixtures() -> BTreeSet<&'static str> {
    all()
        .flat_map(|family| family.fixtures.facts())
        .copied()
        .collect()
}

/// Every family.
#[cfg(not(target_arch = "wasm32"))]
pub fn all() -> impl Iterator<Item = &'static Family> {
    let all = [FAMILIES, OF_FLA, WITHIN].into_iter().flatten();
    all.map(|entry| entry().family)
}

/// Whether configs of a family have a field under this name that others call otherwise.
pub(crate) fn maps_to(name: &str) -> bool {
    let mut maps = FAMILIES.iter().map(|entry| entry().family.attribute_map);
    maps.any(|map| map.iter().any(|(_, other)| *other == name))
}

/// The family of this `model_type`.
pub(crate) fn family(model_type: &str) -> Option<&'static Family> {
    named(FAMILIES, model_type)
}

/// The family of a config, which has a field or not.
pub(crate) fn family_of(model_type: &str, has: impl Fn(&str) -> bool) -> Option<&'static Family> {
    let of_fla = has(FLA_FIELD).then(|| named(OF_FLA, model_type));
    of_fla.flatten().or_else(|| family(model_type))
}

fn named(entries: &[fn() -> Entry], model_type: &str) -> Option<&'static Family> {
    let mut families = entries.iter().map(|entry| entry().family);
    families.find(|family| family.model_types.contains(&model_type))
}

/// Whether a family's models are of the blocks that Llama is built of.
pub fn is_of_blocks(family: &Family) -> bool {
    let mut entries = FAMILIES.iter().map(|entry| entry());
    entries.any(|entry| entry.family == family && entry.of_blocks)
}

/// The name of a language model's head.
const HEAD: &str = "lm_head";

/// Whether a model is an embedding, layers, a last norm and a head, by the names of its family.
pub fn has_known_ends(architecture: &Architecture) -> bool {
    let Architecture::Decoder(config) = architecture else {
        return false;
    };
    let known = is_of_blocks(config.family) || *config.family == super::gpt2::GPT2;
    known && config.images.is_none() && config.family.names.head == HEAD
}

/// Builds a model as its family does; a linear layer alone is of none.
pub(crate) fn build(b: &Builder, spec: &ResolvedSpec, facts: Facts) -> Net {
    if let Architecture::Exported(_) = &spec.architecture {
        return exported::build(b, spec, facts);
    }
    let family = spec.architecture.family();
    let lists = [FAMILIES, OF_FLA, WITHIN, OF_TORCHTUNE];
    let lists = lists.into_iter().flatten();
    let mut entries = lists.map(|entry| entry());
    let entry = family.and_then(|family| entries.find(|entry| entry.family == family));
    let build = entry.map_or(linear::build as Build, |entry| entry.build);
    build(b, spec, facts)
}

//! Which `model_type` of a config is read by whom.

use super::decoder;
use super::fields::ConfigFields;
use crate::ask::Task;
use crate::families::bart::{reader as bart, whisper_reader as whisper};
use crate::families::beit::reader as beit;
use crate::families::bert::reader as bert;
use crate::families::clip::reader as dual;
use crate::families::conv_nets::reader as conv_nets;
use crate::families::distilbert::reader as distilbert;
use crate::families::eurobert::reader as eurobert;
use crate::families::fla::reader as fla_config;
use crate::families::image_text::reader as image_text;
use crate::families::modernbert::reader as modernbert;
use crate::families::swin::reader as swin;
use crate::families::t5::reader as t5;
use crate::families::t5gemma::reader as t5gemma;
use crate::families::vit::reader as vit;
use crate::families::wav2vec2::reader as speech;
use crate::model::{
    Architecture, BartKind, BertKind, ConvNetKind, DecoderType, DualKind, FlaMixer, ImageKind,
    SpeechKind, T5Kind, VitKind,
};
use crate::units::apart;

/// Which reader a config is for.
#[derive(Clone, Copy)]
pub(crate) enum Reader {
    Decoder(DecoderType),
    T5(T5Kind),
    T5Gemma,
    Bert(BertKind),
    Bart(BartKind),
    Whisper,
    Fla(FlaMixer),
    Vit(VitKind),
    Dual(DualKind),
    WithImages(ImageKind),
    Swin { second: bool },
    Beit { data2vec: bool },
    ConvNet(ConvNetKind),
    Speech(SpeechKind),
    DistilBert,
    ModernBert { decoder: bool },
    EuroBert,
}

impl Reader {
    /// The same where the config is of flash-linear-attention, which has a model of this name, too:
    /// its configs alone say how the loss is computed, and always do.
    pub(crate) fn of_its_library(self, fields: &ConfigFields<'_>) -> Self {
        if fields.get("fuse_cross_entropy").is_none() {
            return self;
        }
        match self {
            Self::Decoder(DecoderType::Mamba) => Self::Fla(FlaMixer::Mamba),
            Self::Decoder(DecoderType::Mamba2) => Self::Fla(FlaMixer::Mamba2),
            _ => self,
        }
    }

    /// The architecture that a config describes.
    pub(crate) fn read(self, task: Option<Task>, fields: &mut ConfigFields<'_>) -> Architecture {
        match self {
            Self::Bert(kind) => Architecture::Bert(apart(|| bert::read(kind, fields))),
            Self::DistilBert => Architecture::DistilBert(apart(|| distilbert::read(fields))),
            Self::ModernBert { decoder } => {
                Architecture::ModernBert(apart(|| modernbert::read(decoder, fields)))
            }
            Self::EuroBert => Architecture::EuroBert(apart(|| eurobert::read(fields))),
            Self::Vit(kind) => Architecture::Vit(apart(|| vit::read(kind, fields))),
            Self::Dual(kind) => Architecture::Dual(apart(|| dual::read(kind, task, fields))),
            Self::WithImages(kind) => {
                Architecture::Decoder(apart(|| image_text::read(kind, fields)))
            }
            Self::Speech(kind) => Architecture::Speech(apart(|| speech::read(kind, fields))),
            Self::ConvNet(kind) => Architecture::ConvNet(apart(|| conv_nets::read(kind, fields))),
            Self::Beit { data2vec } => Architecture::Beit(apart(|| beit::read(data2vec, fields))),
            Self::Swin { second } => Architecture::Swin(apart(|| swin::read(second, fields))),
            Self::Bart(kind) => Architecture::Bart(apart(|| bart::read(kind, task, fields))),
            Self::Whisper => Architecture::Bart(apart(|| whisper::read(fields))),
            Self::Fla(mixer) => Architecture::Fla(apart(|| fla_config::read(mixer, fields))),
            Self::T5(kind) => Architecture::T5(apart(|| t5::read(kind, fields))),
            Self::T5Gemma => Architecture::T5Gemma(apart(|| t5gemma::read(fields))),
            Self::Decoder(model_type) => Architecture::Decoder(decoder::read(model_type, fields)),
        }
    }
}

/// The `model_type`s that are read, as transformers names them.
pub(crate) const MODEL_TYPES: &[(&str, Reader)] = &[
    ("llama", Reader::Decoder(DecoderType::Llama)),
    ("mistral", Reader::Decoder(DecoderType::Mistral)),
    ("qwen2", Reader::Decoder(DecoderType::Qwen2)),
    ("qwen3", Reader::Decoder(DecoderType::Qwen3)),
    ("mixtral", Reader::Decoder(DecoderType::Mixtral)),
    ("olmoe", Reader::Decoder(DecoderType::Olmoe)),
    ("qwen2_moe", Reader::Decoder(DecoderType::Qwen2Moe)),
    ("qwen3_moe", Reader::Decoder(DecoderType::Qwen3Moe)),
    ("mamba", Reader::Decoder(DecoderType::Mamba)),
    ("mamba2", Reader::Decoder(DecoderType::Mamba2)),
    ("falcon_mamba", Reader::Decoder(DecoderType::FalconMamba)),
    ("bamba", Reader::Decoder(DecoderType::Bamba)),
    ("falcon_h1", Reader::Decoder(DecoderType::FalconH1)),
    ("lfm2", Reader::Decoder(DecoderType::Lfm2)),
    ("lfm2_moe", Reader::Decoder(DecoderType::Lfm2Moe)),
    ("bloom", Reader::Decoder(DecoderType::Bloom)),
    ("mpt", Reader::Decoder(DecoderType::Mpt)),
    ("falcon", Reader::Decoder(DecoderType::Falcon)),
    ("deepseek_v2", Reader::Decoder(DecoderType::DeepseekV2)),
    ("deepseek_v3", Reader::Decoder(DecoderType::DeepseekV3)),
    ("deepseek_v32", Reader::Decoder(DecoderType::DeepseekV32)),
    ("glm_moe_dsa", Reader::Decoder(DecoderType::GlmMoeDsa)),
    ("gpt2", Reader::Decoder(DecoderType::Gpt2)),
    ("gpt-sw3", Reader::Decoder(DecoderType::Gpt2)),
    ("gpt_bigcode", Reader::Decoder(DecoderType::GptBigCode)),
    ("gpt_neo", Reader::Decoder(DecoderType::GptNeo)),
    ("gptj", Reader::Decoder(DecoderType::GptJ)),
    ("codegen", Reader::Decoder(DecoderType::CodeGen)),
    ("t5", Reader::T5(T5Kind::T5)),
    ("bert", Reader::Bert(BertKind::Bert)),
    ("roberta", Reader::Bert(BertKind::Roberta)),
    ("xlm-roberta", Reader::Bert(BertKind::Roberta)),
    ("camembert", Reader::Bert(BertKind::Roberta)),
    ("data2vec-text", Reader::Bert(BertKind::Data2Vec)),
    ("ernie", Reader::Bert(BertKind::Ernie)),
    (
        "roberta-prelayernorm",
        Reader::Bert(BertKind::RobertaPreNorm),
    ),
    ("xlm-roberta-xl", Reader::Bert(BertKind::XlmRobertaXl)),
    ("megatron-bert", Reader::Bert(BertKind::Megatron)),
    ("esm", Reader::Bert(BertKind::Esm)),
    ("deberta", Reader::Bert(BertKind::DebertaV1)),
    ("deberta-v2", Reader::Bert(BertKind::Deberta)),
    ("mpnet", Reader::Bert(BertKind::Mpnet)),
    ("nomic_bert", Reader::Bert(BertKind::Nomic)),
    ("layoutlm", Reader::Bert(BertKind::LayoutLm)),
    ("rembert", Reader::Bert(BertKind::RemBert)),
    ("roformer", Reader::Bert(BertKind::RoFormer)),
    ("electra", Reader::Bert(BertKind::Electra)),
    ("albert", Reader::Bert(BertKind::Albert)),
    ("bart", Reader::Bart(BartKind::Bart)),
    ("mbart", Reader::Bart(BartKind::Mbart)),
    ("plbart", Reader::Bart(BartKind::Plbart)),
    ("blenderbot", Reader::Bart(BartKind::Blenderbot)),
    ("blenderbot-small", Reader::Bart(BartKind::BlenderbotSmall)),
    ("pegasus", Reader::Bart(BartKind::Pegasus)),
    ("marian", Reader::Bart(BartKind::Marian)),
    ("m2m_100", Reader::Bart(BartKind::M2m100)),
    ("whisper", Reader::Whisper),
    ("vit", Reader::Vit(VitKind::Vit)),
    ("vit_msn", Reader::Vit(VitKind::Msn)),
    ("audio-spectrogram-transformer", Reader::Vit(VitKind::Ast)),
    ("deit", Reader::Vit(VitKind::Deit)),
    ("dinov2", Reader::Vit(VitKind::Dinov2)),
    (
        "dinov2_with_registers",
        Reader::Vit(VitKind::Dinov2Registers),
    ),
    ("swin", Reader::Swin { second: false }),
    ("swinv2", Reader::Swin { second: true }),
    ("beit", Reader::Beit { data2vec: false }),
    ("data2vec-vision", Reader::Beit { data2vec: true }),
    ("convnext", Reader::ConvNet(ConvNetKind::ConvNext)),
    ("convnextv2", Reader::ConvNet(ConvNetKind::ConvNextV2)),
    ("resnet", Reader::ConvNet(ConvNetKind::ResNet)),
    ("wav2vec2", Reader::Speech(SpeechKind::Wav2Vec2)),
    ("unispeech", Reader::Speech(SpeechKind::UniSpeech)),
    ("unispeech-sat", Reader::Speech(SpeechKind::UniSpeechSat)),
    ("data2vec-audio", Reader::Speech(SpeechKind::Data2Vec)),
    ("wavlm", Reader::Speech(SpeechKind::WavLm)),
    ("hubert", Reader::Speech(SpeechKind::Hubert)),
    ("clip", Reader::Dual(DualKind::Clip)),
    ("siglip", Reader::Dual(DualKind::Siglip)),
    ("llava", Reader::WithImages(ImageKind::Llava)),
    ("llava_next", Reader::WithImages(ImageKind::LlavaNext)),
    ("gemma3", Reader::WithImages(ImageKind::Gemma3)),
    ("paligemma", Reader::WithImages(ImageKind::PaliGemma)),
    ("idefics3", Reader::WithImages(ImageKind::Idefics3)),
    ("smolvlm", Reader::WithImages(ImageKind::SmolVlm)),
    ("mllama", Reader::WithImages(ImageKind::Mllama)),
    ("internvl", Reader::WithImages(ImageKind::InternVl)),
    ("mistral3", Reader::WithImages(ImageKind::Mistral3)),
    ("qwen2_vl", Reader::WithImages(ImageKind::Qwen2)),
    ("qwen2_5_vl", Reader::WithImages(ImageKind::Qwen25)),
    ("qwen3_vl", Reader::WithImages(ImageKind::Qwen3)),
    ("qwen3_vl_moe", Reader::WithImages(ImageKind::Qwen3Moe)),
    ("distilbert", Reader::DistilBert),
    ("modernbert", Reader::ModernBert { decoder: false }),
    ("modernbert-decoder", Reader::ModernBert { decoder: true }),
    ("eurobert", Reader::EuroBert),
    ("mt5", Reader::T5(T5Kind::Mt5)),
    ("umt5", Reader::T5(T5Kind::Umt5)),
    ("t5gemma", Reader::T5Gemma),
    ("gpt_neox", Reader::Decoder(DecoderType::GptNeox)),
    ("gemma", Reader::Decoder(DecoderType::Gemma)),
    ("gemma2", Reader::Decoder(DecoderType::Gemma2)),
    ("gemma3_text", Reader::Decoder(DecoderType::Gemma3)),
    ("gemma3n_text", Reader::Decoder(DecoderType::Gemma3n)),
    ("gemma4_text", Reader::Decoder(DecoderType::Gemma4)),
    ("opt", Reader::Decoder(DecoderType::Opt)),
    ("biogpt", Reader::Decoder(DecoderType::BioGpt)),
    ("xglm", Reader::Decoder(DecoderType::Xglm)),
    ("olmo2", Reader::Decoder(DecoderType::Olmo2)),
    ("phi", Reader::Decoder(DecoderType::Phi)),
    ("phi3", Reader::Decoder(DecoderType::Phi3)),
    ("phimoe", Reader::Decoder(DecoderType::PhiMoe)),
    ("starcoder2", Reader::Decoder(DecoderType::Starcoder2)),
    ("diffllama", Reader::Decoder(DecoderType::DiffLlama)),
    ("granite", Reader::Decoder(DecoderType::Granite)),
    ("cohere", Reader::Decoder(DecoderType::Cohere)),
    ("cohere2", Reader::Decoder(DecoderType::Cohere2)),
    ("stablelm", Reader::Decoder(DecoderType::StableLm)),
    ("olmo", Reader::Decoder(DecoderType::Olmo)),
    ("olmo3", Reader::Decoder(DecoderType::Olmo3)),
    ("smollm3", Reader::Decoder(DecoderType::SmolLm3)),
    ("arcee", Reader::Decoder(DecoderType::Arcee)),
    ("nemotron", Reader::Decoder(DecoderType::Nemotron)),
    ("helium", Reader::Decoder(DecoderType::Helium)),
    ("seed_oss", Reader::Decoder(DecoderType::SeedOss)),
    ("ministral", Reader::Decoder(DecoderType::Ministral)),
    ("ministral3", Reader::Decoder(DecoderType::Ministral3)),
    ("flex_olmo", Reader::Decoder(DecoderType::FlexOlmo)),
    ("exaone_moe", Reader::Decoder(DecoderType::ExaoneMoe)),
    ("solar_open", Reader::Decoder(DecoderType::SolarOpen)),
    ("vaultgemma", Reader::Decoder(DecoderType::VaultGemma)),
    ("minimax_m2", Reader::Decoder(DecoderType::MiniMaxM2)),
    ("cwm", Reader::Decoder(DecoderType::Cwm)),
    ("apertus", Reader::Decoder(DecoderType::Apertus)),
    ("jais2", Reader::Decoder(DecoderType::Jais2)),
    ("afmoe", Reader::Decoder(DecoderType::Afmoe)),
    ("hy_v3", Reader::Decoder(DecoderType::HyV3)),
    ("nanochat", Reader::Decoder(DecoderType::NanoChat)),
    ("youtu", Reader::Decoder(DecoderType::Youtu)),
    ("minicpm3", Reader::Decoder(DecoderType::MiniCpm3)),
    ("hyperclovax", Reader::Decoder(DecoderType::HyperClovaX)),
    ("mellum", Reader::Decoder(DecoderType::Mellum)),
    ("bitnet", Reader::Decoder(DecoderType::BitNet)),
    ("persimmon", Reader::Decoder(DecoderType::Persimmon)),
    ("internlm3", Reader::Decoder(DecoderType::InternLm3)),
    ("iquestcoder", Reader::Decoder(DecoderType::IQuestCoder)),
    ("mistral4", Reader::Decoder(DecoderType::Mistral4)),
    ("cohere2_moe", Reader::Decoder(DecoderType::Cohere2Moe)),
    ("exaone4", Reader::Decoder(DecoderType::Exaone4)),
    ("glm", Reader::Decoder(DecoderType::Glm)),
    ("glm4", Reader::Decoder(DecoderType::Glm4)),
    ("dots1", Reader::Decoder(DecoderType::Dots1)),
    ("glm4_moe", Reader::Decoder(DecoderType::Glm4Moe)),
    ("axk1", Reader::Decoder(DecoderType::AxK1)),
    ("glm4_moe_lite", Reader::Decoder(DecoderType::Glm4MoeLite)),
    ("ernie4_5", Reader::Decoder(DecoderType::Ernie45)),
    ("gpt_oss", Reader::Decoder(DecoderType::GptOss)),
    ("granitemoe", Reader::Decoder(DecoderType::GraniteMoe)),
    ("granite_swa", Reader::Decoder(DecoderType::GraniteSwa)),
    (
        "granitemoe_swa",
        Reader::Decoder(DecoderType::GraniteMoeSwa),
    ),
    (
        "granitemoeshared",
        Reader::Decoder(DecoderType::GraniteMoeShared),
    ),
    (
        "granitemoehybrid",
        Reader::Decoder(DecoderType::GraniteMoeHybrid),
    ),
    ("ernie4_5_moe", Reader::Decoder(DecoderType::Ernie45Moe)),
    (
        "hunyuan_v1_dense",
        Reader::Decoder(DecoderType::HunyuanDense),
    ),
    ("hunyuan_v1_moe", Reader::Decoder(DecoderType::HunyuanMoe)),
    ("nemotron_h", Reader::Decoder(DecoderType::NemotronH)),
    ("qwen3_next", Reader::Decoder(DecoderType::Qwen3Next)),
    ("qwen3_5", Reader::Decoder(DecoderType::Qwen35)),
    ("qwen3_5_text", Reader::Decoder(DecoderType::Qwen35)),
    ("qwen3_5_moe", Reader::Decoder(DecoderType::Qwen35Moe)),
    ("qwen3_5_moe_text", Reader::Decoder(DecoderType::Qwen35Moe)),
    ("olmo_hybrid", Reader::Decoder(DecoderType::OlmoHybrid)),
    ("minimax", Reader::Decoder(DecoderType::MiniMax)),
    ("doge", Reader::Decoder(DecoderType::Doge)),
    ("jetmoe", Reader::Decoder(DecoderType::JetMoe)),
    ("jamba", Reader::Decoder(DecoderType::Jamba)),
    ("llama4_text", Reader::Decoder(DecoderType::Llama4)),
    ("gla", Reader::Fla(FlaMixer::Gla)),
    ("gated_deltanet", Reader::Fla(FlaMixer::GatedDeltaNet)),
    ("retnet", Reader::Fla(FlaMixer::RetNet)),
    ("hgrn", Reader::Fla(FlaMixer::Hgrn)),
    ("hgrn2", Reader::Fla(FlaMixer::Hgrn2)),
    ("transformer", Reader::Fla(FlaMixer::Attention)),
    ("delta_net", Reader::Fla(FlaMixer::DeltaNet)),
];

/// The decoder of this `model_type`.
pub(crate) fn decoder_type(model_type: &str) -> Option<DecoderType> {
    let found = MODEL_TYPES.iter().find(|(name, _)| *name == model_type);
    match found?.1 {
        Reader::Decoder(found) => Some(found),
        _ => None,
    }
}

/// Whether configs of this `model_type` are read.
pub(crate) fn is_known(model_type: &str) -> bool {
    MODEL_TYPES.iter().any(|(name, _)| *name == model_type)
}

//! From a reference to a model to its architecture.

use super::config_fields::{ConfigFields, shortened};
use super::limits::{WIDTH, check};
use super::{
    Architecture, BartKind, BertKind, DecoderType, DualKind, Finding, FlaMixer, Framework,
    ImageKind, LinearModel, ModelRef, Scenario, T5Kind, Task, VitKind, bart, bert, closest,
    decoder, distilbert, dual, eurobert, fla_config, guess, image_text, modernbert, size_only,
    swin, t5, vit, whisper,
};
use crate::catalog;
use crate::units::apart;
use serde_json::{Map, Value};

/// Which reader a config is for.
#[derive(Clone, Copy)]
enum Reader {
    Decoder(DecoderType),
    T5(T5Kind),
    Bert(BertKind),
    Bart(BartKind),
    Whisper,
    Fla(FlaMixer),
    Vit(VitKind),
    Dual(DualKind),
    WithImages(ImageKind),
    Swin,
    DistilBert,
    ModernBert { decoder: bool },
    EuroBert,
}

impl Reader {
    fn read(self, task: Option<Task>, fields: &mut ConfigFields<'_>) -> Architecture {
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
            Self::Swin => Architecture::Swin(apart(|| swin::read(fields))),
            Self::Bart(kind) => Architecture::Bart(apart(|| bart::read(kind, fields))),
            Self::Whisper => Architecture::Bart(apart(|| whisper::read(fields))),
            Self::Fla(mixer) => Architecture::Fla(apart(|| fla_config::read(mixer, fields))),
            Self::T5(kind) => Architecture::T5(apart(|| t5::read(kind, fields))),
            Self::Decoder(model_type) => Architecture::Decoder(decoder::read(model_type, fields)),
        }
    }
}

/// The `model_type`s that are read, as transformers names them.
const MODEL_TYPES: &[(&str, Reader)] = &[
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
    ("deberta-v2", Reader::Bert(BertKind::Deberta)),
    ("mpnet", Reader::Bert(BertKind::Mpnet)),
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
    ("deit", Reader::Vit(VitKind::Deit)),
    ("dinov2", Reader::Vit(VitKind::Dinov2)),
    ("swin", Reader::Swin),
    ("clip", Reader::Dual(DualKind::Clip)),
    ("siglip", Reader::Dual(DualKind::Siglip)),
    ("llava", Reader::WithImages(ImageKind::Llava)),
    ("gemma3", Reader::WithImages(ImageKind::Gemma3)),
    ("paligemma", Reader::WithImages(ImageKind::PaliGemma)),
    ("qwen2_vl", Reader::WithImages(ImageKind::Qwen2)),
    ("qwen2_5_vl", Reader::WithImages(ImageKind::Qwen25)),
    ("distilbert", Reader::DistilBert),
    ("modernbert", Reader::ModernBert { decoder: false }),
    ("modernbert-decoder", Reader::ModernBert { decoder: true }),
    ("eurobert", Reader::EuroBert),
    ("mt5", Reader::T5(T5Kind::Mt5)),
    ("umt5", Reader::T5(T5Kind::Umt5)),
    ("gpt_neox", Reader::Decoder(DecoderType::GptNeox)),
    ("gemma", Reader::Decoder(DecoderType::Gemma)),
    ("gemma2", Reader::Decoder(DecoderType::Gemma2)),
    ("gemma3_text", Reader::Decoder(DecoderType::Gemma3)),
    ("gemma4_text", Reader::Decoder(DecoderType::Gemma4)),
    ("opt", Reader::Decoder(DecoderType::Opt)),
    ("biogpt", Reader::Decoder(DecoderType::BioGpt)),
    ("olmo2", Reader::Decoder(DecoderType::Olmo2)),
    ("phi", Reader::Decoder(DecoderType::Phi)),
    ("phi3", Reader::Decoder(DecoderType::Phi3)),
    ("phimoe", Reader::Decoder(DecoderType::PhiMoe)),
    ("starcoder2", Reader::Decoder(DecoderType::Starcoder2)),
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
    ("jamba", Reader::Decoder(DecoderType::Jamba)),
    ("llama4_text", Reader::Decoder(DecoderType::Llama4)),
    ("gla", Reader::Fla(FlaMixer::Gla)),
    ("gated_deltanet", Reader::Fla(FlaMixer::GatedDeltaNet)),
    ("retnet", Reader::Fla(FlaMixer::RetNet)),
    ("hgrn2", Reader::Fla(FlaMixer::Hgrn2)),
    ("transformer", Reader::Fla(FlaMixer::Attention)),
    ("delta_net", Reader::Fla(FlaMixer::DeltaNet)),
];

/// Whether the config is of a model whose parts are all read: that of texts with images as transformers
/// 5 writes it.
fn reads_all_parts(config: &Map<String, Value>, framework: Framework) -> bool {
    let given = config.get("model_type").and_then(Value::as_str);
    let mut readers = MODEL_TYPES.iter().filter(|(name, _)| given == Some(name));
    readers.any(|(_, reader)| match reader {
        Reader::Dual(_) => true,
        Reader::WithImages(_) => framework == Framework::Torch215Transformers523,
        _ => false,
    })
}

/// The decoder of this `model_type`.
pub(super) fn decoder_type(model_type: &str) -> Option<DecoderType> {
    let found = MODEL_TYPES.iter().find(|(name, _)| *name == model_type);
    match found?.1 {
        Reader::Decoder(found) => Some(found),
        _ => None,
    }
}

/// Whether configs of this `model_type` are read.
pub(super) fn is_known(model_type: &str) -> bool {
    MODEL_TYPES.iter().any(|(name, _)| *name == model_type)
}

/// A model with a name for people.
pub(super) struct Model {
    /// Name for people.
    pub(super) name: String,
    /// All its sizes.
    pub(super) architecture: Architecture,
    /// Tokens that its positions were made for, when it says so.
    pub(super) max_positions: Option<u64>,
}

/// Looks up or reads the model; what is wrong is pushed to `findings`.
pub(super) fn read(scenario: &Scenario, findings: &mut Vec<Finding>) -> Option<Model> {
    match &scenario.model {
        ModelRef::Catalog(id) => {
            let entry = catalog::model(id).or_else(|| {
                findings.push(unknown_id(id));
                None
            })?;
            let config = parse(entry.config);
            let fields = ConfigFields::new(&config, &scenario.model_overrides, "model_overrides");
            read_config((entry.name.to_owned(), scenario.task), fields, findings)
        }
        ModelRef::HfConfig { hf_config } => {
            let overrides = &scenario.model_overrides;
            let fields = ConfigFields::new(hf_config, overrides, "model.hf_config");
            let name = (config_name(hf_config), scenario.task);
            let text = hf_config.get("text_config");
            if let Some(text) = text
                .and_then(Value::as_object)
                .filter(|_| !reads_all_parts(hf_config, scenario.framework))
            {
                findings.push(text_part_only());
                let fields = ConfigFields::new(text, overrides, "model.hf_config.text_config");
                return read_config(name, fields, findings);
            }
            if let Some(text) = image_text::flat_text_part(hf_config)
                && !reads_all_parts(hf_config, scenario.framework)
            {
                findings.push(text_part_only());
                let fields = ConfigFields::new(&text, overrides, "model.hf_config");
                return read_config(name, fields, findings);
            }
            read_config(name, fields, findings)
        }
        ModelRef::Linear { linear } => read_linear(*linear, findings),
        ModelRef::NumParameters { num_parameters } => {
            let config = size_only::config(*num_parameters, findings)?;
            let fields = ConfigFields::new(&config, &scenario.model_overrides, "model_overrides");
            let name = number_name(*num_parameters);
            read_config((name, scenario.task), fields, findings)
        }
    }
}

/// A catalog config; a test reads all of them, so that none can be broken.
fn parse(config: &str) -> Map<String, Value> {
    serde_json::from_str(config).unwrap_or_default()
}

/// What a pasted config says of itself.
fn config_name(config: &Map<String, Value>) -> String {
    const LONGEST: usize = 60;
    let text = |key| {
        config
            .get(key)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let name = text("_name_or_path")
        .or_else(|| text("model_type"))
        .unwrap_or("config.json");
    name.chars().take(LONGEST).collect()
}

fn read_config(
    name: (String, Option<Task>),
    mut fields: ConfigFields<'_>,
    findings: &mut Vec<Finding>,
) -> Option<Model> {
    let Some(config) = guessed(&mut fields) else {
        return read_known(name, fields, findings);
    };
    findings.extend(fields.into_findings());
    let nothing = Map::new();
    let fields = ConfigFields::new(&config, &nothing, "model.hf_config");
    read_known(name, fields, findings)
}

fn read_known(
    (name, task): (String, Option<Task>),
    mut fields: ConfigFields<'_>,
    findings: &mut Vec<Finding>,
) -> Option<Model> {
    let architecture = model_type(&mut fields).map(|reader| reader.read(task, &mut fields));
    if fields.get("quantization_config").is_some() {
        let key = fields.key("quantization_config");
        fields.push(
            Finding::error(
                &key,
                "Quantized checkpoints are not estimated yet; without quantization_config the \
                 weights are taken in the chosen precision.",
                "暂不支持量化的检查点；去掉 quantization_config 后按所选精度估算权重。",
            )
            .with_fix(&key, Value::Null),
        );
    }
    let max_positions = fields
        .get("max_position_embeddings")
        .or_else(|| fields.get("n_positions"))
        .or_else(|| fields.get("max_seq_len"))
        .and_then(Value::as_u64);
    let max_positions = match &architecture {
        Some(Architecture::Dual(config)) => {
            let text = config.text.as_ref();
            text.map(|text| text.max_position_embeddings)
        }
        Some(Architecture::Decoder(config)) if config.images.is_some() => fields
            .get("text_config")
            .and_then(|text| text.get("max_position_embeddings"))
            .and_then(Value::as_u64)
            .or(max_positions),
        _ => max_positions,
    };
    findings.extend(fields.into_findings());
    architecture.map(|architecture| Model {
        name,
        architecture,
        max_positions,
    })
}

/// The config of a known type in the place of one of an unknown type that looks like a decoder's.
fn guessed(fields: &mut ConfigFields<'_>) -> Option<Map<String, Value>> {
    let given = fields.get("model_type")?;
    let name = given.as_str()?;
    if is_known(name) {
        return None;
    }
    let key = fields.key("model_type");
    let (config, warning) = guess::like_a_decoder(&shortened(given), &key, fields).ok()?;
    fields.push(warning);
    Some(config)
}

/// Which reader the config is for.
fn model_type(fields: &mut ConfigFields<'_>) -> Option<Reader> {
    let names = || MODEL_TYPES.iter().map(|(name, _)| *name);
    let all = names().collect::<Vec<_>>().join(", ");
    let key = fields.key("model_type");
    let Some(given) = fields.get("model_type") else {
        let found = by_class(fields);
        if found.is_none() {
            fields.push(
                Finding::error(
                    &key,
                    format!("The config has no model_type; it must be one of {all}."),
                    format!("配置中缺少 model_type；可选值：{all}。"),
                )
                .with_fix(&key, "llama"),
            );
        }
        return found;
    };
    let found = MODEL_TYPES
        .iter()
        .find(|(name, _)| given.as_str() == Some(name));
    if found.is_none() {
        let shown = shortened(given);
        let (why, why_zh) = match guess::like_a_decoder(&shown, &key, fields) {
            Err(refusal) => (refusal.english, refusal.chinese),
            Ok(_) => (
                String::from("its type is no text"),
                String::from("其类型不是文本"),
            ),
        };
        let finding = Finding::error(
            &key,
            format!(
                "Models of type {shown} are not supported yet, and it cannot be estimated as a \
                 decoder: {why}. Supported are {all}."
            ),
            format!("暂不支持 {shown} 类型的模型，也无法按解码器估算：{why_zh}。目前支持 {all}。"),
        );
        let nearest = given.as_str().and_then(|name| closest(name, names()));
        fields.push(match nearest {
            Some(name) => finding.with_fix(&key, name),
            None => finding,
        });
    }
    found.map(|&(_, reader)| reader)
}

/// The reader for the class that the config names in `architectures`.
fn by_class(fields: &ConfigFields<'_>) -> Option<Reader> {
    let class = fields.get("architectures")?.as_array()?.first()?.as_str()?;
    let (name, _) = class
        .split_once("For")
        .or_else(|| class.split_once("LMHead"))?;
    let found = MODEL_TYPES
        .iter()
        .find(|(model_type, _)| name.eq_ignore_ascii_case(&model_type.replace(['_', '-'], "")));
    found.map(|&(_, reader)| reader)
}

fn read_linear(linear: LinearModel, findings: &mut Vec<Finding>) -> Option<Model> {
    let before = findings.len();
    check(
        "model.linear.in_features",
        linear.in_features,
        &WIDTH,
        findings,
    );
    check(
        "model.linear.out_features",
        linear.out_features,
        &WIDTH,
        findings,
    );
    (findings.len() == before).then(|| Model {
        name: format!("nn.Linear({}, {})", linear.in_features, linear.out_features),
        architecture: Architecture::Linear(linear),
        max_positions: None,
    })
}

fn unknown_id(id: &str) -> Finding {
    const LONGEST: usize = 60;
    let shown: String = id.chars().take(LONGEST).collect();
    let finding = Finding::error(
        "model",
        format!(
            "There is no model {shown:?} in the catalog; choose one from it or paste its config.json."
        ),
        format!("目录中没有模型 {shown:?}；请从目录中选择，或粘贴它的 config.json。"),
    );
    // A hub id such as `Qwen/Qwen2.5-1.5B` names its model after the slash.
    let name = id.rsplit('/').next().unwrap_or(id);
    match closest(name, catalog::MODELS.iter().map(|model| model.id)) {
        Some(nearest) => finding.with_fix("model", nearest),
        None => finding,
    }
}

fn text_part_only() -> Finding {
    Finding::warning(
        "model.hf_config.text_config",
        "The config is of a model with several parts; only its text_config is estimated.",
        "该配置描述多模态模型；只估算其中的 text_config（文本部分）。",
    )
}

/// What a model is called of which only the number of parameters is known.
fn number_name(parameters: u64) -> String {
    const MILLION: u64 = 1_000_000;
    const BILLION: u64 = 1000 * MILLION;
    if parameters >= BILLION {
        let tenths = (parameters + BILLION / 20) / (BILLION / 10);
        format!("{}.{}B", tenths / 10, tenths % 10)
    } else {
        format!("{}M", (parameters + MILLION / 2) / MILLION)
    }
}

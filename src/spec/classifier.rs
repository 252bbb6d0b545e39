//! What classifies: decoders with a classification head (`*ForSequenceClassification`), and what is not
//! estimated of heads.

use super::{
    Architecture, DecoderConfig, DecoderType, EvaluationKind, Finding, Framework, QuantizationType,
    Scenario, Task, evaluation,
};

/// Whether transformers has the class (`models/auto/modeling_auto.py`), and this program reads it.
pub(super) fn exists(config: &DecoderConfig, framework: Framework) -> bool {
    let v5 = framework == Framework::Torch215Transformers523;
    let v448 = framework == Framework::Torch26Transformers448;
    match config.model_type {
        DecoderType::Llama
        | DecoderType::Mistral
        | DecoderType::Qwen2
        | DecoderType::Mixtral
        | DecoderType::Qwen2Moe
        | DecoderType::Gpt2
        | DecoderType::GptBigCode
        | DecoderType::GptNeox
        | DecoderType::Gemma
        | DecoderType::Gemma2
        | DecoderType::Phi
        | DecoderType::Phi3
        | DecoderType::Starcoder2
        | DecoderType::StableLm
        | DecoderType::Glm
        | DecoderType::Nemotron
        | DecoderType::Bloom
        | DecoderType::Falcon
        | DecoderType::GptNeo
        | DecoderType::GptJ
        | DecoderType::Jamba
        | DecoderType::Mpt
        | DecoderType::Opt
        | DecoderType::PhiMoe => true,
        DecoderType::Qwen3 | DecoderType::Qwen3Moe | DecoderType::Glm4 | DecoderType::Helium => {
            !v448
        }
        DecoderType::Gemma3
        | DecoderType::Olmo
        | DecoderType::Olmo2
        | DecoderType::Olmo3
        | DecoderType::DeepseekV2
        | DecoderType::DeepseekV3
        | DecoderType::SmolLm3
        | DecoderType::Exaone4
        | DecoderType::SeedOss
        | DecoderType::Arcee
        | DecoderType::Ministral
        | DecoderType::Ministral3
        | DecoderType::GptOss
        | DecoderType::HunyuanDense
        | DecoderType::HunyuanMoe
        | DecoderType::Qwen3Next
        | DecoderType::Persimmon
        | DecoderType::BioGpt
        | DecoderType::MiniCpm3
        | DecoderType::Mistral4
        | DecoderType::Qwen35 => v5,
        _ => false,
    }
}

/// What is not estimated of such a model.
pub(super) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    let decoder = matches!(architecture, Architecture::Decoder(_));
    if !decoder && scenario.quantization.is_on() && !task.heads_trained_whole().is_empty() {
        findings.push(
            Finding::error(
                "quantization.type",
                "A quantized base below a head that classifies is not estimated.",
                "暂不支持估算带分类头的模型使用量化基座。",
            )
            .with_fix("quantization.type", QuantizationType::None.name()),
        );
    }
    if !decoder || task != Task::SequenceClassification {
        return;
    }
    let mut refuse = |key: &str, what: &str, what_zh: &str, fix: serde_json::Value| {
        findings.push(
            Finding::error(
                key,
                format!("{what} a decoder with a classification head is not estimated yet."),
                format!("暂不支持估算带分类头的解码器{what_zh}。"),
            )
            .with_fix(key, fix),
        );
    };
    if !scenario.liger_kernel.is_empty() {
        let none = serde_json::json!([]);
        refuse("liger_kernel", "Liger in", "使用 Liger", none);
    }
    let kind = evaluation::resolve(scenario).kind;
    if kind == EvaluationKind::Generate {
        let none = EvaluationKind::Loss.name().into();
        refuse("evaluation.kind", "Generation by", "生成文本", none);
    }
}

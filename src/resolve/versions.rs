//! Which models a version of transformers has, and whether they are estimated as it writes them.

use crate::ask::{Attention, Finding, Framework, Scenario, Task};
use crate::model::{
    Architecture, BartKind, BertKind, DecoderType, ModernBertConfig, T5Kind, VitKind,
};

/// Refuses a version that does not have the model, or writes it as the engine does not follow.
pub(crate) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let framework = scenario.framework;
    if framework == Framework::Torch215Transformers523 {
        return;
    }
    match architecture {
        Architecture::Decoder(config)
            if config.images.is_some() || !is_estimated_in_4(config.model_type) =>
        {
            findings.push(only_recent());
        }
        Architecture::Decoder(config) => {
            let oldest = oldest(config.model_type);
            if framework == Framework::Torch26Transformers448 && oldest != framework {
                findings.push(missing(framework, oldest));
            }
        }
        Architecture::Vit(config) if config.kind != VitKind::Vit => findings.push(only_recent()),
        Architecture::Bart(config) if config.alone => findings.push(only_recent()),
        Architecture::Bart(config) => match config.kind {
            BartKind::Bart | BartKind::Mbart | BartKind::Pegasus | BartKind::Marian => {}
            _ => findings.push(only_recent()),
        },
        Architecture::T5(config) if config.kind == T5Kind::Umt5 => findings.push(only_recent()),
        Architecture::Dual(_)
        | Architecture::Swin(_)
        | Architecture::Speech(_)
        | Architecture::ConvNet(_)
        | Architecture::Beit(_)
        | Architecture::T5Gemma(_)
        | Architecture::EuroBert(_) => findings.push(only_recent()),
        Architecture::ModernBert(config) if config.decoder => findings.push(only_recent()),
        Architecture::ModernBert(config) => check_modernbert(scenario, config, findings),
        Architecture::Bert(config)
            if matches!(
                config.kind,
                BertKind::Mpnet
                    | BertKind::DebertaV1
                    | BertKind::Data2Vec
                    | BertKind::Ernie
                    | BertKind::Esm
                    | BertKind::Nomic
                    | BertKind::LayoutLm
                    | BertKind::RemBert
                    | BertKind::RoFormer
            ) || config.kind.pre_norm().is_some() =>
        {
            findings.push(only_recent());
        }
        _ => {}
    }
}

/// The first of the versions that has models of a type, of those that are estimated in more than
/// one of them.
fn oldest(model_type: DecoderType) -> Framework {
    match model_type {
        DecoderType::DeepseekV3
        | DecoderType::Bamba
        | DecoderType::Gemma3
        | DecoderType::Glm4
        | DecoderType::GraniteMoeShared
        | DecoderType::Helium
        | DecoderType::Qwen3
        | DecoderType::Qwen3Moe => Framework::Torch26Transformers451,
        _ => Framework::Torch26Transformers448,
    }
}

fn missing(framework: Framework, oldest: Framework) -> Finding {
    let (name, needed) = (framework.name(), oldest.name());
    Finding::error(
        "framework",
        format!("{name} does not have this model; {needed} does."),
        format!("{name} 尚无该模型；{needed} 才有。"),
    )
    .with_fix("framework", needed)
}

/// What transformers 4 does otherwise with `ModernBERT`.
fn check_modernbert(scenario: &Scenario, config: &ModernBertConfig, findings: &mut Vec<Finding>) {
    if config.compiled {
        findings.push(
            Finding::error(
                "model_overrides.reference_compile",
                "transformers 4 compiles parts of ModernBERT where Triton is installed, and compiled graphs are not estimated; reference_compile must be false.",
                "transformers 4 在装有 Triton 时会编译 ModernBERT 的部分模块，而编译图暂不支持估算；reference_compile 必须为 false。",
            )
            .with_fix("model_overrides.reference_compile", false),
        );
    }
    if scenario.attention == Attention::FlashAttention2 {
        findings.push(
            Finding::error(
                "attention",
                "With flash_attention_2 transformers 4 removes the padding of ModernBERT's batches, which is not estimated; sdpa is.",
                "使用 flash_attention_2 时，transformers 4 会去除 ModernBERT 批次中的填充，暂不支持估算；支持 sdpa。",
            )
            .with_fix("attention", Attention::Sdpa.name()),
        );
    }
    let classifies = scenario.task == Some(Task::SequenceClassification);
    if classifies && config.mean_pooling && !scenario.has_padding() {
        findings.push(
            Finding::error(
                "padding_mask",
                "transformers 4 needs a padding mask to take the mean of ModernBERT's tokens.",
                "transformers 4 需要填充掩码才能对 ModernBERT 的词元取平均。",
            )
            .with_fix("padding_mask", true),
        );
    }
}

/// What is estimated as transformers 5 writes it only.
fn only_recent() -> Finding {
    Finding::error(
        "framework",
        "Models of this type are estimated as transformers 5 writes them; older versions do not have them or are not supported yet.",
        "此类模型按 transformers 5 的实现估算；更早的版本没有该模型，或暂不支持。",
    )
    .with_fix("framework", Framework::Torch215Transformers523.name())
}

/// Whether the engine follows how transformers 4 writes models of the type, where it has them.
fn is_estimated_in_4(model_type: DecoderType) -> bool {
    matches!(
        model_type,
        DecoderType::Llama
            | DecoderType::Mistral
            | DecoderType::Qwen2
            | DecoderType::Qwen3
            | DecoderType::Mixtral
            | DecoderType::Olmoe
            | DecoderType::Qwen2Moe
            | DecoderType::Qwen3Moe
            | DecoderType::Mamba
            | DecoderType::Mamba2
            | DecoderType::Bamba
            | DecoderType::FalconMamba
            | DecoderType::Bloom
            | DecoderType::Mpt
            | DecoderType::Falcon
            | DecoderType::DeepseekV3
            | DecoderType::Gpt2
            | DecoderType::GptBigCode
            | DecoderType::GptNeo
            | DecoderType::GptJ
            | DecoderType::CodeGen
            | DecoderType::GptNeox
            | DecoderType::Gemma
            | DecoderType::Gemma2
            | DecoderType::Gemma3
            | DecoderType::Opt
            | DecoderType::Olmo
            | DecoderType::Olmo2
            | DecoderType::Phi
            | DecoderType::Phi3
            | DecoderType::Starcoder2
            | DecoderType::Granite
            | DecoderType::GraniteMoe
            | DecoderType::GraniteMoeShared
            | DecoderType::Cohere
            | DecoderType::Cohere2
            | DecoderType::StableLm
            | DecoderType::Helium
            | DecoderType::Nemotron
            | DecoderType::Glm
            | DecoderType::Glm4
    )
}

#[cfg(test)]
mod tests {
    use crate::ask::Fix;
    use crate::ask::Scenario;
    use crate::resolve::resolve;
    use serde_json::json;

    fn repaired(model: &str, framework: &str) -> Option<String> {
        let asked = json!({"model": model, "framework": framework});
        let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
        let findings = resolve(&scenario).findings;
        let fix = findings.into_iter().find_map(|finding| finding.fix);
        fix.map(|Fix { value, .. }| value.as_str().unwrap_or_default().to_owned())
    }

    #[test]
    fn a_version_without_the_model_is_repaired_by_the_oldest_that_has_it() {
        let (v448, v451) = ("torch-2.6/transformers-4.48", "torch-2.6/transformers-4.51");
        for model in ["gemma-3-1b", "qwen3-0.6b", "qwen3-30b-a3b", "deepseek-v3"] {
            assert_eq!(repaired(model, v448).as_deref(), Some(v451), "{model}");
            assert_eq!(repaired(model, v451), None, "{model}");
        }
        let recent = "torch-2.15/transformers-5.23";
        assert_eq!(repaired("gpt-oss-20b", v451).as_deref(), Some(recent));
        assert_eq!(repaired("llama-3.2-1b", v448), None);
    }
}

//! What classifies: decoders with a classification head (`*ForSequenceClassification`), and what is not
//! estimated of heads.

use crate::ask::{EvaluationKind, Finding, QuantizationType, Scenario, Task};
use crate::model::{Architecture, Since};

/// Whether a layer of the head that PEFT trains as a whole is quantized.
fn quantizes_head(scenario: &Scenario, architecture: &Architecture, task: Task) -> bool {
    let heads = architecture
        .family()
        .map_or(&[][..], |family| family.quantized_heads);
    let is = |(of, since): &(Task, Since)| *of == task && since.is_in(scenario.framework);
    heads.iter().any(is)
}

/// What is not estimated of such a model.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    let decoder = matches!(architecture, Architecture::Decoder(_));
    if scenario.quantization.is_on() && quantizes_head(scenario, architecture, task) {
        findings.push(
            Finding::error(
                "quantization.type",
                "PEFT trains the head that classifies as a whole, and transformers quantizes it, or a layer of it: such weights take no gradients, and it fails. Of most encoders transformers 4 leaves the last layer whole.",
                "PEFT 会完整训练分类头，而 transformers 会量化它或其中的层：量化权重无法求梯度，会报错。对多数编码器，transformers 4 会保留最后一层不量化。",
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
    let kind = scenario.asked_evaluation().kind;
    if kind == EvaluationKind::Generate {
        let none = EvaluationKind::Loss.name().into();
        refuse("evaluation.kind", "Generation by", "生成文本", none);
    }
}

#[cfg(test)]
mod tests {
    use crate::ask::Scenario;
    use crate::resolve::resolve;
    use serde_json::json;

    #[test]
    fn a_quantized_head_is_refused_where_it_would_be_trained() {
        let runs = |model: &str, task: &str, version: &str| {
            let framework = match version {
                "5.23" => "torch-2.15/transformers-5.23".to_owned(),
                older => format!("torch-2.6/transformers-{older}"),
            };
            let asked = json!({
                "model": model, "task": task, "framework": framework, "precision": "bf16",
                "attention": "eager", "lora": {"target_modules": ["all-linear"]},
                "quantization": {"type": "nf4"}, "seq_len": 64,
                "model_overrides": {"reference_compile": false},
            });
            let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
            let errors = resolve(&scenario).findings.into_iter();
            !errors
                .into_iter()
                .any(|finding| finding.key == "quantization.type")
        };
        let (classes, tokens) = ("sequence_classification", "token_classification");
        for version in ["4.51", "4.48"] {
            assert!(runs("bert-base", classes, version));
            assert!(runs("roberta-base", tokens, version));
            assert!(!runs("roberta-base", classes, version));
            assert!(!runs("distilbert-base", classes, version));
        }
        assert!(!runs("bert-base", tokens, "5.23"));
        assert!(!runs("modernbert-base", classes, "5.23"));
        assert!(runs("modernbert-base", "question_answering", "5.23"));
    }
}

//! Classifiers: decoders with a classification head (`*ForSequenceClassification`), and cases of heads that are not
//! estimated of heads.

use crate::ask::{EvaluationKind, Finding, QuantizationType, Scenario, Task, message};
use crate::model::{Architecture, Since};

/// Whether a layer of the head that PEFT trains as a whole is quantized.
fn quantizes_head(scenario: &Scenario, architecture: &Architecture, task: Task) -> bool {
    let heads = architecture
        .family()
        .map_or(&[][..], |family| family.quantized_heads);
    let is = |(of, since): &(Task, Since)| *of == task && since.is_in(scenario.framework);
    heads.iter().any(is)
}

/// Refuses cases of such a model that are not estimated.
pub(crate) fn check(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    let decoder = matches!(architecture, Architecture::Decoder(_));
    if scenario.quantization.is_on() && quantizes_head(scenario, architecture, task) {
        findings.push(
            Finding::error("quantization.type", message!(classifier::head_quantized))
                .with_fix("quantization.type", QuantizationType::None.name()),
        );
    }
    if !decoder || task != Task::SequenceClassification {
        return;
    }
    if !scenario.liger_kernel.is_empty() {
        findings.push(
            Finding::error("liger_kernel", message!(classifier::liger))
                .with_fix("liger_kernel", serde_json::json!([])),
        );
    }
    if scenario.asked_evaluation().kind == EvaluationKind::Generate {
        findings.push(
            Finding::error("evaluation.kind", message!(classifier::generation))
                .with_fix("evaluation.kind", EvaluationKind::Loss.name()),
        );
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

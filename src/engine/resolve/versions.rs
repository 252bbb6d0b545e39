//! Models of a version of transformers, and whether they are estimated as it writes them.

use crate::ask::{Finding, Framework, Scenario, message};
use crate::model::{Architecture, Since};

/// Refuses a version that does not have the model, or writes it as the engine does not follow.
pub(crate) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let framework = scenario.framework;
    let Some(family) = architecture.whole_family() else {
        return;
    };
    if !family.since.is_in(framework) {
        findings.push(match family.since {
            Since::V448 | Since::V451 => missing(framework, Framework::Torch26Transformers451),
            Since::V5 | Since::Never => only_recent(),
        });
    }
}

fn missing(framework: Framework, oldest: Framework) -> Finding {
    let (name, needed) = (framework.name(), oldest.name());
    Finding::error("framework", message!(versions::not_there, name, needed))
        .with_fix("framework", needed)
}

/// The finding about a model that is estimated only as transformers 5 writes it.
fn only_recent() -> Finding {
    Finding::error("framework", message!(versions::as_transformers_5))
        .with_fix("framework", Framework::Torch215Transformers523.name())
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

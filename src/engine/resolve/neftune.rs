//! Noise on what the input embedding gives in training (`NEFTune`): where the trainer's hook finds an embedding that
//! is called.

use crate::ask::{DataParallelKind, Finding, Framework, Scenario, message};
use crate::model::Architecture;
use serde_json::Value;

const KEY: &str = "neftune_noise_alpha";

/// Refuses noise where there is none, or where it is not estimated.
pub(crate) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let Some(alpha) = scenario.neftune_noise_alpha else {
        return;
    };
    let parallelism = &scenario.parallelism;
    let divided = parallelism.dp.kind == DataParallelKind::Megatron
        || [
            parallelism.tp.size,
            parallelism.pp.size,
            parallelism.cp.size,
            parallelism.ep.size,
        ]
        .into_iter()
        .any(|size| size > 1);
    let recent = Framework::Torch215Transformers523;
    let why = if !architecture.embeds_tokens() {
        message!(neftune::no_embedding)
    } else if !architecture.calls_input_embedding() {
        message!(neftune::not_called)
    } else if divided {
        message!(neftune::divided)
    } else if alpha < 0.0 {
        findings.push(Finding::error(KEY, message!(neftune::negative)).with_fix(KEY, 5.0));
        return;
    } else if scenario.framework != recent {
        let why = message!(neftune::framework, framework = recent.name());
        let finding = Finding::error("framework", why);
        findings.push(finding.with_fix("framework", recent.name()));
        return;
    } else {
        return;
    };
    findings.push(Finding::error(KEY, why).with_fix(KEY, Value::Null));
}

#[cfg(test)]
mod tests {
    use crate::ask::Scenario;
    use crate::resolve::resolve;
    use serde_json::{Value, json};

    /// The key of the first setting that is refused in a scenario with noise and `other`.
    fn refused(other: &Value) -> Option<String> {
        let mut asked = json!({"model": "qwen2.5-0.5b", "seq_len": 64, "neftune_noise_alpha": 5.0});
        for (key, value) in other.as_object().expect("an object") {
            asked[key] = value.clone();
        }
        let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
        let first = resolve(&scenario).findings.into_iter().next();
        first.map(|finding| finding.key)
    }

    #[test]
    fn noise_is_refused_where_no_embedding_is_called() {
        let key = Some("neftune_noise_alpha".to_owned());
        for model in ["t5-small", "bart-base", "whisper-tiny", "vit-base"] {
            assert_eq!(refused(&json!({"model": model})), key, "{model}");
        }
        for model in ["bert-base", "gpt2", "gemma-3-1b", "mamba-130m"] {
            assert_eq!(refused(&json!({"model": model})), None, "{model}");
        }
    }

    #[test]
    fn noise_is_refused_with_the_key_that_excludes_it() {
        for (other, key) in [
            (json!({"neftune_noise_alpha": -1.0}), "neftune_noise_alpha"),
            (
                json!({"framework": "torch-2.6/transformers-4.51"}),
                "framework",
            ),
            (
                json!({"parallelism": {"tp": {"size": 2}}, "hardware": {"gpus_per_node": 2}}),
                "neftune_noise_alpha",
            ),
        ] {
            assert_eq!(refused(&other).as_deref(), Some(key), "{other}");
        }
    }
}

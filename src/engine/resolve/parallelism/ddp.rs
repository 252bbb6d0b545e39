//! PyTorch's `DistributedDataParallel`.

use crate::ask::{
    ActivationCheckpointing, DataParallelKind, Finding, Loss, Program, Scenario, message,
};

/// Refuses what it cannot train (`torch/csrc/distributed/c10d/reducer.cpp`, torch 2.15): parameters that it looks for in
/// the graph, and does not find since re-entrant checkpointing hides them, are ready twice (`mark_variable_ready`), and
/// the reduction that a static graph delays to the end of its first backward pass is not expected within `no_sync`
/// (`delay_all_reduce`).
pub(super) fn refuse(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let dp = &scenario.parallelism.dp;
    if dp.kind != DataParallelKind::Ddp || scenario.program != Program::Training {
        return;
    }
    let hides = scenario.activation_checkpointing == ActivationCheckpointing::FullReentrant;
    if hides && dp.ddp.find_unused_parameters && !dp.ddp.static_graph {
        let key = "parallelism.dp.find_unused_parameters";
        let finding = Finding::error(key, message!(parallelism::ready_twice));
        findings.push(finding.with_fix(key, false));
    }
    let accumulates = scenario.gradient_accumulation_steps > 1 && scenario.loss != Loss::None;
    if accumulates && dp.no_sync && dp.ddp.static_graph {
        let key = "parallelism.dp.static_graph";
        let finding = Finding::error(key, message!(parallelism::static_accumulation));
        findings.push(finding.with_fix(key, false));
    }
}

#[cfg(test)]
mod tests {
    use crate::ask::Scenario;
    use crate::resolve::resolve;
    use serde_json::{Value, json};

    /// The keys of the settings that are refused with two micro-batches and a static graph.
    fn refused(other: &Value) -> Vec<String> {
        let mut asked = json!({"model": "qwen2.5-0.5b", "seq_len": 64, "gradient_accumulation_steps": 2,
            "parallelism": {"dp": {"kind": "ddp", "size": 2, "static_graph": true}}});
        for (key, value) in other.as_object().expect("an object") {
            asked[key] = value.clone();
        }
        let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
        let findings = resolve(&scenario).findings.into_iter();
        findings.map(|finding| finding.key).collect()
    }

    #[test]
    fn a_static_graph_is_refused_where_its_first_micro_batch_does_not_reduce() {
        let synced = json!({"kind": "ddp", "size": 2, "static_graph": true, "no_sync": false});
        for (other, keys) in [
            (json!({}), &["parallelism.dp.static_graph"][..]),
            (
                json!({"objective": {"kind": "dpo"}}),
                &["parallelism.dp.static_graph"],
            ),
            (json!({"gradient_accumulation_steps": 1}), &[]),
            (json!({"parallelism": {"dp": synced}}), &[]),
        ] {
            assert_eq!(refused(&other), keys, "{other}");
        }
    }
}

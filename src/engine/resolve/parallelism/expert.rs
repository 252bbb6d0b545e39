//! Expert parallelism.

use super::beside::Beside;
use super::divides::{divides_experts, divides_modules};
use super::mesh::divisor;
use super::refusal::not_estimated;
use super::sizes::must_divide;
use super::tensor::beside;
use crate::ask::{DataParallelKind, ExpertParallelKind, Finding, Message, Plan, Scenario, message};
use crate::families::is_of_blocks;
use crate::model::{Architecture, DecoderConfig, Experts, Routing};
use serde_json::Value;

/// The key of its ranks.
const SIZE: &str = "parallelism.ep.size";

/// Refuses what transformers' expert parallelism cannot do with the rest of a scenario
/// (`DistributedConfig`, transformers 5.23), and what of it is not estimated.
pub(super) fn check_beside(scenario: &Scenario, findings: &mut Vec<Finding>) {
    if !divides_experts(scenario) {
        return;
    }
    let all = scenario.parallelism;
    let mut refuse = |key: &str, why: Message, fix: Value| {
        findings.push(Finding::error(key, why).with_fix(key, fix));
    };
    let transformers: Value = Plan::Transformers.name().into();
    let plans = [
        (
            "parallelism.dp.plan",
            all.dp.kind == DataParallelKind::Fsdp2 && all.dp.fsdp.plan != Plan::Transformers,
        ),
        (
            "parallelism.tp.plan",
            divides_modules(scenario) && all.tp.plan != Plan::Transformers,
        ),
    ];
    for (key, _) in plans.into_iter().filter(|(_, is_other)| *is_other) {
        refuse(
            key,
            message!(parallelism::plan_of_experts),
            transformers.clone(),
        );
    }
    for (key, ranks) in [
        ("parallelism.pp.size", all.pp.size),
        ("parallelism.cp.size", all.cp.size),
    ] {
        if ranks > 1 {
            refuse(key, message!(parallelism::experts_alone), 1.into());
        }
    }
    if scenario.clip_grad_norm && !divides_modules(scenario) && scenario.lora.is_none() {
        // `torch._foreach_norm`, torch 2.15.
        refuse(
            "clip_grad_norm",
            message!(parallelism::norms_of_meshes),
            false.into(),
        );
    }
    if divides_modules(scenario) {
        return;
    }
    for Beside { key, is_asked, fix } in beside(scenario) {
        if is_asked {
            let what = message!(parallelism::experts_beside, key);
            findings.push(not_estimated(key, &what, fix));
        }
    }
}

/// Refuses it without experts, with ranks that they are not divided among, and with ranks that are not
/// among those of the other axes.
pub(super) fn check(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let asked = scenario.parallelism.ep;
    if asked.size < 2 {
        return;
    }
    let Some(experts) = architecture.experts() else {
        let finding = Finding::error(SIZE, message!(parallelism::no_experts));
        findings.push(finding.with_fix(SIZE, 1));
        return;
    };
    if divides_experts(scenario) && divided(architecture, experts).is_none() {
        let what = message!(parallelism::expert_modules);
        findings.push(not_estimated(SIZE, &what, 1));
        return;
    }
    let whole = [(message!(parallelism::experts), Some(experts.count))];
    must_divide(SIZE, asked.size, &whole, findings);
    let hardware = &scenario.hardware;
    let mesh = scenario.parallelism.mesh(hardware);
    // `DistributedConfig` (transformers 5.23) and `initialize_model_parallel` (megatron-core 0.16.1), whose
    // experts are divided among tensor parallel ranks, too, unless it is said.
    let ranks = match asked.kind {
        ExpertParallelKind::AllToAll => mesh.shard * mesh.tp,
        ExpertParallelKind::AllReduce => mesh.tp,
        ExpertParallelKind::Megatron => mesh.dp * mesh.cp,
    };
    let size = asked.size;
    if !ranks.is_multiple_of(size) {
        let finding = Finding::error(
            SIZE,
            message!(parallelism::expert_ranks, key = SIZE, size, ranks),
        );
        findings.push(finding.with_fix(SIZE, divisor(ranks, size)));
    } else if asked.kind != ExpertParallelKind::Megatron && !size.is_multiple_of(mesh.tp) {
        let tensor = mesh.tp;
        let finding = Finding::error(
            SIZE,
            message!(
                parallelism::experts_of_same_tokens,
                key = SIZE,
                size,
                tensor
            ),
        );
        findings.push(finding.with_fix(SIZE, tensor));
    }
}

/// The decoder whose experts a scenario divides, if that is estimated.
fn divided<'a>(architecture: &'a Architecture, experts: &Experts) -> Option<&'a DecoderConfig> {
    let Architecture::Decoder(config) = architecture else {
        return None;
    };
    let family = config.family;
    let plain = config.images.is_none() && is_of_blocks(family) && family.divides_experts;
    (plain && experts.routing != Routing::Sigmoid).then_some(config)
}

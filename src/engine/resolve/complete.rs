//! From intent to facts.

use super::{
    activations, adapters, allocator, around, attention_support, chunked_loss, classifier,
    evaluation, exported, hardware, images, lengths, liger, neftune, objective, offload, optimizer,
    packing, parallelism, quantization, refused, support, target_pattern, task, teacher, training,
    versions, weights,
};
use crate::ask::{
    DataParallelKind, Finding, SCENARIO_VERSION, Scenario, Severity, TENSOR_BYTES, check_range,
    message,
};
use crate::families::{self, modules};
use crate::model::{Architecture, ResolvedSpec};
use crate::units::{Bytes, sort_short};
use std::borrow::Cow;
use std::cell::LazyCell;

/// The result of `resolve` for a scenario.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// The facts; absent when a finding is an error.
    pub spec: Option<ResolvedSpec>,
    /// Everything worth telling, most serious first.
    pub findings: Vec<Finding>,
}

/// Checks a scenario, fills in what it leaves open and looks up what it names.
pub fn resolve(scenario: &Scenario) -> Resolution {
    let mut findings = Vec::new();
    let spec = complete(scenario, &mut findings);
    target_pattern::tell(scenario, &mut findings);
    if let Some(spec) = &spec {
        let refused = findings.iter().any(|f| f.severity == Severity::Error);
        if !refused {
            exported::tell_gaps(spec, &mut findings);
        }
    }
    sort_short(&mut findings, |finding| std::cmp::Reverse(finding.severity));
    let refused = findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    Resolution {
        spec: spec.filter(|_| !refused),
        findings,
    }
}

/// Whether gradients are clipped on the device. Those on the host are clipped there; FSDP1 sums their norms on the
/// device.
fn clips(scenario: &Scenario) -> bool {
    let dp = &scenario.parallelism.dp;
    scenario.clip_grad_norm && (!dp.offloads() || dp.kind == DataParallelKind::Fsdp1)
}

/// The scenario with modelled values in the place of its own: layers by their names, and attention that is
/// modelled.
fn as_estimated<'a>(
    scenario: &'a Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) -> Cow<'a, Scenario> {
    let modules_of = || {
        let task = task::resolve(scenario, architecture, &mut Vec::new());
        modules(architecture, task, scenario.framework)
    };
    let named = target_pattern::by_name(scenario, architecture, modules_of, findings);
    let standing_in = attention_support::stand_in(named, architecture, findings);
    exported::settle(standing_in, architecture, findings)
}

/// The completed scenario; of use only if no finding is an error.
fn complete(asked: &Scenario, findings: &mut Vec<Finding>) -> Option<ResolvedSpec> {
    let scenario = &*parallelism::complete(asked);
    check_settings(asked, scenario, findings);
    let in_range = !findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    let model = families::read(scenario, findings);
    let machine = hardware::read(&scenario.hardware, findings);
    let (mut model, (device, host)) = (model?, machine?);
    objective::balance(scenario, &mut model.architecture);
    objective::without_dropout(scenario, &mut model.architecture);
    let scenario = &*as_estimated(scenario, &model.architecture, findings);
    if in_range {
        training::check_combinations(scenario, &model, findings);
        parallelism::check_model(scenario, &model.architecture, findings);
    }
    support::check_closeness(scenario, &model.architecture, &device, findings);
    training::check_attention(scenario, &device, &model, findings);
    versions::check(scenario, &model.architecture, findings);
    attention_support::check(scenario, &model.architecture, findings);
    let task = task::resolve(scenario, &model.architecture, findings);
    parallelism::check_stages(scenario, &model.architecture, task, findings);
    let modules = LazyCell::new(|| modules(&model.architecture, task, scenario.framework));
    adapters::check(scenario, &model.architecture, task, &modules, findings);
    optimizer::check_heads(scenario, &model.architecture, findings);
    optimizer::check_small(scenario, &modules, findings);
    optimizer::check_shapes(scenario, &model.architecture, &modules, findings);
    activations::check(scenario, &model.architecture, findings);
    packing::check(scenario, &model.architecture, task, findings);
    chunked_loss::check(scenario, &model.architecture, task, findings);
    neftune::check(scenario, &model.architecture, findings);
    objective::check(scenario, &model.architecture, task, findings);
    around::check(scenario, &model.architecture, findings);
    classifier::check(scenario, &model.architecture, task, findings);
    evaluation::check_combinations(scenario, &model.architecture, findings);
    refused::check(scenario, &model.architecture, task, findings);
    task::check_answers(scenario, &model.architecture, task, findings);
    let (images, image_size) = images::resolve(scenario, &model.architecture, findings);
    let family = model.architecture.whole_family();
    if let Some(check) = family.and_then(|family| family.check) {
        check(scenario, &model.architecture, task, findings);
    }
    images::check_trained(scenario, &model.architecture, &modules, findings);
    let teacher = teacher::resolve(scenario, &model.architecture, complete, findings);
    let liger = liger::resolve(scenario, &model.architecture, findings);
    let lora = adapters::resolve(scenario, &model.architecture, task, &modules);
    let attention = training::attention(scenario, &model.architecture);
    let use_cache = training::fills_cache(scenario, &model.architecture);
    let evaluation = evaluation::of(scenario, &model.architecture);
    Some(ResolvedSpec {
        scenario: scenario.clone(),
        architecture: model.architecture,
        max_positions: model.max_positions,
        model_name: model.name,
        task,
        micro_batch_size: scenario.micro_batch_size,
        seq_len: scenario.padded(scenario.seq_len),
        target_seq_len: scenario.padded(scenario.target_seq_len.unwrap_or(scenario.seq_len)),
        images,
        image_size,
        usual_lengths: scenario.usual_lengths(),
        packing: scenario.packing,
        gradient_accumulation_steps: scenario.gradient_accumulation_steps,
        precision: scenario.precision,
        weights: scenario.gathered_weights(),
        autocast_style: objective::autocast_style(scenario),
        optimizer: scenario.offload.optimizer(scenario.optimizer),
        attention,
        sdpa_backend: scenario.sdpa_backend,
        padding_mask: scenario.has_padding(),
        use_cache,
        activation_checkpointing: activations::checkpointing(scenario),
        saved_operations: activations::saved_operations(scenario),
        checkpoint_every: scenario.checkpoint_every,
        lora,
        quantization: scenario.quantization,
        liger,
        frozen: scenario.frozen.clone(),
        clip_grad_norm: clips(scenario),
        zero_grad_set_to_none: scenario.zero_grad_set_to_none,
        loss: chunked_loss::resolve(scenario),
        adds_noise: scenario.neftune_noise_alpha.is_some(),
        objective: objective::resolve(scenario),
        teacher,
        around: around::resolve(scenario),
        keep_outputs: scenario.keep_outputs,
        parallelism: around::parallelism(scenario),
        mesh: scenario.parallelism.mesh(&scenario.hardware),
        offload: scenario.offload,
        activation_offload: scenario.activation_offload,
        program: scenario.program,
        evaluation,
        dataset: scenario.dataset.clone(),
        dataloader: scenario.dataloader,
        device,
        host,
        allocator: scenario.allocator.clone(),
        memory_limit: scenario.memory_limit.map(Bytes),
        other_device_memory: Bytes(scenario.other_device_memory),
        framework: scenario.framework,
    })
}

/// Checks settings that are wrong whatever the model is.
fn check_settings(asked: &Scenario, scenario: &Scenario, findings: &mut Vec<Finding>) {
    check_version(scenario.v, findings);
    training::check_ranges(scenario, findings);
    lengths::check(scenario, findings);
    evaluation::check_ranges(scenario, findings);
    optimizer::check(scenario, findings);
    offload::check(scenario, findings);
    parallelism::check(asked, scenario, findings);
    allocator::check(&scenario.allocator, findings);
    check_range(
        "other_device_memory",
        scenario.other_device_memory,
        &(0..=TENSOR_BYTES),
        findings,
    );
    if let Some(bytes) = scenario.memory_limit {
        check_range("memory_limit", bytes, &hardware::MEMORY_LIMIT, findings);
    }
    quantization::check(scenario, findings);
    weights::check(scenario, findings);
}

fn check_version(version: u32, findings: &mut Vec<Finding>) {
    if version != SCENARIO_VERSION {
        findings.push(
            Finding::error(
                "v",
                message!(
                    scenario::version,
                    version,
                    scenario_version = SCENARIO_VERSION
                ),
            )
            .with_fix("v", SCENARIO_VERSION),
        );
    }
}

//! How a run is spread over GPUs: completes the parallelism of a scenario, and refuses settings that cannot be or are
//! not estimated.
//!
//! Each kind of parallelism has a file with what its framework refuses, in `check`, and one function,
//! `refuse`, that says that the kind is not estimated: when the engine learns a kind, that function goes.

mod adapters;
mod beside;
mod complete;
mod context;
mod ddp;
mod divides;
mod expert;
mod fsdp;
mod idle;
mod megatron;
mod mesh;
mod offloaded;
mod pipeline;
mod refusal;
mod sizes;
mod steps;
mod tensor;
mod zero;

use crate::ask::{Finding, Framework, Scenario, Task};
use crate::families::has_stages;
use crate::model::Architecture;
use sizes::Sizes;

pub(super) use adapters::check_adapters;
pub(super) use complete::complete;
pub(super) use divides::divides_experts;
pub(super) use idle::idle;

/// Refuses what does not exist, and ranks that do not multiply to the number of GPUs.
/// The scenario is complete; `asked` is what it was before.
pub(super) fn check(asked: &Scenario, scenario: &Scenario, findings: &mut Vec<Finding>) {
    if !asks_nothing(asked) {
        check_asked(asked, scenario, findings);
    }
}

#[cold]
fn check_asked(asked: &Scenario, scenario: &Scenario, findings: &mut Vec<Finding>) {
    zero::check(scenario, findings);
    offloaded::check(scenario, findings);
    megatron::check(asked, findings);
    megatron::refuse(asked, findings);
    mesh::check(scenario, findings);
    pipeline::check(scenario, findings);
    pipeline::refuse(scenario, findings);
    ddp::refuse(scenario, findings);
    fsdp::refuse(scenario, findings);
    tensor::check(scenario, findings);
    expert::check_beside(scenario, findings);
    steps::check(scenario, findings);
}

/// Refuses pipelines of a model that has no stages.
pub(super) fn check_stages(
    scenario: &Scenario,
    architecture: &Architecture,
    task: Task,
    findings: &mut Vec<Finding>,
) {
    let has_stages = || has_stages(architecture, task, scenario.framework);
    pipeline::refuse_model(scenario, has_stages, findings);
}

/// Refuses ranks that the model cannot be divided among.
pub(super) fn check_model(
    scenario: &Scenario,
    architecture: &Architecture,
    findings: &mut Vec<Finding>,
) {
    if !scenario.parallelism.is_none() {
        check_divided(scenario, architecture, findings);
    }
}

#[cold]
fn check_divided(scenario: &Scenario, architecture: &Architecture, findings: &mut Vec<Finding>) {
    let sizes = Sizes::of(architecture);
    tensor::check_model(scenario, architecture, &sizes, findings);
    fsdp::check_groups(scenario, architecture, findings);
    pipeline::check_layers(scenario, &sizes, findings);
    context::check(scenario, architecture, &sizes, findings);
    expert::check(scenario, architecture, findings);
    megatron::check_model(scenario, architecture, findings);
}

/// Whether a scenario says nothing of how its job is divided.
fn asks_nothing(asked: &Scenario) -> bool {
    asked.parallelism.is_none() && asked.framework != Framework::Torch215MegatronCore016
}

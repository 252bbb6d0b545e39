//! What to change: remedies, each computed by running the model again.

use super::{Report, estimate};
use crate::ask::{
    ActivationCheckpointing, ArrowPool, DatasetMode, EvaluationKind, Optimizer, OptimizerImpl,
    OptimizerName, Precision, Program, Scenario,
};
use crate::units::{Bytes, names, sort_short};
use serde::Serialize;

names! {
    /// A kind of change that takes less memory and trains the same model.
    RemedyKind {
        /// Half the micro-batch with twice the accumulation: the same global batch.
        SmallerMicroBatch = "smaller_micro_batch",
        /// Activations are computed again in the backward pass.
        ActivationCheckpointing = "activation_checkpointing",
        /// One kernel for the optimizer's step, without temporaries.
        FusedOptimizer = "fused_optimizer",
        /// Optimizer states and gradients in host RAM, the step on the CPU.
        OffloadOptimizer = "offload_optimizer",
        /// Autocast to bfloat16 over float32 weights.
        Autocast = "autocast",
        /// Weights, gradients and optimizer states in bfloat16.
        PureBf16 = "pure_bf16",
        /// `expandable_segments:True`: less fragmentation.
        ExpandableSegments = "expandable_segments",
        /// One sample at a time is evaluated.
        SmallerEvaluation = "smaller_evaluation",
        /// Predictions go to the host after each batch.
        MovePredictions = "move_predictions",
        /// Gradients are dropped, not zeroed.
        SetToNone = "set_to_none",
        /// The caller drops the model's outputs.
        DropOutputs = "drop_outputs",
        /// The data set is memory-mapped instead of read into each process.
        MapDataset = "map_dataset",
        /// The training process loads its batches itself.
        NoWorkers = "no_workers",
        /// Workers start afresh each epoch, and with them what they have copied.
        FreshWorkers = "fresh_workers",
        /// Arrow gives back what it used for reading.
        ReleaseArrowPool = "release_arrow_pool",
        /// Batches are not copied to pinned memory.
        NoPinning = "no_pinning",
    }
}

names! {
    /// The two memories.
    Memory {
        /// The GPU's.
        Device = "device",
        /// The RAM of a node.
        Host = "host",
    }
}

/// The one change to be named first when a run does not fit: of those after which it fits the one
/// that takes least away, else the one that saves most.
pub fn first_remedy(remedies: &[Remedy]) -> Option<&Remedy> {
    let fitting = remedies.iter().filter(|remedy| remedy.fits);
    let least = fitting.min_by_key(|remedy| remedy.saves);
    least.or_else(|| remedies.iter().max_by_key(|remedy| remedy.saves))
}

/// A change and what it brings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remedy {
    /// What kind of change.
    pub kind: RemedyKind,
    /// The scenario with it.
    pub scenario: Scenario,
    /// Which memory `total` and `saves` are about: the device's when it saves there at all.
    pub memory: Memory,
    /// What nvidia-smi would show, or what one node would need of its RAM.
    pub total: Bytes,
    /// By how much less that is.
    pub saves: Bytes,
    /// Whether the whole run fits its machine with it.
    pub fits: bool,
}

/// The changes that could help a scenario, not yet computed.
pub fn candidates(scenario: &Scenario) -> Vec<(RemedyKind, Scenario)> {
    RemedyKind::ALL
        .iter()
        .filter_map(|&kind| Some((kind, changed(scenario, kind)?)))
        .collect()
}

/// The scenario with a change; nothing when it does not apply.
fn changed(scenario: &Scenario, kind: RemedyKind) -> Option<Scenario> {
    let mut to = scenario.clone();
    let training = scenario.program == Program::Training;
    let evaluates =
        scenario.program == Program::Evaluation || scenario.evaluation.kind != EvaluationKind::None;
    let weights = scenario.precision;
    match kind {
        RemedyKind::SmallerMicroBatch => {
            if scenario.micro_batch_size < 2 || !scenario.micro_batch_size.is_multiple_of(2) {
                return None;
            }
            to.micro_batch_size /= 2;
            if training {
                to.gradient_accumulation_steps =
                    scenario.gradient_accumulation_steps.checked_mul(2)?;
            }
        }
        RemedyKind::ActivationCheckpointing if training => {
            to.activation_checkpointing = ActivationCheckpointing::Full;
        }
        RemedyKind::FusedOptimizer if training => {
            let Optimizer { name, .. } = scenario.optimizer;
            if !matches!(name, OptimizerName::AdamW | OptimizerName::Adam) {
                return None;
            }
            to.optimizer.implementation = OptimizerImpl::Fused;
        }
        RemedyKind::OffloadOptimizer if training => {
            to.offload.optimizer_states = true;
            to.offload.gradients = scenario.gradient_accumulation_steps == 1;
        }
        RemedyKind::Autocast if weights == Precision::Fp32 => to.precision = Precision::AmpBf16,
        RemedyKind::PureBf16 if weights != Precision::Fp16 => to.precision = Precision::Bf16,
        RemedyKind::ExpandableSegments => to.allocator.expandable_segments = true,
        RemedyKind::SmallerEvaluation if evaluates => to.evaluation.micro_batch_size = Some(1),
        RemedyKind::MovePredictions if evaluates => to.evaluation.accumulation_steps = Some(1),
        RemedyKind::SetToNone if training => to.zero_grad_set_to_none = true,
        RemedyKind::DropOutputs => to.keep_outputs = false,
        RemedyKind::MapDataset => to.dataset.mode = DatasetMode::MemoryMapped,
        RemedyKind::NoWorkers => to.dataloader.num_workers = 0,
        RemedyKind::FreshWorkers => to.dataloader.persistent_workers = false,
        RemedyKind::ReleaseArrowPool => to.dataset.arrow_pool = ArrowPool::Released,
        RemedyKind::NoPinning => to.dataloader.pin_memory = false,
        _ => return None,
    }
    (to != *scenario).then_some(to)
}

/// Computes one candidate; nothing when it is refused or saves nothing.
pub fn remedy(report: &Report, (kind, scenario): (RemedyKind, Scenario)) -> Option<Remedy> {
    let changed = estimate(&scenario).ok()?.report;
    let device = (Memory::Device, report.device.total, changed.device.total);
    let host = (
        Memory::Host,
        report.host.peak.total,
        changed.host.peak.total,
    );
    let (memory, before, total) = [device, host]
        .into_iter()
        .find(|(_, before, after)| after < before)?;
    Some(Remedy {
        kind,
        scenario,
        memory,
        total,
        saves: before - total,
        fits: changed.verdict.fits,
    })
}

/// All remedies of a scenario, the device's before the host's, those that save most first.
pub fn remedies(scenario: &Scenario, report: &Report) -> Vec<Remedy> {
    let mut found: Vec<Remedy> = candidates(scenario)
        .into_iter()
        .filter_map(|candidate| remedy(report, candidate))
        .collect();
    rank(&mut found);
    found
}

/// Puts remedies in order: by memory, what saves most first.
pub fn rank(remedies: &mut [Remedy]) {
    sort_short(remedies, |remedy| {
        (remedy.memory, std::cmp::Reverse(remedy.saves))
    });
}

//! What to change: remedies, each computed by running the model again.

use super::{Report, estimate};
use crate::spec::{
    ActivationCheckpointing, Optimizer, OptimizerImpl, OptimizerName, Precision, Program, Scenario,
};
use crate::units::{Bytes, names};
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
        /// Autocast to bfloat16 over float32 weights.
        Autocast = "autocast",
        /// Weights, gradients and optimizer states in bfloat16.
        PureBf16 = "pure_bf16",
        /// `expandable_segments:True`: less fragmentation.
        ExpandableSegments = "expandable_segments",
        /// Gradients are dropped, not zeroed.
        SetToNone = "set_to_none",
        /// The caller drops the model's outputs.
        DropOutputs = "drop_outputs",
    }
}

/// A change and what it brings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remedy {
    /// What kind of change.
    pub kind: RemedyKind,
    /// The scenario with it.
    pub scenario: Scenario,
    /// What nvidia-smi would show.
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
        RemedyKind::Autocast if weights == Precision::Fp32 => to.precision = Precision::AmpBf16,
        RemedyKind::PureBf16 if weights != Precision::Fp16 => to.precision = Precision::Bf16,
        RemedyKind::ExpandableSegments => to.allocator.expandable_segments = true,
        RemedyKind::SetToNone if training => to.zero_grad_set_to_none = true,
        RemedyKind::DropOutputs => to.keep_outputs = false,
        _ => return None,
    }
    (to != *scenario).then_some(to)
}

/// Computes one candidate; nothing when it is refused or saves nothing.
pub fn remedy(report: &Report, (kind, scenario): (RemedyKind, Scenario)) -> Option<Remedy> {
    let changed = estimate(&scenario).ok()?.report;
    let saves = report.device.total - changed.device.total;
    (saves > Bytes::ZERO).then_some(Remedy {
        kind,
        scenario,
        total: changed.device.total,
        saves,
        fits: changed.verdict.fits,
    })
}

/// All remedies of a scenario, those that save most first.
pub fn remedies(scenario: &Scenario, report: &Report) -> Vec<Remedy> {
    let mut found: Vec<Remedy> = candidates(scenario)
        .into_iter()
        .filter_map(|candidate| remedy(report, candidate))
        .collect();
    found.sort_by_key(|remedy| std::cmp::Reverse(remedy.saves));
    found
}

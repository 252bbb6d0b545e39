//! Whether a vLLM's share of the GPU leaves enough, for itself and for training.

use super::{DeviceReport, ModelReport};
use crate::ask::{Finding, message};
use crate::model::{ResolvedSpec, VllmShare};
use crate::tape::Category;
use crate::units::{Bytes, MIB};

const KEY: &str = "objective.vllm_gpu_memory_utilization";

/// Hundredths as the key takes them.
fn share(hundredths: u64) -> f64 {
    hundredths as f64 / 100.0
}

/// The share of a run, where it has one.
fn of(spec: &ResolvedSpec, model: &ModelReport) -> Option<VllmShare> {
    let adapters = spec.lora.as_ref().map_or(0, |_| model.num_trainable);
    VllmShare::of(spec, model.num_parameters - adapters)
}

/// The finding where vLLM does not start: the least share with which it does.
pub(super) fn too_small(spec: &ResolvedSpec, model: &ModelReport) -> Option<Finding> {
    let of = of(spec, model).filter(|of| !of.starts())?;
    let (cache, sequence) = (of.cache / MIB, of.sequence.div_ceil(MIB));
    let least = of.least();
    if least > 100 {
        let message = message!(objective::no_share_starts, cache, sequence);
        return Some(Finding::error(KEY, message).with_fix("objective.generation", "model"));
    }
    let least = share(least);
    let message = message!(objective::share_too_small, cache, sequence, least);
    Some(Finding::error(KEY, message).with_fix(KEY, least))
}

/// The finding where vLLM starts only if it is told how long sequences are.
pub(super) fn too_short(spec: &ResolvedSpec, model: &ModelReport) -> Option<Finding> {
    of(spec, model).filter(|of| of.cache < of.longest)?;
    let (positions, tokens) = (spec.max_positions?, spec.seq_len);
    let message = message!(objective::whole_context, positions, tokens);
    Some(Finding::warning("objective.generation", message))
}

/// The finding where not all fits beside vLLM: the largest share with which it would, if there is one.
pub(super) fn too_large(
    spec: &ResolvedSpec,
    model: &ModelReport,
    device: &DeviceReport,
) -> Option<Finding> {
    let of = of(spec, model)?;
    let missing = device.total - device.usable;
    let steps = [&device.first_step, &device.steady_step];
    let mut phases = steps.into_iter().flat_map(|step| &step.phases);
    let others = device.context + device.in_use;
    // No share makes a run fit that needs too much while vLLM sleeps.
    let without =
        |phase: &super::PhaseReport| phase.composition.get(Category::Vllm).get() <= of.stays;
    let asleep =
        phases.any(|phase| without(phase) && phase.peak_allocated + others > device.usable);
    let largest = of.less(missing.get());
    let helps = missing > Bytes::ZERO && !asleep && largest >= of.least();
    helps.then(|| {
        let largest = share(largest);
        let missing = missing.get().div_ceil(MIB);
        let message = message!(objective::share_too_large, missing, largest);
        Finding::warning(KEY, message).with_fix(KEY, largest)
    })
}

//! Phases of a step, and the binding phase.

use super::holdings::PhasePeak;
use super::{PhaseReport, StepReport};
use crate::sim::Phase;
use crate::units::Bytes;

/// The allocator's block size; every live storage counts in multiples of it.
const BLOCK: u64 = 512;

/// A storage's share of `peak_tensor`.
pub(super) fn rounded(bytes: u64) -> u64 {
    bytes.next_multiple_of(BLOCK)
}

/// The phases of a step, micro-batches taken together, with the binding one; nothing for a step
/// without phases.
pub(super) fn step(step: u32, peaks: &[PhasePeak]) -> Option<StepReport> {
    let mut phases: Vec<PhaseReport> = Vec::new();
    let of_step = || peaks.iter().filter(|peak| peak.span.step == step);
    let is_copy = |peak: &&PhasePeak| peak.span.phase == Phase::Data;
    for peak in of_step().filter(|peak| !is_copy(peak)) {
        add(&mut phases, peak.span.phase, peak);
    }
    // The batch's copy to the device counts as part of the forward pass.
    for peak in of_step().filter(is_copy) {
        add(&mut phases, Phase::Forward, peak);
    }
    binding(phases)
}

/// Adds a phase to `phases`, or merges it into the entry of its kind.
fn add(phases: &mut Vec<PhaseReport>, phase: Phase, peak: &PhasePeak) {
    let held = peak.held;
    let new = PhaseReport {
        phase,
        peak_tensor: Bytes(peak.live),
        peak_allocated: Bytes(held.allocated),
        peak_reserved: Bytes(held.reserved),
        composition: peak.composition,
    };
    let Some(old) = phases.iter_mut().find(|old| old.phase == phase) else {
        return phases.push(new);
    };
    if new.peak_tensor > old.peak_tensor {
        old.peak_tensor = new.peak_tensor;
        old.composition = new.composition;
    }
    old.peak_allocated = old.peak_allocated.max(new.peak_allocated);
    old.peak_reserved = old.peak_reserved.max(new.peak_reserved);
}

/// The step with its binding phase: the first of those with the highest `peak_tensor`. What the
/// allocator held is the highest of the whole step.
fn binding(phases: Vec<PhaseReport>) -> Option<StepReport> {
    let mut peak = *phases.first()?;
    for phase in &phases {
        let (allocated, reserved) = (peak.peak_allocated, peak.peak_reserved);
        if phase.peak_tensor > peak.peak_tensor {
            peak = *phase;
        }
        peak.peak_allocated = allocated.max(phase.peak_allocated);
        peak.peak_reserved = reserved.max(phase.peak_reserved);
    }
    Some(StepReport { phases, peak })
}

//! Why the peak is what it is: which phase binds and by how much, and the composition of the bytes.

use super::{Report, StepReport};
use crate::sim::Phase;
use crate::tape::Category;
use crate::units::{Bytes, sort_short};
use serde::Serialize;

/// The peak, taken apart. All bytes are of one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The phase that binds.
    pub binding: Phase,
    /// The phase that needs most after it, and by how much less.
    pub next: Option<Lead>,
    /// Live tensors at the peak, by category, largest first.
    pub parts: Vec<Part>,
    /// Bytes of blocks beyond the bytes of their tensors: rounding and unsplit remainders.
    pub unsplit: Bytes,
    /// Bytes of segments that no block uses at the allocator's own peak: fragmentation.
    pub cached: Bytes,
    /// The CUDA context.
    pub context: Bytes,
}

/// How far the binding phase leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Lead {
    /// The phase that comes second.
    pub phase: Phase,
    /// The bytes that the binding phase needs more.
    pub by: Bytes,
}

/// One category at the peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The category.
    pub category: Category,
    /// Its bytes.
    pub bytes: Bytes,
}

/// Explains a report's peak on the device.
pub fn explain(report: &Report) -> Explanation {
    let device = &report.device;
    let step: &StepReport = if device.first_step.peak == *device.binding() {
        &device.first_step
    } else {
        &device.steady_step
    };
    let peak = &step.peak;
    let next = step
        .phases
        .iter()
        .filter(|phase| phase.phase != peak.phase)
        .max_by_key(|phase| phase.peak_tensor)
        .map(|phase| Lead {
            phase: phase.phase,
            by: peak.peak_tensor - phase.peak_tensor,
        });
    let mut parts: Vec<Part> = peak
        .composition
        .parts()
        .map(|(category, bytes)| Part { category, bytes })
        .collect();
    sort_short(&mut parts, |part| std::cmp::Reverse(part.bytes));
    Explanation {
        binding: peak.phase,
        next,
        parts,
        unsplit: device.run.peak_allocated - peak.peak_tensor,
        cached: device.run.peak_reserved - device.run.peak_allocated,
        context: device.context,
    }
}

//! The GPU's bar.

use super::CapacityBar;
use crate::report::{DeviceReport, StepReport};
use crate::tape::Category;

/// A part of what nvidia-smi shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DevicePart {
    /// Tensors of a category.
    Category(Category),
    /// What the caching allocator holds beyond live tensors: rounding, free blocks, fragments.
    Cached,
    /// Allocators of other processes on the same device.
    OtherProcesses,
    /// CUDA contexts and kernel images.
    Context,
    /// Parts too small to be shown one by one.
    Small,
}

impl DevicePart {
    /// A stable name for style sheets.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Category(category) => category.name(),
            Self::Cached => "cached",
            Self::OtherProcesses => "other_processes",
            Self::Context => "context",
            Self::Small => "small",
        }
    }
}

/// The step in which the run's peak comes: the steady one, unless the first needs more.
pub fn binding_step(device: &DeviceReport) -> &StepReport {
    if device.first_step.peak.peak_tensor > device.steady_step.peak.peak_tensor {
        &device.first_step
    } else {
        &device.steady_step
    }
}

/// What nvidia-smi shows at the peak, against what programs can use.
pub fn device_bar(device: &DeviceReport) -> CapacityBar<DevicePart> {
    let composition = &binding_step(device).peak.composition;
    let tensors = composition.total();
    let own = device.run.peak_reserved.max(tensors);
    let others = device.total - device.context - own;
    let parts = composition
        .parts()
        .map(|(category, bytes)| (DevicePart::Category(category), bytes))
        .chain([
            (DevicePart::Cached, own - tensors),
            (DevicePart::OtherProcesses, others),
            (DevicePart::Context, device.context),
        ]);
    CapacityBar::folded(parts, DevicePart::Small, device.usable)
}

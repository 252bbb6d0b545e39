//! The GPU's bar.

use super::CapacityBar;
use crate::report::{DeviceReport, StepReport};
use crate::tape::Category;
use crate::units::Bytes;

/// A part of what nvidia-smi shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DevicePart {
    /// Tensors of a category.
    Category(Category),
    /// Bytes of the caching allocator beyond live tensors: rounding, free blocks, fragments.
    Cached,
    /// Allocators of other processes on the same device.
    OtherProcesses,
    /// CUDA contexts and kernel images.
    Context,
    /// Parts too small to be shown one by one.
    Small,
}

impl DevicePart {
    /// Parts beside the categories.
    pub const WITHOUT_CATEGORY: [Self; 4] = [
        Self::Cached,
        Self::OtherProcesses,
        Self::Context,
        Self::Small,
    ];

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

/// The parts of what nvidia-smi shows at the peak.
pub fn device_parts(device: &DeviceReport) -> Vec<(DevicePart, Bytes)> {
    let composition = &binding_step(device).peak.composition;
    let tensors = composition.total();
    // On this GPU: what the allocator would cache with more room does not count.
    let room = device.total - device.context - device.in_use;
    let own = device.run.peak_reserved.min(room).max(tensors);
    let others = device.total - device.context - own;
    composition
        .parts()
        .map(|(category, bytes)| (DevicePart::Category(category), bytes))
        .chain([
            (DevicePart::Cached, own - tensors),
            (DevicePart::OtherProcesses, others),
            (DevicePart::Context, device.context),
        ])
        .collect()
}

/// Bytes that PyTorch would cache beyond its most on this GPU, if there were room; nothing where it does
/// not give cached segments back.
pub fn cached_with_room(device: &DeviceReport) -> Option<Bytes> {
    let with_room = device.run.peak_reserved + device.context + device.in_use;
    Some(with_room - device.total).filter(|more| more.get() > 0)
}

/// The bytes that nvidia-smi shows at the peak, against the bytes that programs can use.
pub fn device_bar(device: &DeviceReport) -> CapacityBar<DevicePart> {
    CapacityBar::folded(device_parts(device), DevicePart::Small, device.usable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{Hardware, Scenario};
    use crate::report::estimate;

    fn bar(processes_per_gpu: u64) -> (CapacityBar<DevicePart>, DeviceReport) {
        let scenario = Scenario {
            hardware: Hardware {
                processes_per_gpu,
                ..Hardware::default()
            },
            ..Scenario::default()
        };
        let report = estimate(&scenario)
            .expect("the default has an answer")
            .report;
        (device_bar(&report.device), report.device)
    }

    #[test]
    fn the_bar_adds_up_to_what_nvidia_smi_shows() {
        let (bar, device) = bar(1);
        assert_eq!(bar.total, device.total);
        assert_eq!(bar.capacity, device.usable);
    }

    #[test]
    fn processes_that_share_a_device_are_one_part_beside_the_own_tensors() {
        let (bar, device) = bar(2);
        assert_eq!(bar.total, device.total);
        let others = bar
            .parts
            .iter()
            .find(|part| part.key == DevicePart::OtherProcesses);
        assert_eq!(
            others.map(|part| part.bytes),
            Some(device.run.peak_reserved)
        );
    }

    #[test]
    fn where_cached_memory_is_given_back_the_bar_ends_where_the_gpu_shows_it() {
        let (_, mut device) = bar(1);
        let cached = device.run.peak_reserved - device.binding().composition.total();
        assert!(cached.get() > 0);
        assert_eq!(cached_with_room(&device), None);
        device.total = device.total - cached;
        let bar = device_bar(&device);
        assert_eq!(bar.total, device.total);
        assert!(bar.parts.iter().all(|part| part.key != DevicePart::Cached));
        assert_eq!(cached_with_room(&device), Some(cached));
    }
}

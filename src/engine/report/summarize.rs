//! From a trace to the device's report.

use super::asked::Asked;
use super::holdings::Holdings;
use super::phases::step;
use super::replayed::{limited, replay, replayed};
use super::watch::{Watched, watched};
use super::{Communication, Compute, DeviceReport, Timeline};
use crate::device::{Failure, Replay};
use crate::model::ResolvedSpec;
use crate::sim::Trace;
use crate::units::Bytes;

/// The device's side of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSummary {
    /// The report.
    pub report: DeviceReport,
    /// Memory over program order.
    pub timeline: Timeline,
    /// Bytes asked for, before the allocator's rounding.
    pub asked: Asked,
    /// The request at which the run ends on this device, when it does not fit.
    pub failure: Option<Failure>,
}

/// Summarizes a run on its device; `None` for a trace without phases.
pub fn summarize(spec: &ResolvedSpec, trace: &Trace) -> Option<DeviceSummary> {
    let Watched {
        phases,
        run,
        timeline,
        asked,
        mut failure,
        within,
    } = watched(spec, trace, None);
    let last = trace.steady_step();
    let first_step = step(0, &phases)?;
    let steady_step = step(last, &phases)?;
    let usual_step = spec
        .usual_lengths
        .and_then(|_| step(last.saturating_sub(1), &phases));
    let processes = spec.device.processes.max(1);
    let mut total = on_device(spec, run.peak_reserved);
    let usable = usable(spec);
    if total > usable && failure.is_none() {
        match limited_run(spec, trace, within) {
            Ok(most) => total = on_device(spec, most),
            Err(refused) => failure = Some(refused),
        }
    }
    let report = DeviceReport {
        first_step,
        steady_step,
        usual_step,
        run,
        context: Bytes(spec.device.context.get().saturating_mul(processes)),
        in_use: spec.device.in_use,
        total,
        usable,
        name: spec.device.name.clone(),
        compute: Compute::of(&trace.work),
        communication: Communication(trace.work.only_sent()),
    };
    Some(DeviceSummary {
        report,
        timeline,
        asked,
        failure,
    })
}

/// The most that the run holds of the device's memory, or where it asks for more: PyTorch gives cached
/// segments back before it runs out, so less can be enough. `within` is the run where it would first
/// have taken more.
fn limited_run(
    spec: &ResolvedSpec,
    trace: &Trace,
    within: Option<Replay>,
) -> Result<Bytes, Failure> {
    let mut within = within.unwrap_or_else(|| replay(trace, limited(spec)));
    let emptied = spec.allocator.empty_cache_after_loading;
    replayed(trace, &mut within, emptied, &mut Holdings::unseen())?;
    Ok(Bytes(within.most_reserved()))
}

/// Bytes that nvidia-smi shows where the allocator of each of the scenario's processes holds so many.
pub(super) fn on_device(spec: &ResolvedSpec, reserved: Bytes) -> Bytes {
    let own = (reserved + spec.device.context).get();
    Bytes(own.saturating_mul(spec.device.processes.max(1))) + spec.device.in_use
}

/// Bytes of the device for the scenario's processes: all of it, or the allocator's limit.
pub(super) fn usable(spec: &ResolvedSpec) -> Bytes {
    let limit = spec.memory_limit.map(|limit| on_device(spec, limit));
    limit.map_or(spec.device.usable, |limit| limit.min(spec.device.usable))
}

//! From a trace to the device's report.

use super::phases::{live_bytes, steps};
use super::replayed::{limited, replayed, unlimited, within_its_limit};
use super::{DeviceReport, RunReport};
use crate::device::{Failure, Replay};
use crate::sim::Trace;
use crate::spec::ResolvedSpec;
use crate::units::Bytes;

/// The device's side of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSummary {
    /// The report.
    pub report: DeviceReport,
    /// Live storages after each event, in bytes, each rounded to 512.
    pub live: Vec<u64>,
    /// The allocator with as much memory as the run asks for, event by event.
    pub replay: Replay,
    /// Where the run ends on this device, when it does not fit.
    pub failure: Option<Failure>,
}

/// What a run takes on its device; nothing for a trace without phases.
pub fn summarize(spec: &ResolvedSpec, trace: &Trace) -> Option<DeviceSummary> {
    let emptied = spec.allocator.empty_cache_after_loading;
    let mut replay = replayed(trace, within_its_limit(spec), emptied);
    let mut failure = replay.failure;
    if failure.is_some() {
        replay = replayed(trace, unlimited(spec), emptied);
    }
    let live = live_bytes(trace);
    let last = trace.steady_step();
    let mut steps = steps(trace, &live, &replay, &[0, last, last.saturating_sub(1)]).into_iter();
    let first_step = steps.next()?;
    let steady_step = steps.next()?;
    let usual_step = steps.next().filter(|_| spec.usual_lengths.is_some());
    let run = peaks(&replay);
    let processes = spec.device.processes.max(1);
    let on_device = |reserved: Bytes| {
        Bytes(
            (reserved + spec.device.context)
                .get()
                .saturating_mul(processes),
        )
    };
    let mut total = on_device(run.peak_reserved);
    let usable = usable(spec, on_device);
    if total > usable && failure.is_none() {
        // PyTorch gives cached segments back before it runs out, so less can be enough.
        let squeezed = replayed(trace, limited(spec), emptied);
        failure = squeezed.failure;
        if failure.is_none() {
            total = on_device(peaks(&squeezed).peak_reserved);
        }
    }
    let report = DeviceReport {
        first_step,
        steady_step,
        usual_step,
        run,
        context: Bytes(spec.device.context.get().saturating_mul(processes)),
        total,
        usable,
        name: spec.device.name.clone(),
    };
    Some(DeviceSummary {
        report,
        live,
        replay,
        failure,
    })
}

/// What the scenario's processes can use of the device: all of it, or what the allocator may hold.
fn usable(spec: &ResolvedSpec, on_device: impl Fn(Bytes) -> Bytes) -> Bytes {
    let limit = spec.memory_limit.map(on_device);
    limit.map_or(spec.device.usable, |limit| limit.min(spec.device.usable))
}

fn peaks(replay: &Replay) -> RunReport {
    let highest = |of: &[u64]| Bytes(of.iter().copied().max().unwrap_or(0));
    RunReport {
        peak_allocated: highest(&replay.allocated),
        peak_reserved: highest(&replay.reserved),
    }
}

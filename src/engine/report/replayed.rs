//! The trace through the allocator, and the allocator's settings of a scenario.

use super::holdings::Holdings;
use crate::ask::{AllocatorSettings, RoundupDivisions};
use crate::device::{Failure, Limit, Replay, Request, Settings, Timing};
use crate::model::ResolvedSpec;
use crate::sim::{Event, Trace};
use crate::tape::Asked;
use crate::tape::RecordedEvent;
use crate::units::Bytes;

/// A trace's way through a fresh allocator, at its beginning.
pub fn replay(trace: &Trace, settings: Settings) -> Replay {
    let storages = trace.record.storage_count();
    if trace.begins_loaded {
        Replay::unlimited_before(storages, settings)
    } else {
        Replay::new(storages, settings)
    }
}

/// Replays the rest of a trace in an allocator, and shows the memory held after each event to `seen`. The cache is
/// emptied at the first mark of a step if `empty_cache_after_loading`.
///
/// # Errors
/// Where it runs out.
pub fn replayed(
    trace: &Trace,
    replay: &mut Replay,
    empty_cache_after_loading: bool,
    seen: &mut Holdings,
) -> Result<(), Failure> {
    let storages = trace.record.written();
    let mut marks_of_loading = trace.marks_of_loading();
    let first = trace.record.marks().nth(marks_of_loading);
    let built = first.map_or(0, |(at, _)| at);
    let mut empties = empty_cache_after_loading && replay.done() <= built;
    let mut done = replay.done();
    for stretch in &trace.program {
        let start = stretch.end.min(stretch.start + done);
        done -= start - stretch.start;
        for piece in trace.record.pieces(start..stretch.end) {
            for step in piece.steps() {
                let RecordedEvent {
                    event,
                    stored,
                    is_momentary,
                } = step;
                // Each kind of request has a call of its own.
                match event {
                    Event::Alloc(id) => {
                        let Asked {
                            bytes,
                            stream,
                            used_on,
                        } = storages.asked(stored);
                        let held = if is_momentary && used_on.is_empty() {
                            replay.run(Request::Moment { id, bytes, stream })
                        } else {
                            replay.run(Request::Alloc {
                                id,
                                bytes,
                                stream,
                                used_on,
                            })
                        };
                        seen.risen(held?);
                    }
                    Event::Free(id) => seen.passed(replay.run(Request::Free(id))?),
                    Event::Wait(wait) => seen.passed(replay.run(Request::Wait(wait.wait()))?),
                    Event::Mark(_) if marks_of_loading > 0 => {
                        marks_of_loading -= 1;
                        seen.marked(replay.run(Request::Nothing)?);
                    }
                    Event::Mark(_) if !std::mem::take(&mut empties) => {
                        replay.begins();
                        seen.marked(replay.run(Request::Nothing)?);
                    }
                    Event::Mark(_) => {
                        seen.emptied(replay.run(Request::EmptyCache)?);
                        replay.begins();
                    }
                    Event::EmptyCache => {
                        seen.emptied(replay.run(Request::EmptyCache)?);
                    }
                }
            }
        }
    }
    Ok(())
}

/// The allocator's settings of a scenario, with as much memory as it asks for.
pub fn unlimited(spec: &ResolvedSpec) -> Settings {
    settings(&spec.allocator, Limit::None)
}

/// The allocator's settings of a scenario, with as much memory as it lets itself have. Where that is as much as it asks
/// for, the device's memory is watched.
pub fn within_its_limit(spec: &ResolvedSpec) -> Settings {
    let limit = match (spec.memory_limit, limited(spec).limit) {
        (Some(limit), _) => Limit::Fraction(limit.get()),
        (None, Limit::Capacity(bytes)) if !spec.allocator.expandable_segments => {
            Limit::Watched(bytes)
        }
        _ => Limit::None,
    };
    settings(&spec.allocator, limit)
}

/// The allocator's settings on the scenario's device: the memory that one process can use beside its CUDA context and
/// other programs.
pub fn limited(spec: &ResolvedSpec) -> Settings {
    let free = spec.device.usable - spec.device.in_use;
    let share = free.get() / spec.device.processes.max(1);
    let own = spec.memory_limit.map_or(u64::MAX, Bytes::get);
    let bytes = share.saturating_sub(spec.device.context.get()).min(own);
    let limit = if spec.allocator.garbage_collection_threshold.is_some() {
        // Garbage collection exists only under a memory fraction, which is then set to it.
        Limit::Fraction(bytes)
    } else {
        Limit::Capacity(bytes)
    };
    settings(&spec.allocator, limit)
}

/// The allocator's settings as numbers, under a limit.
pub fn settings(asked: &AllocatorSettings, limit: Limit) -> Settings {
    let threshold = match (asked.garbage_collection_threshold, limit) {
        (Some(share), Limit::Fraction(bytes)) => Some(share_of(share, bytes)),
        _ => None,
    };
    Settings {
        expandable_segments: asked.expandable_segments,
        max_split_size: asked.max_split_size_mb.map(|mib| mib << 20),
        roundup_power2_divisions: asked
            .roundup_power2_divisions
            .as_ref()
            .and_then(RoundupDivisions::by_interval)
            .unwrap_or_default(),
        garbage_collection_threshold: threshold,
        limit,
        timing: Timing::default(),
    }
}

/// `static_cast<size_t>(share * bytes)`, as PyTorch computes the threshold.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share between 0 and 1 of a byte count, truncated as PyTorch does"
)]
fn share_of(share: f64, bytes: u64) -> u64 {
    (bytes as f64 * share.clamp(0.0, 1.0)) as u64
}

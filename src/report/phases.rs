//! Phases of a run: where they begin and end, and what is live at their peaks.

use super::{Composition, PhaseReport, PhaseSpan, StepReport};
use crate::device::Replay;
use crate::sim::{Event, Phase, Trace};
use crate::units::Bytes;

/// The allocator's block size; every live storage counts in multiples of it.
const BLOCK: u64 = 512;

/// A storage's share of `peak_tensor`.
pub(super) fn rounded(trace: &Trace, id: u32) -> u64 {
    trace.storages[id as usize].bytes.next_multiple_of(BLOCK)
}

/// Live bytes after each event: storages, each rounded to the allocator's 512 bytes.
pub fn live_bytes(trace: &Trace) -> Vec<u64> {
    let mut live = 0u64;
    trace
        .events
        .iter()
        .map(|&event| {
            match event {
                Event::Alloc(id) => live += rounded(trace, id),
                Event::Free(id) => live -= rounded(trace, id),
                Event::Mark(_) => {}
            }
            live
        })
        .collect()
}

/// Every phase of every micro-batch, in program order.
pub fn spans(trace: &Trace) -> Vec<PhaseSpan> {
    let mut spans: Vec<PhaseSpan> = Vec::with_capacity(trace.marks.len());
    for (index, event) in (0u32..).zip(&trace.events) {
        if let Event::Mark(mark) = event {
            if let Some(last) = spans.last_mut() {
                last.end = index;
            }
            let mark = trace.marks[*mark as usize];
            spans.push(PhaseSpan {
                step: mark.step,
                micro_batch: mark.micro_batch,
                phase: mark.phase,
                start: index,
                end: index,
            });
        }
    }
    if let Some(last) = spans.last_mut() {
        last.end = u32::try_from(trace.events.len()).unwrap_or(u32::MAX);
    }
    spans
}

/// Live bytes by category after chosen events, which must ascend.
pub(super) fn compositions(trace: &Trace, at: &[usize]) -> Vec<Composition> {
    let mut composition = Composition::default();
    let mut done = 0;
    let after = |&event: &usize| {
        for &event in trace.events.get(done..=event).unwrap_or_default() {
            match event {
                Event::Alloc(id) => {
                    composition.add(trace.storages[id as usize].category, rounded(trace, id));
                }
                Event::Free(id) => {
                    composition.remove(trace.storages[id as usize].category, rounded(trace, id));
                }
                Event::Mark(_) => {}
            }
        }
        done = done.max(event + 1);
        composition
    };
    at.iter().map(after).collect()
}

/// The peak of one phase of one step over its micro-batches.
struct Peak {
    phase: Phase,
    at: usize,
    tensor: u64,
    allocated: u64,
    reserved: u64,
}

/// The batch's copy to the device counts as part of the forward pass.
fn counted_as(phase: Phase) -> Phase {
    if phase == Phase::Data {
        Phase::Forward
    } else {
        phase
    }
}

fn peaks(step: u32, spans: &[PhaseSpan], live: &[u64], replay: &Replay) -> Vec<Peak> {
    let mut peaks: Vec<Peak> = Vec::new();
    for span in spans.iter().filter(|span| span.step == step) {
        let (start, end) = (span.start as usize, span.end as usize);
        let highest = |of: &[u64]| of[start..end].iter().copied().max().unwrap_or(0);
        let tensor = highest(live);
        let at = (start..end).find(|&i| live[i] == tensor).unwrap_or(start);
        let (allocated, reserved) = (highest(&replay.allocated), highest(&replay.reserved));
        let phase = counted_as(span.phase);
        match peaks.iter_mut().find(|peak| peak.phase == phase) {
            Some(peak) => {
                if tensor > peak.tensor {
                    (peak.tensor, peak.at) = (tensor, at);
                }
                peak.allocated = peak.allocated.max(allocated);
                peak.reserved = peak.reserved.max(reserved);
            }
            None => peaks.push(Peak {
                phase,
                at,
                tensor,
                allocated,
                reserved,
            }),
        }
    }
    peaks
}

/// The phases of some steps, micro-batches taken together, with the binding one. A step without
/// phases is left out. `replay` must cover the whole trace.
pub(super) fn steps(
    trace: &Trace,
    live: &[u64],
    replay: &Replay,
    wanted: &[u32],
) -> Vec<StepReport> {
    let spans = spans(trace);
    let peaks: Vec<Vec<Peak>> = wanted
        .iter()
        .map(|&step| peaks(step, &spans, live, replay))
        .collect();
    let mut at: Vec<usize> = peaks.iter().flatten().map(|peak| peak.at).collect();
    at.sort_unstable();
    let compositions = compositions(trace, &at);
    let composition = |event: usize| compositions[at.partition_point(|&a| a < event)];
    peaks
        .iter()
        .filter_map(|peaks| {
            let phases: Vec<PhaseReport> = peaks
                .iter()
                .map(|peak| PhaseReport {
                    phase: peak.phase,
                    peak_tensor: Bytes(peak.tensor),
                    peak_allocated: Bytes(peak.allocated),
                    peak_reserved: Bytes(peak.reserved),
                    composition: composition(peak.at),
                })
                .collect();
            binding(phases)
        })
        .collect()
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

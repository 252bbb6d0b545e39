//! Memory over program order.

use super::phases::{compositions, spans};
use super::{PhaseSpan, Timeline, TimelinePoint};
use crate::device::Replay;
use crate::sim::Trace;
use crate::units::Bytes;

/// Points that a drawing of some 1,000 pixels can show.
const POINTS: usize = 480;
/// Phases that get a point of their own where they begin.
const BORDERS: usize = 240;

/// Memory over program order from the first phase on, thinned: of each stretch of events the
/// highest stays, so peaks are exact, and so does the beginning of each phase. `live` is from
/// [`super::live_bytes`].
pub fn timeline(trace: &Trace, live: &[u64], replay: &Replay) -> Timeline {
    let spans = spans(trace);
    let at = thinned(&spans, live.len().min(replay.allocated.len()), live);
    points_at(trace, replay, spans, &at)
}

/// The same with the events `start..end` thinned less, or not at all.
pub(super) fn closer(
    trace: &Trace,
    live: &[u64],
    replay: &Replay,
    (start, end): (u32, u32),
) -> Timeline {
    let spans = spans(trace);
    let all = live.len().min(replay.allocated.len());
    let mut at = thinned(&spans, all, live);
    let (start, end) = (start as usize, (end as usize).min(all));
    at.extend(highest_of_each(live, start.min(end), end));
    at.sort_unstable();
    at.dedup();
    points_at(trace, replay, spans, &at)
}

/// The highest event of each of [`POINTS`] stretches.
fn highest_of_each(live: &[u64], first: usize, end: usize) -> impl Iterator<Item = usize> {
    let stretch = end.saturating_sub(first).div_ceil(POINTS).max(1);
    (first..end)
        .step_by(stretch)
        .map(move |start| highest(live, start, (start + stretch).min(end)))
}

/// The events of a run of `end` events that stay.
fn thinned(spans: &[PhaseSpan], end: usize, live: &[u64]) -> Vec<usize> {
    let first = spans.first().map_or(0, |span| span.start as usize);
    let mut at: Vec<usize> = highest_of_each(live, first, end).collect();
    if spans.len() <= BORDERS {
        at.extend(spans.iter().map(|span| span.start as usize));
    }
    at.extend(end.checked_sub(1));
    at.retain(|&event| event < end);
    at.sort_unstable();
    at.dedup();
    at
}

/// Memory at some events, which ascend.
fn points_at(trace: &Trace, replay: &Replay, spans: Vec<PhaseSpan>, at: &[usize]) -> Timeline {
    let points: Vec<TimelinePoint> = at
        .iter()
        .zip(compositions(trace, at))
        .map(|(&event, composition)| TimelinePoint {
            event: u32::try_from(event).unwrap_or(u32::MAX),
            composition,
            allocated: Bytes(replay.allocated[event]),
            reserved: Bytes(replay.reserved[event]),
        })
        .collect();
    let peak = (0..points.len()).fold(0, |best, i| {
        if points[i].composition.total() > points[best].composition.total() {
            i
        } else {
            best
        }
    });
    Timeline {
        points,
        spans,
        peak,
    }
}

/// The first event with the highest value in `start..end`.
fn highest(live: &[u64], start: usize, end: usize) -> usize {
    (start..end).fold(start, |best, i| if live[i] > live[best] { i } else { best })
}

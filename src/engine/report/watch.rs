//! A run watched: live bytes at each event, the event of the peak, and the memory that the allocator held.
//!
//! Live bytes do not depend on the allocator, and the steps of a run share most events: they are found stretch by
//! stretch (`stretch.rs`). Then the run goes through the allocator once.

use super::asked::Asked;
use super::holdings::{Holdings, PhasePeak};
use super::replayed::{replay, replayed, unlimited, within_its_limit};
use super::stretch::{Alive, Stretch, Stretches};
use super::{PhaseReport, PhaseSpan, RunReport, Timeline, TimelinePoint};
use crate::device::{Failure, Held, Replay, Settings};
use crate::model::ResolvedSpec;
use crate::sim::{Phase, Trace};
use crate::units::Bytes;
use std::ops::Range;

/// Points that a drawing of some 1,000 pixels can show.
const POINTS: usize = 480;
/// Phases that get a point of their own where they begin.
const BORDERS: usize = 240;

/// The memory that was seen of a run.
pub(super) struct Watched {
    /// Each phase of each micro-batch.
    pub phases: Vec<PhasePeak>,
    /// Peaks of the whole run.
    pub run: RunReport,
    /// Memory over program order from the first phase on, thinned: of each stretch of events the
    /// highest stays, so peaks are exact, and so does the beginning of each phase.
    pub timeline: Timeline,
    /// Bytes that it asked for.
    pub asked: Asked,
    /// The request that the allocator refused, if it did; the rest is that of a run with as much
    /// memory as it asks for.
    pub failure: Option<Failure>,
    /// The run before it would have taken more than the device has, with that much, if it would and
    /// nothing else limits it.
    pub within: Option<Replay>,
}

/// Watches a run in an allocator that holds as much as it lets itself have; the events of `window`,
/// if there is one, are thinned less than the others, or not at all.
pub(super) fn watched(spec: &ResolvedSpec, trace: &Trace, window: Option<Range<u32>>) -> Watched {
    let emptied = spec.allocator.empty_cache_after_loading;
    let mut watched = watch(trace, within_its_limit(spec), emptied, window.clone());
    if watched.failure.is_some() {
        watched = Watched {
            failure: watched.failure,
            ..watch(trace, unlimited(spec), emptied, window)
        };
    }
    watched
}

/// Watches a run with the allocator's settings.
pub(super) fn watch(
    trace: &Trace,
    settings: Settings,
    emptied: bool,
    window: Option<Range<u32>>,
) -> Watched {
    let mut run = Watcher::new(trace);
    run.see_what_lives(window);
    run.see_what_is_held(settings, emptied)
}

/// A run that is being watched.
struct Watcher<'a> {
    trace: &'a Trace,
    /// Events seen.
    event: usize,
    alive: Alive,
    /// The most storages that were alive where stretches end.
    storages: u32,
    /// Requested bytes now, and the most of them.
    asked_now: Asked,
    asked: Asked,
    /// The highest moment before the first phase.
    before: Alive,
    phases: Vec<PhasePeak>,
    points: Vec<TimelinePoint>,
    /// Events of short stretches that share a point, and the highest moment in them.
    gathered: usize,
    pending: Option<(usize, Alive)>,
}

impl<'a> Watcher<'a> {
    fn new(trace: &'a Trace) -> Self {
        Self {
            trace,
            event: 0,
            alive: Alive::default(),
            storages: 0,
            asked_now: Asked::default(),
            asked: Asked::default(),
            before: Alive::default(),
            phases: Vec::with_capacity(trace.marks.len()),
            points: Vec::with_capacity(
                POINTS + trace.program.len() + 2 * BORDERS.min(trace.marks.len()),
            ),
            gathered: 0,
            pending: None,
        }
    }

    /// Goes through the program, stretch by stretch.
    fn see_what_lives(&mut self, window: Option<Range<u32>>) {
        let trace = self.trace;
        let mut stretches = Stretches::of(trace);
        let end = trace.event_count();
        let length = |events: usize| events.div_ceil(POINTS).max(1);
        let window = window.unwrap_or_default();
        let window = window.start as usize..(window.end as usize).min(end);
        let lengths = [length(end), length(window.len())];
        for range in &trace.program {
            // Events before the window, in it, and behind it.
            let here = |event: usize| {
                let at = event.clamp(self.event, self.event + range.len());
                at - self.event + range.start
            };
            let (from, to) = (here(window.start), here(window.end).max(here(window.start)));
            let parts = [range.start..from, from..to, to..range.end];
            for (part, which) in parts.into_iter().zip([0, 1, 0]) {
                let length = lengths[which];
                stretches.walk(part, length, |stretch| self.see(stretch, length));
                self.add_pending();
            }
        }
        self.add_point(end.saturating_sub(1), self.alive);
        if let Some(last) = self.phases.last_mut() {
            last.span.end = number(end);
        }
    }

    /// Adds a stretch; stretches of at most `length` events together share a point.
    fn see(&mut self, stretch: &Stretch, length: usize) {
        if stretch.begins_phase {
            self.add_pending();
            self.begin_phase();
        } else if self.gathered + stretch.events > length {
            self.add_pending();
        }
        let asked = self.asked_now.after(stretch.asked_highest);
        self.asked = self.asked.highest(asked);
        self.asked_now = self.asked_now.after(stretch.asked_whole);
        let highest = self.alive.after(&stretch.highest);
        if let Some(phase) = self.phases.last_mut() {
            if highest.live > phase.live {
                (phase.live, phase.composition) = (highest.live, highest.composition);
            }
            self.gathered += stretch.events;
            if (self.pending).is_none_or(|(_, before)| highest.live > before.live) {
                self.pending = Some((self.event + stretch.highest_at, highest));
            }
        } else if highest.live > self.before.live {
            self.before = highest;
        }
        self.alive = self.alive.after(&stretch.whole);
        self.storages = self.storages.max(self.alive.storages);
        self.event += stretch.events;
    }

    /// The next event begins a phase.
    fn begin_phase(&mut self) {
        let start = number(self.event);
        if let Some(last) = self.phases.last_mut() {
            last.span.end = start;
        }
        if let Some(mark) = self.trace.marks.get(self.phases.len()) {
            self.phases.push(PhasePeak {
                span: PhaseSpan {
                    step: mark.step,
                    micro_batch: mark.micro_batch,
                    phase: mark.phase,
                    start,
                    end: start,
                },
                live: self.alive.live,
                composition: self.alive.composition,
                held: Held::default(),
            });
        }
        if self.trace.marks.len() <= BORDERS {
            self.add_point(self.event, self.alive);
        }
    }

    /// Adds a point for the highest moment of the gathered stretches.
    fn add_pending(&mut self) {
        self.gathered = 0;
        if let Some((event, alive)) = self.pending.take() {
            self.add_point(event, alive);
        }
    }

    /// The moment after an event, if it is another than the last one.
    fn add_point(&mut self, event: usize, alive: Alive) {
        let event = number(event);
        if self.points.last().is_none_or(|last| last.event < event) {
            self.points.push(TimelinePoint {
                event,
                composition: alive.composition,
                allocated: Bytes::ZERO,
                reserved: Bytes::ZERO,
            });
        }
    }

    /// Runs the program through an allocator.
    fn see_what_is_held(self, settings: Settings, emptied: bool) -> Watched {
        let Self {
            trace,
            asked,
            storages,
            before,
            mut phases,
            mut points,
            ..
        } = self;
        let first = phases.get(trace.marks_of_loading());
        let built = first.map_or(u32::MAX, |first| first.span.start);
        let mut replay = replay(trace, settings);
        replay.make_room(storages as usize);
        let mut held =
            Holdings::new(&mut phases, &mut points, built).since_first_phase(trace.begins_loaded);
        let failure = replayed(trace, &mut replay, emptied, &mut held).err();
        let [highest, built] = held.ended();
        let total = |at: usize| points[at].composition.total();
        let peak =
            (0..points.len()).fold(0, |best, i| if total(i) > total(best) { i } else { best });
        Watched {
            run: RunReport {
                peak_allocated: Bytes(highest.allocated),
                peak_reserved: Bytes(highest.reserved),
                before: higher_before(before, built, &phases),
            },
            timeline: Timeline {
                spans: phases.iter().map(|phase| phase.span).collect(),
                points,
                peak,
            },
            phases,
            asked,
            failure,
            within: replay.within(),
        }
    }
}

/// The moment before the first phase with the most that is alive, where more was `held` until then than in any phase.
fn higher_before(alive: Alive, held: Held, phases: &[PhasePeak]) -> Option<PhaseReport> {
    let of_phases = phases.iter().map(|phase| phase.held.reserved).max();
    (held.reserved > of_phases.unwrap_or(0)).then_some(PhaseReport {
        phase: Phase::Loading,
        peak_tensor: Bytes(alive.live),
        peak_allocated: Bytes(held.allocated),
        peak_reserved: Bytes(held.reserved),
        composition: alive.composition,
    })
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

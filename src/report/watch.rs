//! A run watched once, from its first event to its last: what it holds at each, where it was
//! highest.

use super::asked::Asked;
use super::phases::rounded;
use super::replayed::{requests, unlimited, within_its_limit};
use super::{Composition, PhaseSpan, RunReport, Timeline, TimelinePoint};
use crate::device::{Failure, Held, Request, Settings, replay};
use crate::sim::{Event, Trace};
use crate::spec::ResolvedSpec;
use crate::units::{Bytes, sort_short};
use std::ops::Range;

/// Points that a drawing of some 1,000 pixels can show.
const POINTS: usize = 480;
/// Phases that get a point of their own where they begin.
const BORDERS: usize = 240;

/// What was seen of a run.
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
    /// Where the allocator refused more, if it did; what was seen is that of a run with as much
    /// memory as it asks for.
    pub failure: Option<Failure>,
}

/// Watches a run in an allocator that holds as much as it lets itself have; the events of `window`,
/// if there is one, are thinned less than the others, or not at all.
pub(super) fn watched(spec: &ResolvedSpec, trace: &Trace, window: Option<(u32, u32)>) -> Watched {
    let emptied = spec.allocator.empty_cache_after_loading;
    let run = |settings| watch(trace, settings, emptied, window);
    let watched = run(within_its_limit(spec));
    let Some(failure) = watched.failure else {
        return watched;
    };
    Watched {
        failure: Some(failure),
        ..run(unlimited(spec))
    }
}

/// The same with the allocator's settings.
pub(super) fn watch(
    trace: &Trace,
    settings: Settings,
    emptied: bool,
    window: Option<(u32, u32)>,
) -> Watched {
    let mut watcher = Watcher::new(trace, window);
    let failure = replay(
        requests(trace, emptied),
        trace.storages.len(),
        settings,
        |request, held| watcher.see(request, held),
    );
    watcher.ended(failure)
}

/// The highest moment of some events: the first with the most live bytes.
#[derive(Clone, Copy)]
pub(super) struct Highest {
    pub live: u64,
    pub at: TimelinePoint,
}

/// What was highest in one phase of one micro-batch.
pub(super) struct PhasePeak {
    pub span: PhaseSpan,
    pub highest: Highest,
    pub held: Held,
}

/// Events cut into stretches of equal length, each of which keeps its highest moment.
struct Stretches {
    /// Where the next one begins.
    next: usize,
    end: usize,
    length: usize,
    highest: Option<Highest>,
}

impl Stretches {
    fn of(events: Range<usize>) -> Self {
        Self {
            next: events.start,
            end: events.end,
            length: events.len().div_ceil(POINTS).max(1),
            highest: None,
        }
    }

    /// Begins a stretch, if there is one left; the highest moment of the one before.
    fn begin(&mut self, now: Highest) -> Option<Highest> {
        let begun = (self.next < self.end).then_some(now);
        self.next = (self.next + self.length).min(self.end);
        std::mem::replace(&mut self.highest, begun)
    }
}

/// A run that is being watched.
///
/// Memory is highest right before something is freed, or before another phase or stretch begins: only
/// there it is compared.
struct Watcher<'a> {
    trace: &'a Trace,
    /// Events seen.
    event: usize,
    composition: Composition,
    live: u64,
    /// What was asked for, before rounding.
    asked_now: Composition,
    asked: Asked,
    held: Held,
    /// The most that was held since moments were compared, and in the whole run.
    held_since: Held,
    highest_held: Held,
    /// Whether the last event allocated something.
    rising: bool,
    phases: Vec<PhasePeak>,
    stretches: [Stretches; 2],
    /// The next event at which a stretch begins, or the last one has ended.
    border: usize,
    points: Vec<TimelinePoint>,
}

impl<'a> Watcher<'a> {
    fn new(trace: &'a Trace, window: Option<(u32, u32)>) -> Self {
        let end = trace.event_count();
        let is_mark = |event| matches!(event, Event::Mark(_));
        let first = trace.events().position(is_mark).unwrap_or(0);
        let (from, to) = window.unwrap_or_default();
        let (from, to) = (from as usize, (to as usize).min(end));
        let from = from.min(to);
        Self {
            trace,
            event: 0,
            composition: Composition::default(),
            live: 0,
            asked_now: Composition::default(),
            asked: Asked::default(),
            held: Held::default(),
            held_since: Held::default(),
            highest_held: Held::default(),
            rising: false,
            phases: Vec::with_capacity(trace.marks.len()),
            stretches: [first..end, from..to].map(Stretches::of),
            border: first.min(from),
            points: Vec::with_capacity(POINTS + trace.marks.len().min(BORDERS) + 2),
        }
    }

    /// One more event has happened, and this is what the allocator holds.
    #[inline]
    fn see(&mut self, request: Request, held: Held) {
        let begins = self.event == self.border;
        let allocates = matches!(request, Request::Alloc { .. } | Request::Moment { .. });
        let begins_phase = matches!(request, Request::EmptyCache | Request::Nothing);
        if begins_phase || self.rising && (begins || !allocates) {
            self.compare();
        }
        self.rising = allocates;
        self.held = held;
        self.event += 1;
        match request {
            Request::Alloc { id, bytes } | Request::Moment { id, bytes } => {
                let category = self.trace.storages[id as usize].category;
                self.live += rounded(bytes);
                self.composition.add(category, rounded(bytes));
                self.asked_now.add(category, bytes);
                self.held_since = self.held_since.max_of_each(held);
            }
            Request::Free(id) => {
                let storage = &self.trace.storages[id as usize];
                let (category, bytes) = (storage.category, storage.bytes);
                self.live -= rounded(bytes);
                self.composition.remove(category, rounded(bytes));
                self.asked_now.remove(category, bytes);
            }
            Request::EmptyCache | Request::Nothing => self.begin_phase(),
        }
        if begins {
            self.begin_stretches();
        }
    }

    /// The moment after the last event.
    fn now(&self) -> Highest {
        Highest {
            live: self.live,
            at: TimelinePoint {
                event: number(self.event.saturating_sub(1)),
                composition: self.composition,
                allocated: Bytes(self.held.allocated),
                reserved: Bytes(self.held.reserved),
            },
        }
    }

    /// Compares the moment after the last event with the highest ones.
    fn compare(&mut self) {
        let held = std::mem::take(&mut self.held_since);
        self.highest_held = self.highest_held.max_of_each(held);
        self.asked.see(&self.asked_now);
        let (live, now) = (self.live, self.now());
        let mut higher = |highest: &mut Highest| {
            if live > highest.live {
                *highest = now;
            }
        };
        if let Some(phase) = self.phases.last_mut() {
            phase.held = phase.held.max_of_each(held);
            higher(&mut phase.highest);
        }
        for stretches in &mut self.stretches {
            stretches.highest.as_mut().map(&mut higher);
        }
    }

    /// Stretches begin at the last event, or have ended there.
    fn begin_stretches(&mut self) {
        let (event, now) = (self.event - 1, self.now());
        self.border = usize::MAX;
        for stretches in &mut self.stretches {
            if stretches.next == event {
                let passed = stretches.begin(now);
                self.points.extend(passed.map(|highest| highest.at));
            }
            if stretches.next > event {
                self.border = self.border.min(stretches.next);
            }
        }
    }

    /// The last event was the beginning of a phase.
    fn begin_phase(&mut self) {
        let start = number(self.event - 1);
        let now = self.now();
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
                highest: now,
                held: self.held,
            });
        }
        if self.trace.marks.len() <= BORDERS {
            self.points.push(now.at);
        }
    }

    fn ended(mut self, failure: Option<Failure>) -> Watched {
        self.compare();
        if let Some(last) = self.phases.last_mut() {
            last.span.end = number(self.event);
        }
        let (now, mut points) = (self.now(), self.points);
        let stretches = self.stretches.iter();
        let highest = stretches.filter_map(|stretches| stretches.highest);
        points.extend(highest.chain([now]).map(|highest| highest.at));
        // They came nearly in order.
        sort_short(&mut points, |point| point.event);
        points.dedup_by_key(|point| point.event);
        let total = |at: usize| points[at].composition.total();
        let peak =
            (0..points.len()).fold(0, |best, i| if total(i) > total(best) { i } else { best });
        Watched {
            run: RunReport {
                peak_allocated: Bytes(self.highest_held.allocated),
                peak_reserved: Bytes(self.highest_held.reserved),
            },
            timeline: Timeline {
                spans: self.phases.iter().map(|phase| phase.span).collect(),
                points,
                peak,
            },
            phases: self.phases,
            asked: self.asked,
            failure,
        }
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

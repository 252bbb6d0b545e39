//! The moments of a run at which live memory can be highest, whatever the bytes of its storages are.

use super::structure::Structure;
use crate::device::Held;
use crate::report::holdings::PhasePeak;
use crate::report::phases::rounded;
use crate::report::{Composition, PhaseSpan};
use crate::sim::{Event, Piece};
use std::collections::BTreeSet;

/// How many storages of each kind are alive.
type Living = Box<[i32]>;

/// The moments of each phase at which live memory can be highest.
///
/// A moment counts only where no other of its phase has as many storages of each kind or more. Of stretches that follow
/// one another and do the same, only the first and the last count: with each, as many more or fewer are alive.
pub(super) struct Turns {
    /// The phases of the steady step.
    steady: Vec<(PhaseSpan, Vec<Living>)>,
    /// The moments of all other steps at which more can be alive than in that.
    others: Vec<Living>,
}

impl Turns {
    /// The moments of a structure. The highest of its first run are looked at first, which rule most others out.
    pub(super) fn of(structure: &Structure) -> Self {
        let mut walk = Walk {
            structure,
            living: vec![0; structure.kind_count()],
            phases: Vec::new(),
            moments: BTreeSet::new(),
            sizes: structure
                .first_bytes()
                .iter()
                .map(|&bytes| rounded(bytes))
                .collect(),
        };
        walk.through();
        let last = structure.trace.steady_step();
        let spans = structure.trace.marks.iter().map(|mark| PhaseSpan {
            step: mark.step,
            micro_batch: mark.micro_batch,
            phase: mark.phase,
            start: 0,
            end: 0,
        });
        let mut steady: Vec<(PhaseSpan, Vec<Living>)> = Vec::new();
        let mut others: Vec<Living> = Vec::new();
        for (span, moments) in spans.zip(walk.phases) {
            if span.step == last {
                steady.push((span, moments));
            } else {
                others.extend(moments);
            }
        }
        let of_steady = || steady.iter().flat_map(|(_, moments)| moments);
        others.retain(|moment| !of_steady().any(|other| is_at_least(other, moment)));
        Self {
            others: highest(others, &walk.sizes),
            steady,
        }
    }

    /// The most that is alive in a run with these bytes of each kind outside of its steady step's phases, and the peaks
    /// of those.
    pub(super) fn peaks(&self, bytes: &[u64]) -> (u64, Vec<PhasePeak>) {
        let sizes: Vec<u64> = bytes.iter().map(|&bytes| rounded(bytes)).collect();
        let most = |moments: &[Living]| {
            let all = moments.iter().map(|moment| live(moment, &sizes));
            all.max().unwrap_or(0)
        };
        let phases = self.steady.iter().map(|(span, moments)| PhasePeak {
            span: *span,
            live: most(moments),
            composition: Composition::default(),
            held: Held::default(),
        });
        (most(&self.others), phases.collect())
    }
}

/// Whether a moment has at least as many storages of each kind as another.
fn is_at_least(moment: &Living, other: &Living) -> bool {
    moment.iter().zip(other).all(|(own, other)| own >= other)
}

/// The moments that no other has as much as. Those that take most with these sizes come first.
fn highest(mut moments: Vec<Living>, sizes: &[u64]) -> Vec<Living> {
    moments.sort_by_cached_key(|living| std::cmp::Reverse(live(living, sizes)));
    let mut highest: Vec<Living> = Vec::new();
    for moment in moments {
        if !highest.iter().any(|other| is_at_least(other, &moment)) {
            highest.push(moment);
        }
    }
    highest
}

/// Bytes that are alive; sums wrap.
fn live(living: &[i32], sizes: &[u64]) -> u64 {
    let each = living.iter().zip(sizes);
    each.fold(0, |sum: u64, (&count, &size)| {
        sum.wrapping_add(i64::from(count).cast_unsigned().wrapping_mul(size))
    })
}

/// A way through a run.
struct Walk<'a> {
    structure: &'a Structure,
    living: Vec<i32>,
    /// The moments of the phases that ended.
    phases: Vec<Vec<Living>>,
    /// The moments of the phase that goes on.
    moments: BTreeSet<Living>,
    sizes: Vec<u64>,
}

impl Walk<'_> {
    fn through(&mut self) {
        let trace = &self.structure.trace;
        let mut begun = false;
        for range in &trace.program {
            let mut pieces = trace.record.pieces(range.clone()).peekable();
            let key = |piece: &Piece| (piece.written_at, piece.event_count());
            while let Some(piece) = pieces.next() {
                let mut further = 0;
                while pieces.next_if(|next| key(next) == key(&piece)).is_some() {
                    further += 1;
                }
                let before = self.living.clone();
                self.pass(&piece, &mut begun);
                if further > 0 {
                    for (now, before) in self.living.iter_mut().zip(before) {
                        *now += (*now - before) * (further - 1);
                    }
                    self.pass(&piece, &mut begun);
                }
            }
        }
        if begun {
            self.end_phase();
        }
    }

    fn pass(&mut self, piece: &Piece, begun: &mut bool) {
        let record = &self.structure.trace.record;
        self.note(*begun);
        let mut rises = false;
        for place in 0..piece.event_count() {
            let (stored, change) = match piece.written(place) {
                Event::Alloc(_) => (piece.stored(place), 1),
                Event::Free(id) => (record.place_of(id), -1),
                Event::Mark(_) => {
                    if std::mem::replace(begun, true) {
                        self.note(true);
                        self.end_phase();
                    }
                    self.note(true);
                    continue;
                }
                Event::EmptyCache | Event::Wait(_) => continue,
            };
            // Memory is highest right before something is freed.
            if change < 0 && rises {
                self.note(*begun);
            }
            rises = change > 0;
            if let Some(kind) = self.structure.kind(stored) {
                self.living[kind] += change;
            }
        }
        self.note(*begun);
    }

    /// A moment at which memory can be highest.
    fn note(&mut self, begun: bool) {
        if begun && !self.moments.contains(self.living.as_slice()) {
            self.moments.insert(self.living.as_slice().into());
        }
    }

    fn end_phase(&mut self) {
        let moments = std::mem::take(&mut self.moments);
        let moments = moments.into_iter().collect();
        self.phases.push(highest(moments, &self.sizes));
    }
}

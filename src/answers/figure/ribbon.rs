//! The phases that bind along a slider, and where the run no longer fits.

use crate::decide::{Stop, StopRun};
use crate::report::{Sweep, Switch};
use crate::sim::Phase;
use serde_json::Value;

/// A stretch of the slider's track in which one phase binds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RibbonPart {
    /// The phase; nothing where it is not known.
    pub phase: Option<Phase>,
    /// Whether these values fit.
    pub fits: bool,
    /// Its beginning, as a share of the track.
    pub from: f64,
    /// Its end.
    pub to: f64,
}

/// A change of the binding phase on the slider's track.
#[derive(Clone, Debug, PartialEq)]
pub struct RibbonTick {
    /// Its place, as a share of the track.
    pub at: f64,
    /// The first value at which `to` binds.
    pub value: Value,
    /// The phase that binds before.
    pub from: Phase,
    /// The phase that binds from there on.
    pub to: Phase,
    /// Whether there is room for its value beside those of the ticks before it.
    pub named: bool,
}

/// The last value that fits.
#[derive(Clone, Debug, PartialEq)]
pub struct RibbonLimit {
    /// The place behind it, as a share of the track.
    pub at: f64,
    /// The value.
    pub value: Value,
    /// Whether there is room for it beside the ticks' values.
    pub named: bool,
}

impl RibbonLimit {
    fn beside(self, ticks: &[RibbonTick]) -> Self {
        let free = |tick: &RibbonTick| !tick.named || (tick.at - self.at).abs() >= APART;
        Self {
            named: self.at < 1.0 && ticks.iter().all(free),
            ..self
        }
    }
}

/// The track of a slider with the phases that bind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ribbon {
    /// The stretches in order.
    pub parts: Vec<RibbonPart>,
    /// The changes that are on the track.
    pub ticks: Vec<RibbonTick>,
    /// The last value that fits.
    pub limit: Option<RibbonLimit>,
    /// The last of the slider's stops that fits.
    pub last_fitting: Option<usize>,
}

/// Stops beyond the last one that fits to which a run through the slider goes on.
const BEYOND: usize = 2;

/// The least distance of two ticks that are both named, as a share of the track.
const APART: f64 = 0.12;

impl Ribbon {
    /// The ribbon of a slider over micro-batches whose steps are these `stops`, which rise.
    pub fn of(sweep: &Sweep, stops: &[u64]) -> Self {
        let (Some(first), Some(last)) = (sweep.points.first(), sweep.points.last()) else {
            return Self::default();
        };
        let begins = |switch: &Switch| between(switch.micro_batch_size.saturating_sub(1));
        let fitting = sweep.largest_fitting.map(between);
        let swept = number(last.micro_batch_size);
        let end = stops.last().map_or(swept, |stop| swept.max(number(*stop)));
        let ends = [number(first.micro_batch_size), end];
        let inside = |cut: &f64| ends[0] < *cut && *cut < ends[1];
        let mut cuts: Vec<f64> = sweep.switches.iter().map(begins).collect();
        cuts.extend(fitting);
        cuts.push(swept);
        cuts.retain(inside);
        cuts.extend(ends);
        cuts.sort_by(f64::total_cmp);
        cuts.dedup();
        let parts = cuts.windows(2).map(|cuts| {
            let middle = f64::midpoint(cuts[0], cuts[1]);
            let switched = sweep
                .switches
                .iter()
                .rfind(|switch| begins(switch) < middle);
            RibbonPart {
                phase: (middle < swept).then(|| switched.map_or(first.binding, |to| to.to)),
                fits: fitting.is_some_and(|most| middle < most),
                from: place(cuts[0], stops),
                to: place(cuts[1], stops),
            }
        });
        let ticks = sweep.switches.iter().map(|switch| RibbonTick {
            at: place(begins(switch), stops),
            value: switch.micro_batch_size.into(),
            from: switch.from,
            to: switch.to,
            named: true,
        });
        let fits = |stop: &u64| sweep.largest_fitting.is_some_and(|most| *stop <= most);
        let ticks = named(ticks.filter(|tick| tick.at < 1.0));
        let limit = sweep.largest_fitting.map(|most| RibbonLimit {
            at: place(between(most), stops),
            value: most.into(),
            named: true,
        });
        Self {
            parts: parts.filter(|part| part.from < part.to).collect(),
            limit: limit.map(|limit| limit.beside(&ticks)),
            ticks,
            last_fitting: stops.iter().rposition(fits),
        }
    }

    /// The ribbon of a slider whose stops were looked at one by one: a stretch ends halfway to the next stop.
    pub fn of_stops(stops: &[Stop]) -> Self {
        let steps = number(stops.len().saturating_sub(1) as u64).max(1.0);
        let share = |at: usize| between(at as u64) / steps;
        let mut parts: Vec<RibbonPart> = Vec::new();
        let mut ticks = Vec::new();
        let mut before: Option<Phase> = None;
        for (at, stop) in stops.iter().enumerate() {
            let run = |pick: fn(&StopRun) -> bool| stop.run.as_ref().is_some_and(pick);
            let own = RibbonPart {
                phase: stop.run.map(|run| run.binding),
                fits: run(|run| run.fits),
                from: at.checked_sub(1).map_or(0.0, share),
                to: share(at).min(1.0),
            };
            if let (Some(from), Some(to)) = (before, own.phase)
                && from != to
            {
                ticks.push(RibbonTick {
                    at: own.from,
                    value: stop.value.clone(),
                    from,
                    to,
                    named: true,
                });
            }
            before = own.phase.or(before);
            match parts.last_mut() {
                Some(last) if (last.phase, last.fits) == (own.phase, own.fits) => last.to = own.to,
                _ => parts.push(own),
            }
        }
        let fits = |stop: &Stop| stop.run.is_some_and(|run| run.fits);
        let (ticks, last_fitting) = (named(ticks.into_iter()), stops.iter().rposition(fits));
        let limit = last_fitting.map(|last| RibbonLimit {
            at: share(last).min(1.0),
            value: stops[last].value.clone(),
            named: true,
        });
        Self {
            parts,
            limit: limit.map(|limit| limit.beside(&ticks)),
            ticks,
            last_fitting,
        }
    }

    /// The next stop of a run through a slider of `stops` stops that is at the stop `from`: it ends a few beyond the
    /// last one that fits.
    pub fn next_stop(&self, from: usize, stops: usize) -> Option<usize> {
        let end = if self.parts.is_empty() {
            stops
        } else {
            self.last_fitting.map_or(0, |last| last + 1) + BEYOND
        };
        let next = from + 1;
        (next < stops.min(end)).then_some(next)
    }

    /// The stop at which such a run begins: where one is, or the first where it would end at once.
    pub fn first_stop(&self, from: usize, stops: usize) -> usize {
        self.next_stop(from, stops).unwrap_or(0)
    }

    /// The value of the next change to the right of the value `from`, or to the left of it.
    pub fn next_change(&self, from: &Value, right: bool) -> Option<&Value> {
        let size = |value: &Value| value.as_f64().unwrap_or(f64::NEG_INFINITY);
        let from = size(from);
        let mut values = self.ticks.iter().map(|tick| &tick.value);
        if right {
            values.find(|value| size(value) > from)
        } else {
            values.rfind(|value| size(value) < from)
        }
    }
}

/// The micro-batch at which the binding phase became `to`, on the way from `before` to `now`.
pub fn crossed(sweep: &Sweep, to: Phase, before: u64, now: u64) -> Option<u64> {
    let first = |switch: &Switch| switch.micro_batch_size;
    let mut switches = sweep.switches.iter();
    if before < now {
        let last = switches.rfind(|s| s.to == to && before < first(s) && first(s) <= now);
        return last.map(first);
    }
    let last = switches.find(|s| s.from == to && now < first(s) && first(s) <= before);
    last.map(|switch| first(switch).saturating_sub(1))
}

/// Ticks of which those are named that are far enough from the last one that is.
fn named(ticks: impl Iterator<Item = RibbonTick>) -> Vec<RibbonTick> {
    let mut last = f64::NEG_INFINITY;
    let named = ticks.map(|tick| {
        let named = tick.at - last >= APART;
        if named {
            last = tick.at;
        }
        RibbonTick { named, ..tick }
    });
    named.collect()
}

#[allow(clippy::cast_precision_loss, reason = "micro-batches are small")]
fn number(micro_batch: u64) -> f64 {
    micro_batch as f64
}

/// The place between a micro-batch and the next one.
fn between(micro_batch: u64) -> f64 {
    number(micro_batch) + 0.5
}

/// The place of a micro-batch on the track, as a share: its stops are equally far apart.
fn place(micro_batch: f64, stops: &[u64]) -> f64 {
    let after = stops.partition_point(|&stop| number(stop) <= micro_batch);
    let (Some(before), Some(next)) = (after.checked_sub(1), stops.get(after)) else {
        return if after == 0 { 0.0 } else { 1.0 };
    };
    let from = number(stops[before]);
    let within = (micro_batch - from) / (number(*next) - from);
    let last = number(stops.len().saturating_sub(1) as u64);
    (number(before as u64) + within) / last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::SweepPoint;
    use crate::units::Bytes;

    fn point(micro_batch_size: u64, binding: Phase, fits: bool) -> SweepPoint {
        SweepPoint {
            micro_batch_size,
            phases: Vec::new(),
            binding,
            total: Bytes::ZERO,
            usable: Bytes::ZERO,
            fits,
        }
    }

    fn sweep() -> Sweep {
        let (step, backward) = (Phase::OptimizerStep, Phase::Backward);
        Sweep {
            points: vec![
                point(1, step, true),
                point(8, backward, true),
                point(16, backward, false),
            ],
            switches: vec![Switch {
                micro_batch_size: 7,
                from: step,
                to: backward,
            }],
            largest_fitting: Some(8),
        }
    }

    #[test]
    fn the_last_value_that_fits_is_named_where_ticks_leave_room() {
        let wide = Ribbon::of(&sweep(), &[1, 2, 4, 8, 16, 32]).limit;
        let wide = wide.expect("some fit");
        assert_eq!(
            (wide.value, wide.named),
            (8.into(), false),
            "7 is beside it"
        );
        let mut alone = sweep();
        alone.switches.clear();
        let alone = Ribbon::of(&alone, &[1, 2, 4, 8, 16, 32]).limit;
        assert!(alone.expect("some fit").named);
    }

    #[test]
    fn each_stretch_has_the_phase_that_binds_and_says_whether_it_fits() {
        let found = Ribbon::of(&sweep(), &[1, 2, 4, 8, 16, 32]);
        let said: Vec<_> = found
            .parts
            .iter()
            .map(|part| (part.phase, part.fits))
            .collect();
        let expected = [
            (Some(Phase::OptimizerStep), true),
            (Some(Phase::Backward), true),
            (Some(Phase::Backward), false),
            // The sweep did not look further.
            (None, false),
        ];
        assert_eq!(said, expected);
        // Between 6 and 7, of the stretch from 4 to 8 that is the third of five.
        let switched = (2.0 + 2.5 / 4.0) / 5.0;
        let ends = [0.0, switched, (3.0 + 0.5 / 8.0) / 5.0, 4.0 / 5.0, 1.0];
        for (part, ends) in found.parts.iter().zip(ends.windows(2)) {
            let off = [part.from - ends[0], part.to - ends[1]];
            assert!(off.iter().all(|off| off.abs() < 1e-12), "{part:?}");
        }
        assert!((found.ticks[0].at - switched).abs() < 1e-12);
    }

    fn stop(value: u64, run: Option<(Phase, bool)>) -> Stop {
        let run = run.map(|(binding, fits)| StopRun { binding, fits });
        Stop {
            value: value.into(),
            run,
        }
    }

    #[test]
    fn stops_that_are_alike_are_one_stretch_which_ends_halfway_to_the_next() {
        let (step, backward) = (Phase::OptimizerStep, Phase::Backward);
        let stops = [
            stop(64, Some((step, true))),
            stop(128, Some((step, true))),
            stop(256, Some((backward, true))),
            stop(512, Some((backward, false))),
            stop(1024, None),
        ];
        let found = Ribbon::of_stops(&stops);
        let part = |phase, fits, from, to| RibbonPart {
            phase,
            fits,
            from,
            to,
        };
        let expected = [
            part(Some(step), true, 0.0, 0.375),
            part(Some(backward), true, 0.375, 0.625),
            part(Some(backward), false, 0.625, 0.875),
            part(None, false, 0.875, 1.0),
        ];
        assert_eq!(found.parts, expected);
        assert_eq!(found.ticks.len(), 1);
        assert_eq!(
            (found.ticks[0].at, &found.ticks[0].value),
            (0.375, &256.into())
        );
        assert_eq!(found.last_fitting, Some(2));
        assert_eq!(Ribbon::of_stops(&[]), Ribbon::default());
    }

    #[test]
    fn a_run_goes_two_stops_beyond_what_fits_and_begins_anew_behind_that() {
        let (step, backward) = (Phase::OptimizerStep, Phase::Backward);
        let fits = |at: u64| stop(at, Some((step, at < 3)));
        let found = Ribbon::of_stops(&(0..8).map(fits).collect::<Vec<_>>());
        assert_eq!(found.next_stop(3, 8), Some(4));
        assert_eq!(found.next_stop(4, 8), None);
        assert_eq!((found.first_stop(3, 8), found.first_stop(6, 8)), (4, 0));
        let nothing = Ribbon::of_stops(&[stop(1, Some((backward, false)))]);
        assert_eq!(nothing.next_stop(0, 8), Some(1));
        assert_eq!(nothing.next_stop(1, 8), None);
        assert_eq!(Ribbon::default().next_stop(6, 8), Some(7));
        assert_eq!(Ribbon::default().next_stop(7, 8), None);
    }

    #[test]
    fn a_change_is_found_in_both_directions_and_crossed_exactly() {
        let sweep = sweep();
        let found = Ribbon::of(&sweep, &[1, 2, 4, 8, 16, 32]);
        let next = |from: u64, right| found.next_change(&from.into(), right).cloned();
        assert_eq!(next(2, true), Some(7.into()));
        assert_eq!((next(7, true), next(7, false)), (None, None));
        assert_eq!(next(8, false), Some(7.into()));
        let (step, backward) = (Phase::OptimizerStep, Phase::Backward);
        assert_eq!(crossed(&sweep, backward, 4, 8), Some(7));
        assert_eq!(crossed(&sweep, step, 8, 4), Some(6));
        assert_eq!(crossed(&sweep, backward, 1, 2), None);
    }

    #[test]
    fn ticks_that_are_close_are_named_once() {
        let phases = [Phase::OptimizerStep, Phase::Backward];
        let stops: Vec<Stop> = (0..20)
            .map(|at: u64| stop(at, Some((phases[usize::from(at == 5)], true))))
            .collect();
        let found = Ribbon::of_stops(&stops);
        let named: Vec<bool> = found.ticks.iter().map(|tick| tick.named).collect();
        assert_eq!(named, [true, false]);
    }

    #[test]
    fn nothing_fits_where_no_micro_batch_does() {
        let nothing = Sweep {
            largest_fitting: None,
            ..sweep()
        };
        let found = Ribbon::of(&nothing, &[1, 2, 4, 8, 16]);
        assert!(found.parts.iter().all(|part| !part.fits));
        let empty = Sweep {
            points: Vec::new(),
            ..nothing
        };
        assert_eq!(Ribbon::of(&empty, &[1, 2]), Ribbon::default());
    }
}

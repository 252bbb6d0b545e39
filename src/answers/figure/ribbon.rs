//! The phases that bind along the slider of the micro-batch, and where it no longer fits.

use crate::report::{Sweep, Switch};
use crate::sim::Phase;

/// A stretch of the slider's track in which one phase binds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RibbonPart {
    /// The phase; nothing beyond the micro-batches of the sweep.
    pub phase: Option<Phase>,
    /// Whether these micro-batches fit.
    pub fits: bool,
    /// Its beginning, as a share of the track.
    pub from: f64,
    /// Its end.
    pub to: f64,
}

/// A change of the binding phase on the slider's track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RibbonTick {
    /// Its place, as a share of the track.
    pub at: f64,
    /// The change.
    pub switch: Switch,
}

/// The track of a slider with the phases that bind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ribbon {
    /// The stretches in order.
    pub parts: Vec<RibbonPart>,
    /// The changes that are on the track.
    pub ticks: Vec<RibbonTick>,
}

impl Ribbon {
    /// That of a slider whose steps are these `stops`, which rise.
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
            switch: *switch,
        });
        Self {
            parts: parts.filter(|part| part.from < part.to).collect(),
            ticks: ticks.filter(|tick| tick.at < 1.0).collect(),
        }
    }
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

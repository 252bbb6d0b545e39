//! Peak per phase against batch size, and where the binding phase changes.

use super::ranks::RankRun;
use super::{Sweep, SweepPoint, Switch};
use crate::ask::Scenario;
use crate::sim::Phase;

/// Batch sizes that a sweep looks at when nothing else is asked: the smallest, and powers of two
/// up to this many times the scenario's own.
const REACH: u64 = 4;
/// A sweep reaches at least this batch size.
const AT_LEAST: u64 = 32;
/// Nobody asks whether more samples than this fit.
const LARGEST: u64 = 1 << 16;

/// A sweep over the micro-batch size, made one estimate at a time so that a page can spread it
/// over frames: call [`Sweeper::advance`] until it says that nothing is left.
///
/// First come the asked sizes, then bisection between neighbours whose binding phases differ,
/// then doubling and bisection for the largest batch that fits. It assumes that between two neighbours of the
/// same binding phase no other phase binds, and that what does not fit does not fit when larger.
#[derive(Clone, Debug)]
pub struct Sweeper {
    scenario: Scenario,
    sizes: Vec<u64>,
    asked: usize,
    refused_from: Option<u64>,
    probes: Vec<SweepPoint>,
}

/// What to estimate next.
enum Next {
    Probe(u64),
    Done,
}

impl Sweeper {
    /// A sweep over given sizes, in any order.
    pub fn new(scenario: &Scenario, sizes: &[u64]) -> Self {
        let mut sizes = sizes.to_vec();
        sizes.sort_unstable();
        sizes.dedup();
        Self {
            scenario: scenario.clone(),
            sizes,
            asked: 0,
            refused_from: None,
            probes: Vec::new(),
        }
    }

    /// A sweep over powers of two around the scenario's own size.
    pub fn around(scenario: &Scenario) -> Self {
        let own = scenario.micro_batch_size;
        let last = own.saturating_mul(REACH).max(AT_LEAST);
        let mut sizes: Vec<u64> = (0..u64::BITS)
            .map(|power| 1 << power)
            .take_while(|&size| size <= last)
            .collect();
        sizes.push(own);
        Self::new(scenario, &sizes)
    }

    /// Makes one more estimate; false when nothing is left to do.
    pub fn advance(&mut self) -> bool {
        let Next::Probe(size) = self.next() else {
            return false;
        };
        match probe(&self.scenario, size) {
            Some(point) => {
                let at = self.position(size);
                self.probes.insert(at, point);
            }
            None => self.refused_from = Some(self.refused_from.map_or(size, |r| r.min(size))),
        }
        true
    }

    /// What is known so far: the asked sizes that were looked at, and the switches found.
    pub fn sweep(&self) -> Sweep {
        let asked = |point: &&SweepPoint| self.sizes.binary_search(&point.micro_batch_size).is_ok();
        let switches = self
            .probes
            .windows(2)
            .filter(|pair| pair[0].binding != pair[1].binding && adjacent(&pair[0], &pair[1]))
            .map(|pair| Switch {
                micro_batch_size: pair[1].micro_batch_size,
                from: pair[0].binding,
                to: pair[1].binding,
            })
            .collect();
        let fitting = self.probes.iter().filter(|point| point.fits);
        Sweep {
            points: self.probes.iter().filter(asked).cloned().collect(),
            switches,
            largest_fitting: fitting.map(|point| point.micro_batch_size).max(),
        }
    }

    fn position(&self, size: u64) -> usize {
        self.probes
            .partition_point(|point| point.micro_batch_size < size)
    }

    /// Everything looked at fits: twice as much, or half the way to what is refused.
    fn beyond(&self, last: &SweepPoint) -> Next {
        let size = last.micro_batch_size;
        match self.refused_from {
            None => Next::Probe(size * 2),
            Some(refused) if size + 1 < refused => Next::Probe(size + (refused - size) / 2),
            Some(_) => Next::Done,
        }
    }

    fn next(&mut self) -> Next {
        while let Some(&size) = self.sizes.get(self.asked) {
            self.asked += 1;
            if self.refused_from.is_none_or(|refused| size < refused) {
                return Next::Probe(size);
            }
        }
        let open = self.probes.windows(2).find(|pair| {
            let changes = pair[0].binding != pair[1].binding || pair[0].fits && !pair[1].fits;
            changes && !adjacent(&pair[0], &pair[1])
        });
        if let Some(pair) = open {
            let (low, high) = (pair[0].micro_batch_size, pair[1].micro_batch_size);
            return Next::Probe(low + (high - low) / 2);
        }
        match self.probes.last() {
            Some(last) if last.fits && last.micro_batch_size < LARGEST => self.beyond(last),
            _ => Next::Done,
        }
    }
}

/// Whether nothing lies between two sizes.
fn adjacent(a: &SweepPoint, b: &SweepPoint) -> bool {
    a.micro_batch_size + 1 == b.micro_batch_size
}

/// One batch size; nothing when the scenario is refused with it.
fn probe(scenario: &Scenario, micro_batch_size: u64) -> Option<SweepPoint> {
    let scenario = Scenario {
        micro_batch_size,
        ..scenario.clone()
    };
    let spec = crate::resolve::resolve(&scenario).spec?;
    let device = RankRun::of_binding_rank(spec).summary?.report;
    let phases: Vec<(Phase, _)> = device
        .steady_step
        .phases
        .iter()
        .map(|phase| (phase.phase, phase.peak_tensor))
        .collect();
    Some(SweepPoint {
        micro_batch_size,
        phases,
        binding: device.steady_step.peak.phase,
        total: device.total,
        fits: device.total <= device.usable,
    })
}

/// A whole sweep at once.
pub fn sweep(scenario: &Scenario, sizes: &[u64]) -> Sweep {
    let mut sweeper = Sweeper::new(scenario, sizes);
    while sweeper.advance() {}
    sweeper.sweep()
}

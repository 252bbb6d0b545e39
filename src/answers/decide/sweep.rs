//! Peak per phase against batch size, and where the binding phase changes.

use super::axis::Axis;
use super::question::{Estimator, Progress, Question};
use super::solver::Solver;
use crate::ask::Scenario;
use crate::report::{Sweep, SweepPoint, Switch};

/// Batch sizes that a sweep looks at when nothing else is asked: the smallest, and powers of two
/// up to this many times the scenario's own.
const REACH: u64 = 4;
/// A sweep reaches at least this batch size.
const AT_LEAST: u64 = 32;

/// A sweep over the micro-batch size.
///
/// First come the asked sizes, then bisection between neighbours whose binding phases differ, then what a
/// [`Solver`] does to find the largest batch that fits. It assumes that between two neighbours of the same binding
/// phase no other phase binds.
#[derive(Clone, Debug)]
pub struct Sweeper {
    scenario: Scenario,
    sizes: Vec<u64>,
    asked: usize,
    refused_from: Option<u64>,
    probes: Vec<SweepPoint>,
    largest: Option<Solver>,
}

/// The axis that varies.
const AXIS: &str = "micro_batch_size";

impl Sweeper {
    /// A sweep over given sizes, in any order.
    pub fn new(scenario: &Scenario, sizes: &[u64]) -> Self {
        let mut sizes = sizes.to_vec();
        sizes.sort_unstable();
        sizes.dedup();
        let axis = Axis::named(AXIS).ok();
        Self {
            largest: axis.and_then(|axis| Solver::new(scenario, &axis).ok()),
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

    /// The results so far: the asked sizes that were looked at, and the switches found.
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
        let largest = self.largest.as_ref().map(Solver::solution);
        let largest = largest.and_then(Result::ok);
        Sweep {
            points: self.probes.iter().filter(asked).cloned().collect(),
            switches,
            largest_fitting: largest.and_then(|found| found.scenario.and(found.value.as_u64())),
        }
    }

    fn position(&self, size: u64) -> usize {
        self.probes
            .partition_point(|point| point.micro_batch_size < size)
    }

    /// The size to look at next.
    fn next(&self) -> Option<u64> {
        self.asked().next().or_else(|| {
            let mut open = self
                .probes
                .windows(2)
                .filter(|pair| pair[0].binding != pair[1].binding && !adjacent(&pair[0], &pair[1]));
            let middle = open.next().map(|pair| {
                let [low, high] = [0, 1].map(|at| pair[at].micro_batch_size);
                low + (high - low) / 2
            });
            middle.filter(|&size| self.is_possible(size))
        })
    }

    /// The asked sizes that have not been looked at.
    fn asked(&self) -> impl Iterator<Item = u64> {
        let left = self.sizes.iter().copied().skip(self.asked);
        left.filter(|&size| self.is_possible(size))
    }

    /// Whether nothing smaller is refused.
    fn is_possible(&self, size: u64) -> bool {
        self.refused_from.is_none_or(|refused| size < refused)
    }

    fn of_size(&self, micro_batch_size: u64) -> Scenario {
        Scenario {
            micro_batch_size,
            ..self.scenario.clone()
        }
    }
}

impl Question for Sweeper {
    fn advance(&mut self, by: &mut dyn Estimator) -> Progress {
        let Some(size) = self.next() else {
            let largest = self.largest.as_mut();
            return largest.map_or(Progress::Done, |solver| solver.advance(by));
        };
        by.prepare(&mut self.asked().map(|size| self.of_size(size)));
        let Some(answer) = by.figures(&self.of_size(size)) else {
            return Progress::Waits;
        };
        self.asked += usize::from(self.sizes.get(self.asked) == Some(&size));
        match answer {
            Ok(figures) => {
                let at = self.position(size);
                self.probes.insert(at, figures.point(size));
            }
            Err(_) => self.refused_from = Some(size),
        }
        Progress::Further
    }
}

/// Whether nothing lies between two sizes.
fn adjacent(a: &SweepPoint, b: &SweepPoint) -> bool {
    a.micro_batch_size + 1 == b.micro_batch_size
}

/// A whole sweep at once.
pub fn sweep(scenario: &Scenario, sizes: &[u64]) -> Sweep {
    let mut sweeper = Sweeper::new(scenario, sizes);
    sweeper.settle();
    sweeper.sweep()
}

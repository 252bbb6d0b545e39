//! The need of one rank against the number of GPUs.

use super::gpus::{counts, with_gpus};
use super::question::{Estimator, Progress, Question};
use crate::ask::{DataParallelKind, Scenario};
use crate::report::{Composition, Fit};
use crate::sim::Phase;
use crate::tape::Category;
use crate::units::names;
use serde::Serialize;
use std::collections::VecDeque;

names! {
    /// Who divides the training state among ranks that see different data.
    Sharding {
        /// Nobody: `DistributedDataParallel` averages gradients.
        Ddp = "ddp",
        /// DeepSpeed's `ZeRO`: optimizer states are divided.
        Zero1 = "zero_1",
        /// The same, and gradients.
        Zero2 = "zero_2",
        /// The same, and parameters.
        Zero3 = "zero_3",
        /// `fully_shard`: all three.
        Fsdp2 = "fsdp2",
    }
}

impl Sharding {
    /// The sharding of a scenario, where it is one of these.
    pub fn of(scenario: &Scenario) -> Option<Self> {
        let dp = &scenario.parallelism.dp;
        match (dp.kind, dp.zero.stage) {
            (DataParallelKind::Ddp, _) => Some(Self::Ddp),
            (DataParallelKind::Fsdp2, _) => Some(Self::Fsdp2),
            (DataParallelKind::DeepSpeedZero, 1) => Some(Self::Zero1),
            (DataParallelKind::DeepSpeedZero, 2) => Some(Self::Zero2),
            (DataParallelKind::DeepSpeedZero, 3) => Some(Self::Zero3),
            _ => None,
        }
    }
}

/// A number of GPUs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpusPoint {
    /// How many.
    pub gpus: u64,
    /// The need of a rank of its GPU.
    pub device: Fit,
    /// The need of a node of its RAM.
    pub host: Fit,
    /// When the rank needs most.
    pub phase: Phase,
    /// The composition of its tensors then.
    pub composition: Composition,
}

/// The need of a rank on more and more GPUs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpusCurve {
    /// The state that is divided among them.
    pub sharding: Sharding,
    /// The fewest GPUs, then about twice as many each time.
    pub points: Vec<GpusPoint>,
    /// Bytes that no number of GPUs divides: of the last two points, each part taken to be one that stays and one that
    /// is divided among the GPUs.
    pub floor: Composition,
}

/// The most GPUs of a curve.
const MOST: u64 = 1024;

/// The search for the need of one rank against the number of GPUs, under each sharding that the scenario can have; the
/// scenario's own options of each kind, its other axes and its micro-batch stay.
#[derive(Clone, Debug)]
pub struct GpusCurves {
    scenario: Scenario,
    left: VecDeque<(Sharding, u64)>,
    found: Vec<GpusCurve>,
}

impl GpusCurves {
    /// The curves of a scenario, of which nothing is known yet.
    pub fn of(scenario: &Scenario) -> Self {
        let counts = doubling(counts(scenario));
        let of_each = |&sharding: &Sharding| counts.iter().map(move |&gpus| (sharding, gpus));
        Self {
            scenario: scenario.clone(),
            left: Sharding::ALL.iter().flat_map(of_each).collect(),
            found: Vec::new(),
        }
    }

    /// Results so far: the shardings that are possible, each with its points.
    pub fn found(&self) -> &[GpusCurve] {
        &self.found
    }
}

impl Question for GpusCurves {
    fn advance(&mut self, by: &mut dyn Estimator) -> Progress {
        let of = |&(sharding, gpus)| with_gpus(&sharded(&self.scenario, sharding), gpus);
        by.prepare(&mut self.left.iter().map(of));
        let Some(&next) = self.left.front() else {
            return Progress::Done;
        };
        let Some(answer) = by.figures(&of(&next)) else {
            return Progress::Waits;
        };
        self.left.pop_front();
        // So many GPUs may be refused.
        let Ok(figures) = answer else {
            return Progress::Further;
        };
        let (sharding, gpus) = next;
        let point = GpusPoint {
            gpus,
            device: figures.device,
            host: figures.host,
            phase: figures.binding.phase,
            composition: figures.binding.composition,
        };
        match self.found.last_mut() {
            Some(curve) if curve.sharding == sharding => {
                curve.points.push(point);
                curve.floor = floor(&curve.points);
            }
            _ => self.found.push(GpusCurve {
                sharding,
                floor: point.composition,
                points: vec![point],
            }),
        }
        Progress::Further
    }
}

/// All curves at once.
pub fn gpus_curve(scenario: &Scenario) -> Vec<GpusCurve> {
    let mut curves = GpusCurves::of(scenario);
    curves.settle();
    curves.found
}

/// The first number, and each that is at least twice the one before.
fn doubling(counts: Vec<u64>) -> Vec<u64> {
    let mut least = 0;
    let doubled = |count: &u64| {
        let is_next = *count >= least && *count <= MOST;
        if is_next {
            least = count * 2;
        }
        is_next
    };
    counts.into_iter().filter(doubled).collect()
}

fn sharded(scenario: &Scenario, sharding: Sharding) -> Scenario {
    let mut to = scenario.clone();
    let dp = &mut to.parallelism.dp;
    let (kind, stage) = match sharding {
        Sharding::Ddp => (DataParallelKind::Ddp, None),
        Sharding::Zero1 => (DataParallelKind::DeepSpeedZero, Some(1)),
        Sharding::Zero2 => (DataParallelKind::DeepSpeedZero, Some(2)),
        Sharding::Zero3 => (DataParallelKind::DeepSpeedZero, Some(3)),
        Sharding::Fsdp2 => (DataParallelKind::Fsdp2, None),
    };
    dp.kind = kind;
    dp.zero.stage = stage.unwrap_or(dp.zero.stage);
    to
}

/// The bytes that stay at the end of a curve: bytes B on N GPUs are taken to be B = stays + divided / N. Where the last
/// two points peak in different phases, all bytes of the last point are taken to stay.
fn floor(points: &[GpusPoint]) -> Composition {
    let (before, last) = match points {
        [.., before, last] if before.phase == last.phase => (before, last),
        [.., last] => return last.composition,
        [] => return Composition::default(),
    };
    let mut floor = Composition::default();
    for &category in Category::ALL {
        let times = |point: &GpusPoint| {
            u128::from(point.gpus) * u128::from(point.composition.get(category).get())
        };
        let stays = times(last).saturating_sub(times(before)) / u128::from(last.gpus - before.gpus);
        let all = last.composition.get(category).get();
        floor.change(category, u64::try_from(stays).unwrap_or(all).min(all));
    }
    floor
}

//! What one rank needs against the number of GPUs.

use super::gpus::{counts, with_gpus};
use crate::ask::{DataParallelKind, Scenario};
use crate::report::{Composition, Fit, Report, estimate};
use crate::sim::Phase;
use crate::tape::Category;
use crate::units::names;

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

/// A number of GPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct GpusPoint {
    /// How many.
    pub gpus: u64,
    /// What a rank needs of its GPU.
    pub device: Fit,
    /// What a node needs of its RAM.
    pub host: Fit,
    /// When the rank needs most.
    pub phase: Phase,
    /// What its tensors are then.
    pub composition: Composition,
}

/// What a rank needs on more and more GPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct GpusCurve {
    /// What is divided among them.
    pub sharding: Sharding,
    /// The fewest GPUs, then about twice as many each time.
    pub points: Vec<GpusPoint>,
    /// What stays however many GPUs there are: of the last two points, each part taken to be one that stays and
    /// one that is divided among the GPUs.
    pub floor: Composition,
}

/// The most GPUs of a curve.
const MOST: u64 = 1024;

/// What one rank needs against the number of GPUs, under each sharding that the scenario can have; its own
/// options of each kind, its other axes and its micro-batch stay.
pub fn gpus_curve(scenario: &Scenario) -> Vec<GpusCurve> {
    let counts = doubling(counts(scenario));
    let curve = |&sharding: &Sharding| {
        let scenario = sharded(scenario, sharding);
        let points = counts.iter().filter_map(|&gpus| point(&scenario, gpus));
        let points: Vec<GpusPoint> = points.collect();
        (!points.is_empty()).then(|| GpusCurve {
            sharding,
            floor: floor(&points),
            points,
        })
    };
    Sharding::ALL.iter().filter_map(curve).collect()
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

/// Nothing where so many GPUs are refused.
fn point(scenario: &Scenario, gpus: u64) -> Option<GpusPoint> {
    let Report {
        device, verdict, ..
    } = estimate(&with_gpus(scenario, gpus)).ok()?.report;
    let peak = device.binding();
    Some(GpusPoint {
        gpus,
        device: verdict.device,
        host: verdict.host,
        phase: peak.phase,
        composition: peak.composition,
    })
}

/// What stays at the end of a curve: bytes B on N GPUs are taken to be B = stays + divided / N. Where the last
/// two points peak in different phases, all of the last is taken to stay.
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

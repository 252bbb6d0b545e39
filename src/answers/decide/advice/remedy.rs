//! A single change and what it brings.

use super::change::{Price, RemedyKind};
use crate::ask::Scenario;
use crate::report::{Figures, Fit, Memory};
use crate::sim::Phase;
use crate::units::{Bytes, sort_short};
use serde::Serialize;
use std::cmp::Reverse;

/// The needs of a run that are compared before and after changes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// The need of a GPU: bytes that nvidia-smi shows.
    pub device: Fit,
    /// The need of a node's RAM.
    pub host: Fit,
    /// When the GPU needs most.
    pub phase: Phase,
    /// Floating-point operations of a rank in a step.
    pub compute: u64,
    /// Bytes that it sends in one.
    pub sent: Bytes,
    /// Samples that it sees in one.
    pub samples: u64,
    /// Tokens of each.
    pub seq_len: u64,
}

impl Outcome {
    /// The outcome of an estimate of a scenario.
    pub fn of(scenario: &Scenario, figures: &Figures) -> Self {
        let accumulated = scenario.gradient_accumulation_steps;
        Self {
            device: figures.device,
            host: figures.host,
            phase: figures.binding.phase,
            compute: figures.own.compute.total(),
            sent: figures.own.communication.total(),
            samples: scenario.micro_batch_size.saturating_mul(accumulated),
            seq_len: scenario.seq_len,
        }
    }

    /// Whether both sides fit.
    pub const fn fits(&self) -> bool {
        self.device.fits && self.host.fits
    }

    /// Whether both sides fit with a tenth to spare.
    pub fn is_roomy(&self) -> bool {
        self.device.is_roomy() && self.host.is_roomy()
    }

    /// The need of one memory, and its capacity.
    pub const fn side(&self, memory: Memory) -> Fit {
        match memory {
            Memory::Device => self.device,
            Memory::Host => self.host,
        }
    }
}

/// A change is advised if it saves at least one in `ONE_IN` bytes of what a memory needs.
const ONE_IN: u64 = 100;

/// A change and what it brings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remedy {
    /// The kind of change.
    pub kind: RemedyKind,
    /// The scenario with it.
    pub scenario: Scenario,
    /// The memory of `total` and `saves`: the device's when it saves there at all.
    pub memory: Memory,
    /// Bytes that nvidia-smi would show, or that one node would need of its RAM.
    pub total: Bytes,
    /// By how much less that is.
    pub saves: Bytes,
    /// The run with the change.
    pub outcome: Outcome,
}

impl Remedy {
    /// A change with which a scenario takes so much; nothing where it saves less than a hundredth, unless the run
    /// fits with it alone.
    pub(super) fn of(
        kind: RemedyKind,
        scenario: Scenario,
        now: &Outcome,
        outcome: Outcome,
    ) -> Option<Self> {
        let makes_it_fit = outcome.fits() && !now.fits();
        let less = |&memory: &Memory| {
            let (then, needed) = (outcome.side(memory).needed, now.side(memory).needed);
            let worth = if makes_it_fit {
                1
            } else {
                needed.get() / ONE_IN
            };
            then < needed && (needed - then).get() >= worth
        };
        let memory = Memory::ALL.iter().copied().find(less)?;
        let total = outcome.side(memory).needed;
        Some(Self {
            kind,
            scenario,
            memory,
            total,
            saves: now.side(memory).needed - total,
            outcome,
        })
    }

    /// Whether the whole run fits its machine with it.
    pub const fn fits(&self) -> bool {
        self.outcome.fits()
    }

    /// Its price.
    pub const fn price(&self) -> Price {
        self.kind.price()
    }
}

/// The one change to be named first when a run does not fit: of those after which it fits with a tenth to spare the
/// cheapest that takes least away, else of those after which it fits at all the change that saves most, else the change
/// that saves most, where one that leaves training as it is comes before one that does not.
pub fn first_remedy(remedies: &[Remedy]) -> Option<&Remedy> {
    first_of(&remedies.iter().collect::<Vec<_>>())
}

/// [`first_remedy`] of remedies that lie apart.
pub(super) fn first_of<'a>(remedies: &[&'a Remedy]) -> Option<&'a Remedy> {
    let all = || remedies.iter().copied();
    let fitting = || all().filter(|remedy| remedy.fits());
    let roomy = fitting().filter(|remedy| remedy.outcome.is_roomy());
    let least = roomy.min_by_key(|remedy| (remedy.price(), remedy.saves));
    let least = least.or_else(|| fitting().max_by_key(|remedy| remedy.saves));
    let keeps = |remedy: &Remedy| remedy.price() != Price::Learning;
    let most = || all().max_by_key(|remedy| (keeps(remedy), remedy.saves));
    least.or_else(most)
}

/// Puts changes in order: the device's before the host's, by price, what saves most first.
pub(super) fn rank(remedies: &mut [Remedy]) {
    sort_short(remedies, |remedy| {
        (remedy.memory, remedy.price(), Reverse(remedy.saves))
    });
}

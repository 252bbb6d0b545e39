//! Plans on any GPU of the catalog: each is on the one with the least memory that it fits.

use super::options::PlanOptions;
use crate::ask::Scenario;
use crate::catalog::{Accelerator, accelerator};
use crate::decide::listed::{accelerators, on_gpu};
use crate::units::Bytes;

/// GPUs to choose from, the one with the least memory first.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    all: Vec<&'static Accelerator>,
    /// How much of each must stay free, in percent.
    headroom: u64,
}

impl Choice {
    /// The GPUs of the catalog.
    pub(super) fn of_catalog(options: &PlanOptions) -> Self {
        Self {
            all: accelerators().into_iter().filter_map(accelerator).collect(),
            headroom: options.headroom,
        }
    }

    /// The first that has `bytes` bytes beside the headroom, by its place.
    fn first_with(&self, bytes: Bytes) -> Option<usize> {
        let has = |gpu: &&Accelerator| at_most(gpu.usable.value, self.headroom) >= bytes;
        self.all.iter().position(has)
    }

    /// Memory of the first that has `bytes` beside the headroom; all of them where none has.
    pub(super) fn memory_for(&self, bytes: Bytes) -> Bytes {
        let first = self.first_with(bytes).and_then(|place| self.all.get(place));
        first.map_or(Bytes(u64::MAX), |gpu| gpu.usable.value)
    }

    /// The scenario on the GPU that has most.
    pub(super) fn on_largest(&self, scenario: &Scenario) -> Scenario {
        let largest = self.all.last();
        largest.map_or_else(|| scenario.clone(), |gpu| on_gpu(scenario, gpu.id))
    }
}

/// Bytes of `usable` that a plan may take.
pub(super) fn at_most(usable: Bytes, headroom: u64) -> Bytes {
    Bytes(usable.get() / 100 * (100 - headroom.min(100)))
}

/// A candidate that fits the largest GPU, on its way from the smallest GPU that could hold it to the one that does.
#[derive(Clone, Debug)]
pub(super) struct Climb {
    /// The candidate, on the largest.
    scenario: Scenario,
    place: usize,
}

impl Climb {
    /// From the first GPU on that has room for its tensors.
    pub(super) fn from(choice: &Choice, scenario: Scenario, tensors: Bytes) -> Self {
        let place = choice.first_with(tensors).unwrap_or(0);
        Self { scenario, place }
    }

    /// The candidate on the GPU that it has come to.
    pub(super) fn candidate(&self, choice: &Choice) -> Scenario {
        match choice.all.get(self.place) {
            Some(gpu) => on_gpu(&self.scenario, gpu.id),
            None => self.scenario.clone(),
        }
    }

    /// It does not fit there.
    pub(super) fn go_on(&mut self) {
        self.place += 1;
    }

    /// Whether there is no larger one.
    pub(super) fn is_at_end(&self, choice: &Choice) -> bool {
        self.place >= choice.all.len()
    }
}

//! One point of a sweep or of a map.

use super::SweepPoint;
use super::ranks::RankRun;
use crate::ask::Scenario;
use crate::resolve::resolve;

impl SweepPoint {
    /// What the device takes, without the host and without a timeline; nothing where the scenario is refused.
    pub fn of(scenario: &Scenario) -> Option<Self> {
        let spec = resolve(scenario).spec?;
        let device = RankRun::of_binding_rank(spec).summary?.report;
        let phases = device.steady_step.phases.iter();
        Some(Self {
            micro_batch_size: scenario.micro_batch_size,
            phases: phases
                .map(|phase| (phase.phase, phase.peak_tensor))
                .collect(),
            binding: device.steady_step.peak.phase,
            total: device.total,
            usable: device.usable,
            fits: device.total <= device.usable,
        })
    }
}

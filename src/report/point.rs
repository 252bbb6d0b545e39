//! One micro-batch size of a sweep.

use super::SweepPoint;
use super::ranks::RankRun;
use crate::ask::Scenario;
use crate::resolve::resolve;

impl SweepPoint {
    /// What the device takes with a micro-batch size, without the host and without a timeline; nothing where the
    /// scenario is refused with it.
    pub fn of(scenario: &Scenario, micro_batch_size: u64) -> Option<Self> {
        let scenario = Scenario {
            micro_batch_size,
            ..scenario.clone()
        };
        let spec = resolve(&scenario).spec?;
        let device = RankRun::of_binding_rank(spec).summary?.report;
        let phases = device.steady_step.phases.iter();
        Some(Self {
            micro_batch_size,
            phases: phases
                .map(|phase| (phase.phase, phase.peak_tensor))
                .collect(),
            binding: device.steady_step.peak.phase,
            total: device.total,
            fits: device.total <= device.usable,
        })
    }
}

//! The numbers of an estimate that searches compare: few enough to be handed from one thread to another.

use super::{
    Communication, Compute, Fit, PhaseReport, RankTakes, Report, SweepPoint,
    estimate_with_most_work,
};
use crate::ask::{Finding, Scenario};
use crate::sim::Phase;
use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// Work of a rank in a steady step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Floating-point operations.
    pub compute: Compute,
    /// Bytes by collective.
    pub communication: Communication,
}

/// The needs of a scenario, in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Parameters of the model.
    pub num_parameters: u64,
    /// Its need of the GPU, as the verdict has it.
    pub device: Fit,
    /// Its need of a node's RAM.
    pub host: Fit,
    /// Bytes that nvidia-smi shows at the peak.
    pub total: Bytes,
    /// Bytes of that outside of this process's allocator: contexts and other programs.
    pub outside: Bytes,
    /// The phase that needs most, of the first step and of a steady one.
    pub binding: PhaseReport,
    /// The peaks of live tensors of a steady step's phases, in program order.
    pub steady: Vec<(Phase, Bytes)>,
    /// The phase in which a steady step needs most.
    pub steady_binding: Phase,
    /// Number of ranks, from the estimated rank on, that are known to do the same work: 1 at least.
    pub alike: u64,
    /// Work of the reported rank.
    pub own: Effort,
    /// Work of the rank that does most.
    pub most: Effort,
}

impl Figures {
    /// The figures of a scenario.
    ///
    /// # Errors
    /// The findings about the scenario, most serious first.
    pub fn of(scenario: &Scenario) -> Result<Self, Vec<Finding>> {
        let (estimate, (compute, communication)) = estimate_with_most_work(scenario)?;
        let most = Effort {
            compute,
            communication,
        };
        Ok(Self {
            most,
            alike: estimate.alike,
            ..Self::from(&estimate.report)
        })
    }

    /// Whether both sides fit.
    pub const fn fits(&self) -> bool {
        self.device.fits && self.host.fits
    }

    /// Whether both sides fit with a tenth to spare.
    pub fn is_roomy(&self) -> bool {
        self.device.is_roomy() && self.host.is_roomy()
    }

    /// The need of the reported rank.
    pub fn of_rank(&self) -> RankTakes {
        RankTakes {
            peak: self.binding,
            total: self.total,
            usable: self.device.capacity,
            alike: self.alike,
        }
    }

    /// The need of the device for a scenario with such a micro-batch.
    pub fn point(&self, micro_batch_size: u64) -> SweepPoint {
        SweepPoint {
            micro_batch_size,
            phases: self.steady.clone(),
            binding: self.steady_binding,
            total: self.total,
            usable: self.device.capacity,
            fits: self.total <= self.device.capacity,
        }
    }
}

/// The figures of a report, whose rank is taken to do most.
impl From<&Report> for Figures {
    fn from(report: &Report) -> Self {
        let device = &report.device;
        let own = Effort {
            compute: device.compute,
            communication: device.communication,
        };
        let phases = device.steady_step.phases.iter();
        Self {
            num_parameters: report.model.num_parameters,
            device: report.verdict.device,
            host: report.verdict.host,
            total: device.total,
            outside: device.context + device.in_use,
            binding: *device.binding(),
            steady: phases
                .map(|phase| (phase.phase, phase.peak_tensor))
                .collect(),
            steady_binding: device.steady_step.peak.phase,
            alike: 1,
            own,
            most: own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn figures_are_the_same_after_they_were_handed_over() {
        let asked = json!({"model": "qwen2.5-0.5b", "model_overrides": {"num_hidden_layers": 4},
            "parallelism": {"dp": {"kind": "fsdp2", "size": 2}}, "hardware": {"gpus_per_node": 2}});
        let scenario: Scenario = serde_json::from_value(asked).expect("a scenario");
        let mut figures = Figures::of(&scenario).expect("figures");
        assert!(figures.own.communication.total() > Bytes::ZERO);
        figures.most.compute.forward += 1;
        let text = serde_json::to_string(&figures).expect("numbers are written");
        let read: Figures = serde_json::from_str(&text).expect("and read");
        assert_eq!(read, figures);
    }
}

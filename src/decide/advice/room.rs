//! What there is room for, where a run fits.

use super::remedy::Outcome;
use crate::ask::{
    ActivationCheckpointing, ActivationOffloadKind, DataParallelKind, Offload, OffloadDevice,
    OptimizerImpl, OptimizerName, Program, Quantization, Scenario,
};
use crate::decide::axis::Axis;
use crate::decide::solver::Solver;
use crate::report::estimate;
use crate::units::names;
use serde::Serialize;

names! {
    /// Something that takes more memory, and gives something for it.
    RoomKind {
        /// More samples at once.
        LargerMicroBatch = "larger_micro_batch",
        /// Longer sequences.
        LongerSequence = "longer_sequence",
        /// Activations are kept, not computed again.
        NoCheckpointing = "no_checkpointing",
        /// States, parameters and activations stay on the GPU.
        NoOffload = "no_offload",
        /// Optimizer states in full.
        FullOptimizerStates = "full_optimizer_states",
        /// The base of adapters is not quantized.
        NoQuantization = "no_quantization",
        /// All weights are trained.
        FullFineTuning = "full_fine_tuning",
    }
}

impl RoomKind {
    /// The setting whose largest value that fits is looked for.
    const fn axis(self) -> &'static str {
        match self {
            Self::LongerSequence => "seq_len",
            _ => "micro_batch_size",
        }
    }

    /// The scenario with it; nothing where it does not apply.
    fn changed(self, scenario: &Scenario) -> Option<Scenario> {
        let mut to = scenario.clone();
        match self {
            Self::LargerMicroBatch | Self::LongerSequence => return Some(to),
            _ if scenario.program != Program::Training => return None,
            Self::NoCheckpointing => to.activation_checkpointing = ActivationCheckpointing::None,
            Self::NoOffload => {
                to.offload = Offload::default();
                to.activation_offload.kind = ActivationOffloadKind::None;
                let dp = &mut to.parallelism.dp;
                match dp.kind {
                    DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2 => {
                        dp.fsdp.cpu_offload = false;
                    }
                    DataParallelKind::DeepSpeedZero => {
                        dp.zero.offload_optimizer = OffloadDevice::None;
                        dp.zero.offload_param = OffloadDevice::None;
                    }
                    _ => {}
                }
            }
            Self::FullOptimizerStates => {
                let optimizer = &mut to.optimizer;
                let in_8_bits = [OptimizerName::AdamW8bit, OptimizerName::PagedAdamW8bit];
                if !in_8_bits.contains(&optimizer.name) {
                    return None;
                }
                optimizer.name = OptimizerName::AdamW;
                optimizer.implementation = OptimizerImpl::Fused;
            }
            Self::NoQuantization => to.quantization = Quantization::default(),
            Self::FullFineTuning => {
                to.lora = None;
                to.quantization = Quantization::default();
            }
        }
        (to != *scenario).then_some(to)
    }
}

/// Something that there is room for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Room {
    /// What.
    pub kind: RoomKind,
    /// The scenario with it, which fits.
    pub scenario: Scenario,
    /// The run with it.
    pub outcome: Outcome,
}

/// Looks for one of them, an estimate at a time.
#[derive(Clone, Debug)]
pub(super) struct RoomSearch {
    kind: RoomKind,
    scenario: Scenario,
    /// What the setting along the axis is now: more is of interest where nothing else changes, else less.
    own: Scenario,
    solver: Option<Box<Solver>>,
    found: Option<Room>,
}

impl RoomSearch {
    /// Nothing where it does not apply.
    pub(super) fn of(scenario: &Scenario, kind: RoomKind) -> Option<Self> {
        Some(Self {
            kind,
            scenario: kind.changed(scenario)?,
            own: scenario.clone(),
            solver: None,
            found: None,
        })
    }

    /// Makes one more estimate; false when nothing is left to do.
    pub(super) fn advance(&mut self) -> bool {
        if let Some(solver) = &mut self.solver {
            if solver.advance() {
                return true;
            }
            let solution = solver.solution().ok();
            let largest = solution.and_then(|found| found.scenario);
            self.found = largest.and_then(|scenario| self.fitting(scenario));
            return false;
        }
        if self.scenario != self.own {
            self.found = self.fitting(self.scenario.clone());
            if self.found.is_some() {
                return false;
            }
        }
        // Where it does not fit as it is, with a smaller micro-batch it may.
        let axis = Axis::named(self.kind.axis()).ok();
        let idle = |axis: &Axis| axis.idle(&self.scenario).is_some();
        let axis = axis.filter(|axis| !idle(axis));
        self.solver = axis
            .and_then(|axis| Solver::new(&self.scenario, &axis).ok())
            .map(Box::new);
        self.solver.is_some()
    }

    /// What was found.
    pub(super) fn found(self) -> Option<Room> {
        self.found
    }

    /// A scenario that fits, where it is another one than that there is now.
    fn fitting(&self, scenario: Scenario) -> Option<Room> {
        let outcome = Outcome::of(&estimate(&scenario).ok()?.report);
        let grown = self.scenario != self.own
            || scenario.micro_batch_size > self.own.micro_batch_size
            || scenario.seq_len > self.own.seq_len;
        (outcome.fits() && grown).then_some(Room {
            kind: self.kind,
            scenario,
            outcome,
        })
    }
}

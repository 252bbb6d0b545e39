//! Room for more, where a run fits.

use super::remedy::Outcome;
use crate::ask::{
    ActivationCheckpointing, ActivationOffloadKind, DataParallelKind, Offload, OffloadDevice,
    OptimizerImpl, OptimizerName, Program, Quantization, Scenario,
};
use crate::decide::axis::Axis;
use crate::decide::question::{Answer, Estimator, Progress, Question};
use crate::decide::solver::Solver;
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
    /// The scenario with it, which fits with a tenth to spare.
    pub scenario: Scenario,
    /// The run with it.
    pub outcome: Outcome,
}

/// Looks for one of them.
#[derive(Clone, Debug)]
pub(super) struct RoomSearch {
    kind: RoomKind,
    scenario: Scenario,
    /// The scenario as it is now: a larger value along the axis is of interest where nothing else changes, else a smaller
    /// one.
    own: Scenario,
    at: Stage,
    found: Option<Room>,
}

/// How far it is.
#[derive(Clone, Debug)]
enum Stage {
    /// The scenario as it is is looked at.
    Unchanged,
    /// The largest value that fits is looked for.
    Along(Box<Solver>),
    /// The scenario with that is looked at.
    Fitting(Box<Scenario>),
    /// Nothing is left to do.
    Over,
}

impl RoomSearch {
    /// Nothing where it does not apply.
    pub(super) fn of(scenario: &Scenario, kind: RoomKind) -> Option<Self> {
        let mut search = Self {
            kind,
            scenario: kind.changed(scenario)?,
            own: scenario.clone(),
            at: Stage::Unchanged,
            found: None,
        };
        if search.scenario == search.own {
            search.at = search.along();
        }
        Some(search)
    }

    /// The search along the axis: a scenario that does not fit as it is may fit with a smaller micro-batch.
    fn along(&self) -> Stage {
        let axis = Axis::named(self.kind.axis()).ok();
        let axis = axis.filter(|axis| axis.idle(&self.scenario).is_none());
        let solver = axis.and_then(|axis| Solver::new(&self.scenario, &axis).ok());
        solver.map_or(Stage::Over, |solver| {
            Stage::Along(Box::new(solver.with_room()))
        })
    }

    /// The result.
    pub(super) fn found(self) -> Option<Room> {
        self.found
    }

    /// A scenario that fits with a tenth to spare, where it is another one than that there is now.
    fn fitting(&self, scenario: Scenario, answer: Answer) -> Option<Room> {
        let outcome = Outcome::of(&scenario, &answer.ok()?);
        let grown = self.scenario != self.own
            || scenario.micro_batch_size > self.own.micro_batch_size
            || scenario.seq_len > self.own.seq_len;
        (outcome.is_roomy() && grown).then_some(Room {
            kind: self.kind,
            scenario,
            outcome,
        })
    }
}

impl Question for RoomSearch {
    fn advance(&mut self, by: &mut dyn Estimator) -> Progress {
        let asked = match &mut self.at {
            Stage::Over => return Progress::Done,
            Stage::Along(solver) => {
                let on = solver.advance(by);
                if on != Progress::Done {
                    return on;
                }
                let largest = solver.solution().ok().and_then(|found| found.scenario);
                self.at = largest.map_or(Stage::Over, |found| Stage::Fitting(Box::new(found)));
                return Progress::Further;
            }
            Stage::Unchanged => self.scenario.clone(),
            Stage::Fitting(scenario) => (**scenario).clone(),
        };
        let Some(answer) = by.figures(&asked) else {
            return Progress::Waits;
        };
        self.found = self.fitting(asked, answer);
        let goes_on = self.found.is_none() && matches!(self.at, Stage::Unchanged);
        self.at = if goes_on { self.along() } else { Stage::Over };
        Progress::Further
    }
}

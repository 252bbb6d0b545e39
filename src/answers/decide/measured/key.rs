//! Groups of measured cases: the model's type and the kind of run.

use crate::ask::{
    DataParallelKind, EvaluationKind, ObjectiveKind, Program, QuantizationType, Scenario,
};
use crate::decide::listed::type_of;
use crate::units::names;

names! {
    /// The weights that a run trains.
    Trained {
        /// All weights.
        Full = "full",
        /// Adapters over weights as they are published.
        Lora = "lora",
        /// A quantized base, under adapters.
        Quantized = "quantized",
    }
}

names! {
    /// How a run is divided among GPUs.
    Divided {
        /// One GPU, or copies that know nothing of one another.
        Alone = "alone",
        /// `DistributedDataParallel`.
        Ddp = "ddp",
        /// FSDP1.
        Fsdp1 = "fsdp1",
        /// FSDP2.
        Fsdp2 = "fsdp2",
        /// DeepSpeed ZeRO.
        Zero = "deepspeed_zero",
        /// Megatron-Core.
        Megatron = "megatron",
        /// Tensor, pipeline, context or expert parallelism, whatever divides the data.
        Model = "model",
    }
}

names! {
    /// The program of a run.
    Runs {
        /// Steps of training.
        Training = "training",
        /// Steps of one of TRL's trainers.
        Trainer = "trainer",
        /// Steps of training with an evaluation or a generation after them.
        Evaluated = "evaluated",
        /// An evaluation, a generation or a forward pass alone.
        Forward = "forward",
    }
}

/// A kind of run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CaseKind {
    /// The weights that it trains.
    pub trained: Trained,
    /// Its division among GPUs.
    pub divided: Divided,
    /// Its program.
    pub runs: Runs,
}

impl CaseKind {
    /// The kind of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let trained = match (&scenario.lora, scenario.quantization.kind) {
            (None, QuantizationType::None) => Trained::Full,
            (Some(_), QuantizationType::None) => Trained::Lora,
            _ => Trained::Quantized,
        };
        let parallelism = &scenario.parallelism;
        let is_divided = parallelism.model_ranks() > 1 || parallelism.ep.size > 1;
        let divided = match parallelism.dp.kind {
            DataParallelKind::Megatron => Divided::Megatron,
            _ if is_divided => Divided::Model,
            DataParallelKind::None => Divided::Alone,
            DataParallelKind::Ddp => Divided::Ddp,
            DataParallelKind::Fsdp1 => Divided::Fsdp1,
            DataParallelKind::Fsdp2 => Divided::Fsdp2,
            DataParallelKind::DeepSpeedZero => Divided::Zero,
        };
        let runs = if scenario.program != Program::Training {
            Runs::Forward
        } else if scenario.objective.kind != ObjectiveKind::None {
            Runs::Trainer
        } else if scenario.evaluation.kind != EvaluationKind::None {
            Runs::Evaluated
        } else {
            Runs::Training
        };
        Self {
            trained,
            divided,
            runs,
        }
    }

    /// Its name in the file: `lora.fsdp2.training`.
    pub fn name(self) -> String {
        let Self {
            trained,
            divided,
            runs,
        } = self;
        format!("{}.{}.{}", trained.name(), divided.name(), runs.name())
    }

    /// The kind with this name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let mut parts = name.split('.');
        Some(Self {
            trained: Trained::from_name(parts.next()?)?,
            divided: Divided::from_name(parts.next()?)?,
            runs: Runs::from_name(parts.next()?)?,
        })
    }
}

/// The group of measured cases that a scenario belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CaseKey {
    /// `model_type` of the model's config; none where the model has no config of its own.
    pub model_type: Option<String>,
    /// The kind of run.
    pub kind: CaseKind,
}

impl CaseKey {
    /// The group of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        Self {
            model_type: type_of(scenario),
            kind: CaseKind::of(scenario),
        }
    }
}

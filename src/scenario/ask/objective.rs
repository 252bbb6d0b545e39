//! Objectives of TRL's trainers.

use super::model_ref::ModelRef;
use super::quantization::ComputeDtype;
use crate::units::names;
use serde::{Deserialize, Serialize};

names! {
    /// The trainer of TRL that makes the steps.
    ObjectiveKind {
        /// None of them: the model computes its loss.
        None = "none",
        /// `SFTTrainer`: the next token, scored without all logits.
        Sft = "sft",
        /// `DPOTrainer`: pairs of completions against a reference.
        Dpo = "dpo",
        /// `GRPOTrainer`: groups of completions, whose generation is not part of the step.
        Grpo = "grpo",
        /// `KTOTrainer`: completions that are wanted or not, against a reference.
        Kto = "kto",
        /// `ORPOTrainer`: pairs of completions by their odds, without a reference.
        Orpo = "orpo",
        /// `CPOTrainer`: pairs of completions, without a reference.
        Cpo = "cpo",
        /// `RewardTrainer`: a model that gives a number, from pairs.
        Reward = "reward",
        /// `DistillationTrainer`: completions of the model itself, whose tokens a teacher gives probabilities, too.
        Distillation = "distillation",
    }
}

impl ObjectiveKind {
    /// Whether the trainer adds the loss that balances experts to its own (`aux_loss_enabled`, trl 1.16).
    pub const fn balances_experts(self) -> bool {
        matches!(self, Self::Sft | Self::Dpo | Self::Grpo | Self::Kto)
    }
}

names! {
    /// Who generates the completions of GRPO and of distillation.
    Generator {
        /// Somebody elsewhere: the training step alone.
        None = "none",
        /// The model itself, by `generate` of transformers.
        Model = "model",
        /// A vLLM beside the trainer, in the same process (`vllm_mode="colocate"`).
        Vllm = "vllm",
        /// The same, asleep while the model trains (`vllm_enable_sleep_mode`).
        VllmSleep = "vllm_sleep",
    }
}

names! {
    /// How a trainer of TRL computes its loss (`loss_type`, trl 1.16).
    LossType {
        /// SFT: the negative log-likelihood.
        Nll = "nll",
        /// SFT: the same, weighted by how likely each token is.
        Dft = "dft",
        /// DPO and CPO: their own.
        Sigmoid = "sigmoid",
        /// DPO and CPO: a hinge.
        Hinge = "hinge",
        /// DPO and CPO: a square, of means over tokens.
        Ipo = "ipo",
        /// DPO: by how probable each of two is.
        ExoPair = "exo_pair",
        /// DPO: noise-contrastive.
        NcaPair = "nca_pair",
        /// DPO: with labels that can be wrong.
        Robust = "robust",
        /// DPO: each of the two by itself.
        BcoPair = "bco_pair",
        /// DPO: squares.
        SppoHard = "sppo_hard",
        /// DPO: sorted pairs.
        Aot = "aot",
        /// DPO: sorted, chosen and rejected ones apart.
        AotUnpaired = "aot_unpaired",
        /// DPO: more of what is chosen.
        ApoZero = "apo_zero",
        /// DPO: less of both.
        ApoDown = "apo_down",
        /// DPO: two losses blended.
        Discopop = "discopop",
        /// DPO: the likelihood of what is chosen.
        Sft = "sft",
        /// DPO: its own, of means over tokens.
        SigmoidNorm = "sigmoid_norm",
        /// CPO: without a reference, with a margin.
        Simpo = "simpo",
        /// KTO: its own.
        Kto = "kto",
        /// KTO: without an estimate of how far the model has gone.
        ApoZeroUnpaired = "apo_zero_unpaired",
        /// GRPO: the mean over all tokens of a step.
        Dapo = "dapo",
        /// GRPO: the mean over each completion.
        Grpo = "grpo",
        /// GRPO: the sum by a constant.
        DrGrpo = "dr_grpo",
        /// GRPO: the mean over the tokens of a micro-batch.
        Bnpo = "bnpo",
        /// GRPO: log-probabilities by clipped weights.
        Cispo = "cispo",
        /// GRPO: weights that a sigmoid bounds.
        Sapo = "sapo",
        /// GRPO: the sum over each completion.
        Luspo = "luspo",
        /// GRPO: log-probabilities by a weight for each completion.
        Vespo = "vespo",
    }
}

impl ObjectiveKind {
    /// The losses of a trainer, its default first; none where it has one alone, without a name.
    pub const fn losses(self) -> &'static [LossType] {
        use LossType::{
            Aot, AotUnpaired, ApoDown, ApoZero, ApoZeroUnpaired, BcoPair, Bnpo, Cispo, Dapo, Dft,
            Discopop, DrGrpo, ExoPair, Grpo, Hinge, Ipo, Kto, Luspo, NcaPair, Nll, Robust, Sapo,
            Sft, Sigmoid, SigmoidNorm, Simpo, SppoHard, Vespo,
        };
        match self {
            Self::Sft => &[Nll, Dft],
            Self::Dpo => &[
                Sigmoid,
                Hinge,
                Ipo,
                ExoPair,
                NcaPair,
                Robust,
                BcoPair,
                SppoHard,
                Aot,
                AotUnpaired,
                ApoZero,
                ApoDown,
                Discopop,
                Sft,
                SigmoidNorm,
            ],
            Self::Kto => &[Kto, ApoZeroUnpaired],
            Self::Grpo => &[Dapo, Grpo, DrGrpo, Bnpo, Cispo, Sapo, Luspo, Vespo],
            Self::Cpo => &[Sigmoid, Hinge, Ipo, Simpo],
            Self::None | Self::Orpo | Self::Reward | Self::Distillation => &[],
        }
    }
}

names! {
    /// How DPO's and KTO's trainers compute the log-probabilities of tokens.
    LogProbs {
        /// The head scores tokens of completions, without all logits (trl from 1.15).
        Scored = "scored",
        /// From all logits in fp32, row by row (`selective_log_softmax`, trl to 1.14).
        Selective = "selective",
        /// From a copy of all logits in fp32 (axolotl's kernel in its place).
        SelectiveCopy = "selective_copy",
        /// From `log_softmax` of all logits in fp32 (LLaMA-Factory).
        LogSoftmax = "log_softmax",
        /// From `log_softmax` of all logits by torchtune's recipe, which holds the reference's until the next ones are there.
        Torchtune = "torchtune",
    }
}

/// The objective of a trainer of TRL, with its own names for options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Objective {
    /// The trainer.
    pub kind: ObjectiveKind,
    /// The last tokens of each sequence that are scored, its completion; all but the first when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
    /// How much the reference counts; GRPO has none with 0, which is its default. Of distillation which divergence it
    /// is: 0 of the teacher from the model, 1, its default, of the model from the teacher, else between both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// How the loss is computed; the trainer's default when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_type: Option<LossType>,
    /// How DPO or KTO computes log-probabilities; as trl 1.16 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_probs: Option<LogProbs>,
    /// Whether DPO or KTO computes the reference's log-probabilities before it trains.
    pub precompute_ref_log_probs: bool,
    /// The model that teaches, of the same vocabulary; one like the model that is trained when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teacher: Option<ModelRef>,
    /// The dtype that the teacher is loaded in; that of the trained model when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teacher_dtype: Option<ComputeDtype>,
    /// Who generates the completions of GRPO and of distillation.
    pub generation: Generator,
    /// Steps that train on the completions of one generation.
    pub num_iterations: u64,
    /// How much of the GPU's memory vLLM takes for itself, of 1.
    pub vllm_gpu_memory_utilization: f64,
}

impl Default for Objective {
    fn default() -> Self {
        Self {
            kind: ObjectiveKind::None,
            completion_tokens: None,
            beta: None,
            loss_type: None,
            log_probs: None,
            precompute_ref_log_probs: false,
            teacher: None,
            teacher_dtype: None,
            generation: Generator::None,
            num_iterations: 1,
            vllm_gpu_memory_utilization: 0.3,
        }
    }
}

impl Objective {
    /// Whether a trainer of TRL makes the steps.
    pub const fn is_on(&self) -> bool {
        !matches!(self.kind, ObjectiveKind::None)
    }

    /// How the loss is computed; nothing where the trainer has one alone.
    pub fn loss(&self) -> Option<LossType> {
        self.loss_type
            .or_else(|| self.kind.losses().first().copied())
    }

    /// How log-probabilities of tokens are computed.
    pub fn log_probs(&self) -> LogProbs {
        let compares = matches!(self.kind, ObjectiveKind::Dpo | ObjectiveKind::Kto);
        (self.log_probs.filter(|_| compares)).unwrap_or(LogProbs::Scored)
    }

    /// Whether a recipe of torchtune makes the step, which holds logits of the reference that nobody reads until the next
    /// ones are there.
    pub fn is_of_recipe(&self) -> bool {
        self.log_probs() == LogProbs::Torchtune
    }

    /// Whether KTO estimates how far the model has gone, by completions of other prompts.
    pub fn has_divergence(&self) -> bool {
        self.kind == ObjectiveKind::Kto && self.loss() != Some(LossType::ApoZeroUnpaired)
    }

    /// Whether a sample is a pair of sequences, a chosen and a rejected one.
    pub const fn has_pairs(&self) -> bool {
        matches!(self.kind, ObjectiveKind::Dpo | ObjectiveKind::Reward)
    }

    /// Whether log-probabilities of a reference are computed while training.
    pub fn has_reference(&self) -> bool {
        match self.kind {
            ObjectiveKind::Dpo | ObjectiveKind::Kto => !self.precompute_ref_log_probs,
            ObjectiveKind::Grpo => self.beta.is_some_and(|beta| beta != 0.0),
            _ => false,
        }
    }

    /// Whether a teacher's probabilities are computed while training.
    pub const fn has_teacher(&self) -> bool {
        matches!(self.kind, ObjectiveKind::Distillation)
    }

    /// Whether it trains on completions that are generated for a step: the micro-batches of one generation are
    /// buffered.
    pub const fn trains_on_generated(&self) -> bool {
        matches!(self.kind, ObjectiveKind::Grpo | ObjectiveKind::Distillation)
    }

    /// Whether completions are generated on this GPU.
    pub const fn generates(&self) -> bool {
        self.trains_on_generated() && !matches!(self.generation, Generator::None)
    }

    /// Whether GRPO computes log-probabilities of the model as it was when the completions were generated: steps
    /// that train on them once more change it (`generate_every`, trl 1.16), and vLLM's are not its own.
    pub const fn has_old_log_probs(&self) -> bool {
        let corrects = self.uses_vllm();
        matches!(self.kind, ObjectiveKind::Grpo) && (self.num_iterations > 1 || corrects)
    }

    /// Whether a vLLM generates on this GPU. Log-probabilities are then corrected by the ones that vLLM returned
    /// (`vllm_importance_sampling_correction`, trl 1.16).
    pub const fn uses_vllm(&self) -> bool {
        self.generates() && !matches!(self.generation, Generator::Model)
    }

    /// Whether vLLM sleeps while the model trains.
    pub const fn sleeps(&self) -> bool {
        self.generates() && matches!(self.generation, Generator::VllmSleep)
    }

    /// Whether the trainer switches dropout off by default (`disable_dropout`, trl 1.16).
    pub fn disables_dropout(&self) -> bool {
        !self.is_of_recipe()
            && matches!(
                self.kind,
                ObjectiveKind::Dpo
                    | ObjectiveKind::Kto
                    | ObjectiveKind::Orpo
                    | ObjectiveKind::Cpo
                    | ObjectiveKind::Reward
            )
    }

    /// Whether the trainer computes all logits and the loss of them, without a head of its own.
    pub const fn has_all_logits(&self) -> bool {
        matches!(self.kind, ObjectiveKind::Orpo | ObjectiveKind::Cpo)
    }
}

//! Options of a search for plans.

use crate::ask::{ALL_LINEAR, Lora, QuantizationType, Scenario};
use crate::units::names;

names! {
    /// A setting that a search may change unless it is locked.
    Freedom {
        /// Kinds and sizes of parallelism.
        Parallelism = "parallelism",
        /// Samples of a micro-batch, with as many micro-batches as make up a step.
        MicroBatchSize = "micro_batch_size",
        /// Whether layers are checkpointed.
        ActivationCheckpointing = "activation_checkpointing",
        /// Precision: the scenario's, or a lower one.
        Precision = "precision",
        /// The optimizer: fused where it can be, and its states in 8 bits.
        Optimizer = "optimizer",
        /// Attention's implementation.
        Attention = "attention",
        /// The loss: one that keeps no logits, where the model has it.
        Loss = "loss",
        /// Tensors that are kept in host RAM.
        Offload = "offload",
    }
}

names! {
    /// Adapters in place of training all weights, which a search adds only where it is allowed to.
    Adapters {
        /// `LoRA` on all linear layers.
        Lora = "lora",
        /// LoRA over a base in four bits.
        Qlora = "qlora",
    }
}

impl Adapters {
    /// Puts them on a model whose weights are all trained.
    pub(in crate::decide) fn add_to(self, to: &mut Scenario) {
        to.lora = Some(Lora {
            target_modules: vec![ALL_LINEAR.to_owned()],
            ..Lora::default()
        });
        if self == Self::Qlora {
            Self::quantize(to);
        }
    }

    /// Holds the weights under adapters in four bits.
    pub(in crate::decide) fn quantize(to: &mut Scenario) {
        to.quantization.kind = QuantizationType::Nf4;
        to.quantization.double = true;
    }
}

names! {
    /// On how many GPUs a plan can be.
    Gpus {
        /// As many as the scenario says.
        AsSaid = "as_said",
        /// Any power of two up to 64.
        Any = "any",
    }
}

names! {
    /// The GPU that a plan can be on.
    GpuModel {
        /// The one that the scenario says.
        AsSaid = "as_said",
        /// Any of the catalog: of those that a plan fits, the one with the least memory that programs can use.
        Any = "any",
    }
}

/// The options of a search for plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// Settings that stay.
    pub locked: Vec<Freedom>,
    /// Adapters that may be added.
    pub allowed: Vec<Adapters>,
    /// How much of the GPU must stay free, in percent.
    pub headroom: u64,
    /// On how many GPUs.
    pub gpus: Gpus,
    /// On which.
    pub gpu: GpuModel,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            locked: Vec::new(),
            allowed: Vec::new(),
            headroom: 10,
            gpus: Gpus::AsSaid,
            gpu: GpuModel::AsSaid,
        }
    }
}

impl PlanOptions {
    pub(super) fn frees(&self, freedom: Freedom) -> bool {
        !self.locked.contains(&freedom)
    }

    /// The options without a lock.
    pub(super) fn without(&self, lock: Freedom) -> Self {
        let mut options = self.clone();
        options.locked.retain(|other| *other != lock);
        options
    }
}

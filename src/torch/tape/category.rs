//! Purposes of storages.

use super::Tape;
use crate::units::names;

names! {
    /// The purpose of a storage; the parts of every composition, in the order in which they are shown.
    Category {
        /// Weights.
        Parameters = "parameters",
        /// Tensors of the model that are not trained.
        Buffers = "buffers",
        /// The batch.
        Inputs = "inputs",
        /// Optimizer states.
        OptimizerStates = "optimizer_states",
        /// Full-precision copies of weights that the optimizer works on.
        MasterWeights = "master_weights",
        /// Gradients of parameters.
        Gradients = "gradients",
        /// Tensors saved for backward.
        Activations = "activations",
        /// Autocast's low-precision copies of weights.
        AutocastWeights = "autocast_weights",
        /// The model's output while it is held outside of autograd.
        Logits = "logits",
        /// Tensors that live within an operation or between a few.
        Temporaries = "temporaries",
        /// Workspaces of libraries such as cuBLAS.
        Workspaces = "workspaces",
        /// Buffers of collective communication.
        Communication = "communication",
        /// Keys and values kept while generating.
        KvCache = "kv_cache",
        /// Memory of a vLLM beside the trainer.
        Vllm = "vllm",
    }
}

impl Tape {
    /// Says what a storage is for, if it is alive.
    pub fn classify(&self, storage: u32, category: Category) {
        let mut record = self.recorder.record_mut();
        if record.storage(storage).is_some_and(|storage| storage.alive) {
            record.classify(storage, category);
        }
    }
}

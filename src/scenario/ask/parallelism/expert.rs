//! Expert parallelism: the experts of each layer divided among ranks of the other axes.

use super::settings::settings;
use super::tensor::Plan;
use crate::units::names;

names! {
    /// How tokens meet their experts.
    ExpertParallelKind {
        /// Tokens go to the ranks of their experts and back (transformers' `ep_size`).
        AllToAll = "all_to_all",
        /// Each rank works on what its experts get of all tokens, and results are summed.
        AllReduce = "all_reduce",
        /// Megatron-Core's `expert_model_parallel_size`.
        Megatron = "megatron",
    }
}

names! {
    /// How many tokens each expert gets, which depends on values.
    ExpertRouting {
        /// As many as any other.
        Balanced = "balanced",
    }
}

names! {
    /// Megatron-Core's `moe_token_dispatcher_type`.
    ExpertDispatcher {
        /// Tokens go to the ranks of their experts.
        AllToAll = "alltoall",
        /// All ranks get all tokens.
        AllGather = "allgather",
    }
}

settings! {
    /// Expert parallelism (transformers 5.23, megatron-core 0.16.1). Its ranks are among those of data, context
    /// and tensor parallelism.
    #[derive(Clone, Copy, Debug, PartialEq)]
    ExpertParallel {
        /// How tokens meet their experts.
        kind: ExpertParallelKind = ExpertParallelKind::AllToAll,
        /// Ranks among which the experts are divided; 1 means none.
        size: u64 = 1,
        /// The plan of modules that are divided.
        plan: Plan = Plan::Transformers,
        /// How many tokens each expert gets.
        routing: ExpertRouting = ExpertRouting::Balanced,
        /// Megatron-Core's dispatcher.
        dispatcher: ExpertDispatcher = ExpertDispatcher::AllToAll,
        /// Tokens that an expert may get, as a multiple of its balanced share, to which it is padded
        /// (Megatron-Core's `moe_expert_capacity_factor` with `moe_pad_expert_input_to_capacity`); no limit
        /// when absent.
        capacity_factor: Option<f64> = None,
    }
}

impl ExpertParallel {
    /// Tokens that Megatron-Core gives one of `experts` experts room for, of the `tokens` that all take
    /// (`get_capacity`, `megatron/core/transformer/moe/moe_utils.py`, 0.16.1); their share where nothing is asked.
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "as Python computes it, of numbers far below 2^53"
    )]
    pub fn capacity(&self, tokens: u64, experts: u64) -> u64 {
        let share = tokens as f64 / experts.max(1) as f64;
        (share * self.capacity_factor.unwrap_or(1.0)).ceil() as u64
    }
}

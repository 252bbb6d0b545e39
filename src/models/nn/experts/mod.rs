//! Mixtures of experts: routers, experts that run in turn, grouped or at once, and the loss that balances them.

mod all_experts;
pub(crate) mod balance;
mod expert_loop;
mod grouped_experts;
pub(crate) mod moe;
mod on_ranks;
mod parallel_experts;
mod router;
mod router_gate;
mod scaled_experts;
mod sparse_mixer;

pub(crate) use parallel_experts::{Sorted, one_by_one, stacks};
pub(crate) use router::Router;
pub(crate) use scaled_experts::GemmaExperts;

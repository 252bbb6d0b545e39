//! The wrappers around a model on one rank of a job on several GPUs.
//!
//! A wrapper comes between the training program (`sim`) and the model: it holds this rank's parameters, gradients and
//! optimizer states, hooks itself onto modules and gradients of the tape, and allocates the buffers of its collectives,
//! which move no numbers and return at once.
//!
//! Not here: how modules are divided among ranks that see the same data (`nn`'s `build`, by the plan of the
//! family's record; `tape` has the collectives), the training program, the allocator.
//! Invariants: a wrapper of one rank allocates nothing that no wrapper would; no floating point.
//! Source: torch 2.15 (`torch/nn/parallel`, `torch/distributed`, `torch/csrc/distributed/c10d`).

mod broadcast;
mod ddp;
mod fsdp1;
mod fsdp2;
mod megatron;
mod pipeline;
mod shards;
mod tensor;
mod units;
mod wrap;
mod wrapper;
mod zero;

pub use megatron::{
    ChunkPass, MegatronChunks, MegatronDataParallel, MegatronOptimizer, MegatronSchedule,
};
pub use pipeline::{Action, Computation, Follower, Given, Pipeline, Slot, StageModel, schedule};
pub use wrap::{
    gathers_reference_whole, is_wrapped, keeps_reference_gathered, keeps_references_whole,
    mixes_layers, optimizer_may_wait, steps_come_again, steps_differ, wrapped, wrapped_reference,
};
pub use wrapper::{ModelParameter, StageWrapper, Wrapper};

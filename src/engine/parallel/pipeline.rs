//! Pipeline parallelism of `torch.distributed.pipelining`: the operations of one rank, and the tensors that it holds
//! meanwhile.
//!
//! Source: `torch/distributed/pipelining/{schedules,stage,_backward}.py`, torch 2.15; functions name the Python
//! functions that they mirror.

mod action;
mod call;
mod interleaved;
mod lowering;
mod orders;
mod places;
mod plan;
mod runtime;
mod schedule;
mod single;
mod stage;
#[cfg(test)]
mod tests;
mod v_shaped;

pub use action::{Action, Computation};
pub use call::{Follower, StageModel};
pub(super) use places::StagePlaces;
pub use runtime::{Given, Pipeline};
pub use schedule::{Slot, schedule};

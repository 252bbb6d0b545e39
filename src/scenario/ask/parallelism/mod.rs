//! How a run is spread over GPUs, as it is asked for.
//!
//! A job is a mesh of ranks: ranks that see different data, and for each of them the ranks that divide each matrix, the
//! layers and the sequence among them. Keys are spelled as the framework that they are of spells them.

mod axes;
mod context;
mod data;
mod ddp;
mod expert;
mod fsdp;
mod megatron;
mod mesh;
mod pipeline;
mod settings;
mod tensor;
mod zero;

pub use axes::Parallelism;
pub use context::{ContextParallel, ContextParallelKind, RotateMethod};
pub use data::{DataParallel, DataParallelKind};
pub use ddp::{CommHook, Ddp, ZeroRedundancyOptimizer};
pub use expert::{ExpertDispatcher, ExpertParallel, ExpertParallelKind, ExpertRouting};
pub use fsdp::{BackwardPrefetch, Fsdp, MixedPrecision, ShardingStrategy};
pub use megatron::{MegatronDdp, Recompute, RecomputeGranularity, RecomputeMethod};
pub use mesh::{Mesh, Place};
pub use pipeline::{PipelineParallel, PipelineSchedule};
pub use tensor::{Plan, TensorParallel, TensorParallelKind};
pub use zero::{OffloadDevice, Zero};

//! A rank's wrapper of a model of Megatron-Core: buffers of parameters and gradients, the optimizer
//! over weights in float32 or this rank's shards of them, and the schedules of its pipelines.
//!
//! Source: `megatron/core/{distributed,optimizer,pipeline_parallel}`, megatron-core 0.16.1; functions name the Python
//! functions that they mirror.

mod buffer;
mod data_parallel;
mod interleaved;
mod optimizer;
mod run;
mod schedule;
mod step;

pub use data_parallel::MegatronDataParallel;
pub use optimizer::MegatronOptimizer;
pub use schedule::{ChunkPass, MegatronChunks, MegatronSchedule};

//! The device below PyTorch's tensors: the caching allocator and the workspaces of libraries.
//!
//! [`Allocator`] does what `CUDACachingAllocator` of PyTorch 2.6 to 2.15 does on one device: it rounds
//! requests, keeps freed blocks in two pools for each stream, finds the best fit, splits, merges,
//! and asks the driver for segments. A block belongs to the stream it was allocated for and serves no
//! other; what gives memory back to the driver gives back that of all streams. A block that another
//! stream uses, too (`record_stream`), stays active after it is freed until events of that stream
//! are complete, which [`Timing`] bounds from both sides. [`Replay`] runs requests through it.
//!
//! It knows nothing of tensors, models or phases: requests come as numbers. It does not model
//! CUDA graphs' private pools, or what other processes do.
//!
//! Invariants: no floating point, no hashing, no clock, so that the same requests give the same
//! bytes everywhere; allocated never exceeds active, nor active reserved; every block belongs to exactly one segment
//! and the blocks of a segment tile it without gaps.
//!
//! # Known limitations
//! - Segments get ascending addresses, as from a driver that never reuses an address range. Best
//!   fit breaks ties by address, so a driver with another order can place a block elsewhere. On an H200
//!   (`tests/fixtures/h200.jsonl`) reserved memory was equal in 125 of 164 cases, within 3.4 % in 95 % of
//!   them and 12 % off in the worst; with descending addresses, which fit that driver better, in 142.
//! - What a GPU takes to do is not known: events of other streams are complete at once, or else when the
//!   host has waited for them.

mod allocator;
mod blocks;
mod events;
mod expandable;
mod order;
mod places;
mod pool;
mod release;
mod replay;
mod settings;
mod workspace;

pub use allocator::{Allocator, OutOfMemory};
pub use blocks::BlockId;
pub use replay::{Failure, Held, Replay, Request};
pub use settings::{Limit, POWER2_INTERVALS, Settings, Timing, segment_size};
pub use workspace::{
    CUBLASLT_WORKSPACE, asked_workspace, cublas_workspace, threads_per_multiprocessor,
};

//! Host RAM: a node as a tree of processes, part by part and phase by phase.
//!
//! [`estimate`] says what one node needs while it loads, trains and saves: private memory of each
//! training process (libraries, CUDA context, tokenizer, data set, its workers, pinned memory),
//! plus file-backed pages of libraries once per node, plus the launcher. The page cache stands
//! beside it, never in it. What it rests on is in [`FACTS`], what it leaves out in
//! [`KNOWN_LIMITATIONS`].
//!
//! It does not look at the device: what it needs from there comes in [`HostInputs`]. It does not
//! judge: whether a node has enough is the report's to say.
//!
//! Invariants: the parts add up to the total of a phase; the peak is one of the phases; more
//! rows, batch, workers or ranks never need less; sums and products saturate; no floating point.

mod cow;
mod data_parallel;
mod dataset;
mod estimate;
mod evaluation;
mod facts;
mod growth;
mod job;
mod libraries;
mod limitations;
mod loader;
mod model;
mod offload;
mod phases;

pub use estimate::{HostEstimate, HostPart, HostPhase, HostPhaseUse, PageCachePart};
pub use evaluation::HostEvaluation;
pub use facts::{FACTS, Fact, Unit};
pub use growth::{Growth, HostDriver};
pub use job::{HostInputs, HostJob, HostParameter};
pub use limitations::KNOWN_LIMITATIONS;
pub use offload::Offloaded;
pub use phases::{MAX_LISTED_RANKS, estimate, estimate_job};

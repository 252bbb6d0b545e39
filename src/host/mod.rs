//! Host RAM: a node as a tree of processes, part by part and phase by phase.

mod estimate;

pub use estimate::{HostEstimate, HostPart, HostPhase, HostPhaseUse};

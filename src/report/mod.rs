//! What the simulation means: peak, composition, phases, timeline, crossover and verdict.
//!
//! Everything here is plain data made by pure functions; nothing knows how it is shown.

mod estimate;
mod phases;
mod replayed;
mod summarize;
mod timeline;
mod types;

#[cfg(test)]
mod tests;

pub use estimate::{Estimate, from_trace};
pub use phases::spans;
pub use summarize::{DeviceSummary, summarize};
pub use timeline::timeline;
pub use types::*;

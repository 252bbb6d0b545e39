//! The meaning of a simulation: peak, composition at an instant, phases, timeline, crossover,
//! verdict, explanation and accuracy.
//!
//! [`estimate`] is the whole chain from a scenario to an answer. Everything here is plain data
//! made by pure functions; nothing knows how it is shown, and no number is made here that does
//! not follow from a trace, from the allocator's replay or from the host model.
//!
//! Invariants: the parts of a composition add up to `peak_tensor`; `peak_tensor <=
//! peak_allocated <= peak_reserved` in every phase; a timeline's highest point is the run's peak.
//!
//! # Known limitations
//! - Processes that share a GPU are taken to run the same scenario and to peak together; what other jobs hold
//!   of it is `hardware.gpu_memory_in_use`.

mod accuracy;
mod asked;
mod detail;
mod estimate;
mod events;
mod explain;
mod figures;
mod grid;
mod holdings;
mod lagging;
mod measure;
mod others;
mod otherwise;
mod phases;
mod rank_run;
mod ranks;
mod replayed;
mod requested;
mod schedule;
mod side_by_side;
mod steps;
mod stretch;
mod summarize;
mod types;
mod vllm;
mod watch;

#[cfg(test)]
mod tests;

pub use accuracy::{
    Accuracy, Case, ComparedPeak, Expected, ExpectedHost, Goal, HostErrors, Pair, Published,
    Selection, percentile, read_cases,
};
pub use asked::Asked;
pub use detail::{Detail, LastUse, LiveTensor};
pub use estimate::{Estimate, estimate, estimate_with_most_work, estimate_with_ranks, keep_memory};
pub use events::events;
pub use explain::{Explanation, Lead, Part, explain};
pub use figures::{Effort, Figures};
pub use grid::{Cell, Surveyed, survey};
pub use lagging::{Lagging, bounds, lagging};
pub use measure::Measure;
pub use others::{Method, Other, Quantity, Reason};
pub use otherwise::Otherwise;
pub use ranks::{RankTakes, Ranks, ranks};
pub use requested::{Requested, requested};
pub use schedule::{RankSchedule, Schedule, schedule};
pub use side_by_side::{each, threads};
pub use steps::{ManySteps, Running, StepHeld, StepsRun};
pub use summarize::{DeviceSummary, summarize};
pub use types::*;

//! Advice: single changes, ready plans of several changes, and room for more.
//!
//! Everything was computed by running the model again: a [`Remedy`] holds the scenario that it leads to, and its
//! numbers are those of an estimate of that scenario. What a change costs is counted where it can be counted
//! (operations, bytes sent, host RAM) and else said in words by its [`Price`]; nothing is said of time.

mod adviser;
mod change;
mod ready;
mod remedy;
mod room;
mod table;
mod ways;

pub use adviser::{Advice, Adviser, advice};
pub use change::{Price, RemedyKind};
pub use ready::{ReadyKind, ReadyPlan, Step};
pub use remedy::{Outcome, Remedy, first_remedy};
pub use room::{Room, RoomKind};
pub use table::{AdviceGroup, AdviceTable, Beyond};
pub use ways::{WayOut, plan_beyond, ways_out};

#[cfg(test)]
mod tests;

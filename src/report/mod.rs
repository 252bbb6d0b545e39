//! What the simulation means: peak, composition, phases, timeline, crossover and verdict.
//!
//! Everything here is plain data made by pure functions; nothing knows how it is shown.

mod types;

pub use types::*;

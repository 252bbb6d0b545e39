//! Facts with a name, a source and a date: models and accelerators.
//!
//! Models are kept as their published `config.json`, cut to the fields that decide sizes, so that
//! a catalog model and a pasted config go through the same reader (in `spec`). Published models
//! that no family has come as graphs. Accelerators carry what programs can use, which is less than
//! the label says.
//!
//! Not here: what a framework version does (that is known by the room that models it), and
//! reading of configs.
//!
//! Invariants: ids are unique, lower case, and never removed or given a new meaning, since they
//! are in published links.

mod accelerators;
mod contexts;
mod fact;
mod graphs;
mod machines;
mod menu;
mod model;
mod situation;
mod situations;
mod starting_points;

pub use accelerators::{ACCELERATORS, Accelerator, accelerator, of_capacity};
pub use contexts::CONTEXTS_DIFFER_BY;
pub use fact::{Confidence, Fact};
pub use graphs::{PublishedGraph, published_graphs};
pub use machines::rented_host_ram;
pub use menu::{situation, situations_of};
pub use model::Model;
pub use situation::{Situation, SituationGroup};

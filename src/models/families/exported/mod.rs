//! Graphs that `torch.export` wrote, run on the tape node by node.
//!
//! `reader` takes a scenario's graph with the sizes that it leaves open, `run` walks over nodes and drops values
//! when eager Python does, `table` has an arm for each of ATen's operations: onto the tape's, in the files beside.

mod adapters;
mod attention;
mod call;
mod casts;
mod convolutions;
mod dry;
mod gaps;
mod in_place;
mod indexing;
mod layers;
mod lifetimes;
mod losses;
mod made;
mod module_scopes;
mod net;
mod normalization;
mod open_sizes;
mod pointwise;
mod products;
mod program;
mod reader;
mod recurrent;
mod reductions;
mod run;
mod sampled;
mod table;
mod views;

pub use adapters::{AdaptedModule, adapted_modules};
pub use dry::unknown_operations;
pub use gaps::Gap;
pub use layers::{layer_classes, layer_paths};
pub(crate) use net::build;
pub use open_sizes::{OpenSize, open_sizes};
pub(crate) use reader::read;

//! Graphs that `torch.export` writes: an archive (`.pt2`) to plain data.
//!
//! [`read`] takes the archive's central directory and its JSON alone, never a weight, and gives a
//! [`Graph`]: nodes with the names of ATen's operations, arguments, sizes as expressions of symbols,
//! parameters, regions and the modules that nodes stem from. Nothing else knows the format. Archives of
//! torch 2.6 to 2.15 (schema 8.2 to 8.20) are read leniently: a field that is not known is passed by.
//! [`Pieces`] is for a file whose bytes have to be waited for; a graph is itself JSON, for another thread.
//!
//! Not here: what operations do (`families`), and words for people: an [`Unreadable`] says what happened.
//! Invariants: no file makes it panic, take more than a bounded amount of memory, or run without end.

mod archive;
mod arguments;
mod digest;
mod graph;
mod parse;
mod pieces;
mod reading;
mod sizes;
mod symbols;
mod unreadable;
mod variables;

pub use archive::read;
pub use graph::{
    Argument, Body, Graph, Held, Input, InputKind, Meta, Module, Node, Real, ValueId, Values,
    Variables,
};
pub use pieces::{Pieces, Progress};
pub use sizes::{Size, Symbol};
pub use unreadable::Unreadable;

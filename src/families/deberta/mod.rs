//! `DeBERTa`, the first and the second.

mod first;
mod layer;
mod network;
pub(crate) mod reader;

pub(crate) use network::build;

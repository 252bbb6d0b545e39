//! T5.

mod attention;
mod block;
mod network;
pub(crate) mod reader;

pub(crate) use network::T5;

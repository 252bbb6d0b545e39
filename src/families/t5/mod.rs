//! T5.

mod attention;
mod block;
mod network;
pub(crate) mod reader;

pub(crate) use network::build;

mod records;
pub(crate) use records::{MT5, T5, UMT5};

//! T5.

mod attention;
mod block;
mod models;
mod network;
pub(crate) mod reader;
mod refused;

pub(crate) use network::build;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{MT5, T5, UMT5};

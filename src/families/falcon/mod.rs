//! Falcon.

mod attention;
mod network;
pub(crate) mod reader;

pub(crate) use network::Falcon;

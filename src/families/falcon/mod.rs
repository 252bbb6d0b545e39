//! Falcon.

mod attention;
mod network;
pub(crate) mod reader;

pub(crate) use network::build;

mod record;
pub(crate) use record::FALCON;

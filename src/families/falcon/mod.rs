//! Falcon.

mod attention;
mod network;
pub(crate) mod reader;

pub(crate) use network::Falcon;

mod record;
mod support;
pub(crate) use record::FALCON;

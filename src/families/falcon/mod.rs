//! Falcon.

mod attention;
mod models;
mod network;
pub(crate) mod reader;

pub(crate) use network::Falcon;

mod record;
mod support;
pub(crate) use models::MODELS;
pub(crate) use record::FALCON;

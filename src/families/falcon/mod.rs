//! Falcon.

mod attention;
mod models;
mod network;
pub(crate) mod reader;

pub(crate) use network::Falcon;

mod record;
pub(crate) use models::MODELS;
pub(crate) use record::FALCON;

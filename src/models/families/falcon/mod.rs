//! Falcon.

mod attention;
mod models;
mod network;
pub(crate) mod reader;

pub(crate) use network::build;

mod record;
mod support;
pub(crate) use models::MODELS;
pub(crate) use record::FALCON;

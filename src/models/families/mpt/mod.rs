//! MPT.

mod models;
mod network;
pub(crate) mod reader;

pub(crate) use network::build;

mod record;
pub(crate) use models::MODELS;
pub(crate) use record::MPT;

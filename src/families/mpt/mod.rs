//! MPT.

mod models;
mod network;
pub(crate) mod reader;

pub(crate) use network::Mpt;

mod record;
pub(crate) use models::MODELS;
pub(crate) use record::MPT;

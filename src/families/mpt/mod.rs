//! MPT.

mod network;
pub(crate) mod reader;

pub(crate) use network::Mpt;

mod record;
pub(crate) use record::MPT;

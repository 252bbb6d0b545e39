//! A linear layer alone.

mod network;

pub(crate) use network::build;

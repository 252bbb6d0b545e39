//! BLOOM.

mod network;
pub(crate) mod reader;

pub(crate) use network::Bloom;

//! Mamba, Mamba 2 and `FalconMamba`.

mod network;
pub(crate) mod reader;

pub(crate) use network::Mamba;
pub(crate) use reader::SMALL;

//! Mamba, Mamba 2 and `FalconMamba`.

mod models;
mod network;
pub(crate) mod reader;

pub(crate) use network::build;
pub(crate) use reader::SMALL;

mod falcon_mamba;
mod mamba2;
mod record;
mod support;
pub(crate) use falcon_mamba::FALCON_MAMBA;
pub(crate) use mamba2::MAMBA2;
pub(crate) use models::MODELS;
pub(crate) use record::MAMBA;

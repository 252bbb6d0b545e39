//! Phi.

mod layer;
mod models;
mod phi3_layer;
pub(crate) mod phi3_reader;
pub(crate) mod reader;

pub(crate) use layer::build;
pub(crate) use phi3_layer::build_phi3;

mod phi3;
mod phimoe;
mod record;
pub(crate) use models::MODELS;
pub(crate) use phi3::PHI3;
pub(crate) use phimoe::PHIMOE;
pub(crate) use record::PHI;

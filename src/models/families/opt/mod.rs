//! OPT, `BioGPT` and XGLM.

mod models;
mod network;
pub(crate) mod reader;
mod xglm_network;

pub(crate) use network::{build, build_bio};
pub(crate) use xglm_network::build_xglm;

mod biogpt;
mod record;
mod xglm;
pub(crate) use biogpt::BIOGPT;
pub(crate) use models::MODELS;
pub(crate) use record::OPT;
pub(crate) use xglm::XGLM;

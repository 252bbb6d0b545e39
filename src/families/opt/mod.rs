//! OPT, `BioGPT` and XGLM.

mod models;
mod network;
pub(crate) mod reader;
mod xglm_network;

pub(crate) use network::Opt;
pub(crate) use xglm_network::Xglm;

mod biogpt;
mod record;
mod xglm;
pub(crate) use biogpt::BIOGPT;
pub(crate) use models::MODELS;
pub(crate) use record::OPT;
pub(crate) use xglm::XGLM;

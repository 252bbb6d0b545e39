//! OPT, `BioGPT` and XGLM.

mod network;
pub(crate) mod reader;
mod xglm;

pub(crate) use network::Opt;
pub(crate) use xglm::Xglm;

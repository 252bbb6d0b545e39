//! CLIP and `SigLIP`.

mod models;
mod network;
pub(crate) mod reader;

pub(crate) use network::Dual;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{CLIP, SIGLIP};

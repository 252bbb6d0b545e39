//! Swin, the first and the second.

mod layer;
mod models;
mod network;
pub(crate) mod reader;
mod second;

pub(crate) use network::build;
pub(crate) use reader::{STAGES, numbers};

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{SWIN, SWINV2};

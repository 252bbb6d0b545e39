//! `ModernBERT`.

mod layer;
mod models;
mod network;
pub(crate) mod reader;
mod refused;

pub(crate) use network::build;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{MODERNBERT, MODERNBERT_DECODER};

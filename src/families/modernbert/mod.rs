//! `ModernBERT`.

mod layer;
mod models;
mod network;
pub(crate) mod reader;
mod refused;

pub(crate) use network::ModernBert;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{MODERNBERT, MODERNBERT_DECODER};

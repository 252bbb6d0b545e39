//! `ModernBERT`.

mod layer;
mod network;
pub(crate) mod reader;
mod refused;

pub(crate) use network::ModernBert;

mod records;
pub(crate) use records::{MODERNBERT, MODERNBERT_DECODER};

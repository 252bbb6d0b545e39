//! `ModernBERT`.

mod layer;
mod network;
pub(crate) mod reader;

pub(crate) use network::ModernBert;

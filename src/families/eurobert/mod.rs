//! `EuroBERT`.

mod models;
mod network;
pub(crate) mod reader;

pub(crate) use network::EuroBert;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::EUROBERT;

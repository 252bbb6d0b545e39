//! `DistilBERT`.

mod layer;
mod models;
mod network;
pub(crate) mod reader;

pub(crate) use network::build;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::DISTILBERT;

//! `DistilBERT`.

mod layer;
mod network;
pub(crate) mod reader;

pub(crate) use network::DistilBert;

mod records;
pub(crate) use records::DISTILBERT;

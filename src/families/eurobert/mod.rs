//! `EuroBERT`.

mod network;
pub(crate) mod reader;

pub(crate) use network::EuroBert;

mod records;
pub(crate) use records::EUROBERT;

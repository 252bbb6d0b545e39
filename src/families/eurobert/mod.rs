//! `EuroBERT`.

mod network;
pub(crate) mod reader;

pub(crate) use network::build;

mod records;
pub(crate) use records::EUROBERT;

//! `T5Gemma`.

mod layer;
mod models;
mod network;
pub(crate) mod reader;

pub(crate) use network::T5Gemma;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::T5GEMMA;

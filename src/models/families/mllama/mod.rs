//! Llama 3.2 Vision.

mod layer;
mod models;
pub(crate) mod reader;

pub(crate) use layer::build;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{MLLAMA, MLLAMA_TEXT};

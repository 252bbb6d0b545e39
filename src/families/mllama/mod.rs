//! Llama 3.2 Vision.

mod layer;
pub(crate) mod reader;

pub(crate) use layer::build;

mod records;
pub(crate) use records::{MLLAMA, MLLAMA_TEXT};

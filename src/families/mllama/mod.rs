//! Llama 3.2 Vision.

mod layer;
pub(crate) mod reader;

pub(crate) use layer::MllamaLayer;

mod records;
pub(crate) use records::MLLAMA;

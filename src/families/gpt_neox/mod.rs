//! GPT-NeoX.

mod layer;
pub(crate) mod reader;

pub(crate) use layer::GptNeoxLayer;

//! GPT-NeoX.

mod layer;
pub(crate) mod reader;

pub(crate) use layer::GptNeoxLayer;

mod record;
pub(crate) use record::GPT_NEOX;

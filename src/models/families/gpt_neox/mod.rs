//! GPT-NeoX.

mod layer;
mod models;
pub(crate) mod reader;

pub(crate) use layer::build;

mod record;
pub(crate) use models::MODELS;
pub(crate) use record::GPT_NEOX;

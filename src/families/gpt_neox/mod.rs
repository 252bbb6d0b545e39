//! GPT-NeoX.

mod layer;
pub(crate) mod reader;

pub(crate) use layer::build;

mod record;
pub(crate) use record::GPT_NEOX;

//! `JetMoE`.

pub(crate) mod reader;

mod record;
pub(crate) use record::JETMOE;

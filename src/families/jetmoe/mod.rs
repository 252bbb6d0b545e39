//! `JetMoE`.

pub(crate) mod reader;

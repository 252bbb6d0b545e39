//! Mistral 3.

pub(crate) mod reader;

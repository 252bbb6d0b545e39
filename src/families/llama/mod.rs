//! Llama and what differs from it in few things.

mod differential;
pub(crate) mod kin;
pub(crate) mod llama4;
pub(crate) mod olmo2;
pub(crate) mod reader;
pub(crate) mod windows;

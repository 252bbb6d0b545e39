//! Gemma.

mod gemma3n;
mod gemma3n_reader;
mod layers;
pub(crate) mod reader;

pub(crate) use gemma3n::Gemma3nLayer;

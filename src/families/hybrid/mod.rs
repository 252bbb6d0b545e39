//! Decoders whose layers mix tokens in more than one way.

pub(crate) mod minimax;
pub(crate) mod nemotron_h;
pub(crate) mod olmo_hybrid;
pub(crate) mod reader;

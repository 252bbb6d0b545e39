//! Phi.

mod layer;
mod phi3_layer;
pub(crate) mod phi3_reader;
pub(crate) mod reader;

pub(crate) use layer::PhiLayer;
pub(crate) use phi3_layer::Phi3Layer;

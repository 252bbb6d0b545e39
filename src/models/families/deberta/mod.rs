//! `DeBERTa`, the first and the second.

mod first;
mod layer;
mod network;
pub(crate) mod reader;
mod support;

pub(crate) use network::build;
pub(crate) use support::{check_first, check_quantized, check_second};

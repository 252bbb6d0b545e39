//! Vision transformers.

mod layer;
mod network;
pub(crate) mod reader;

pub(crate) use layer::kept_samples;
pub(crate) use network::Vit;
pub(crate) use reader::{CHANNELS, PIXELS, check_patches};

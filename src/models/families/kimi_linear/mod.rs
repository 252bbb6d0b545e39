//! Kimi Linear: layers with Kimi Delta Attention beside layers with latent attention.

mod delta_attention;
mod layer;
mod models;
mod reader;
mod record;

pub(crate) use layer::build;
pub(crate) use models::MODELS;
pub(crate) use record::KIMI_LINEAR;

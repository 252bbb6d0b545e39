//! Gemma.

mod gemma3n_layer;
mod gemma3n_reader;
mod layers;
mod models;
pub(crate) mod reader;

pub(crate) use gemma3n_layer::build_gemma3n;

mod gemma2;
mod gemma3_text;
mod gemma3n_text;
mod gemma4_text;
mod record;
mod vaultgemma;
pub(crate) use gemma2::GEMMA2;
pub(crate) use gemma3_text::GEMMA3_TEXT;
pub(crate) use gemma3n_text::GEMMA3N_TEXT;
pub(crate) use gemma4_text::GEMMA4_TEXT;
pub(crate) use models::MODELS;
pub(crate) use record::GEMMA;
pub(crate) use vaultgemma::VAULTGEMMA;

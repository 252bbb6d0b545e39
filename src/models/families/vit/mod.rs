//! Vision transformers.

mod layer;
mod models;
mod network;
pub(crate) mod reader;

pub(crate) use layer::kept_samples;
pub(crate) use network::build;
pub(crate) use reader::{CHANNELS, PIXELS, check_patches};

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{
    AUDIO_SPECTROGRAM_TRANSFORMER, DEIT, DINOV2, DINOV2_WITH_REGISTERS, VIT, VIT_MSN,
};

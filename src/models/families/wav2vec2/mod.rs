//! wav2vec 2.0 and its kin.

mod features;
mod gated;
mod layer;
mod models;
mod network;
pub(crate) mod reader;

pub(crate) use network::build;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{DATA2VEC_AUDIO, HUBERT, UNISPEECH, UNISPEECH_SAT, WAV2VEC2, WAVLM};

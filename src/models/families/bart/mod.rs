//! BART and its kin, Whisper among them.

mod attention;
mod decoder;
mod layer;
mod models;
mod network;
pub(crate) mod reader;
mod refused;
mod whisper;
pub(crate) mod whisper_reader;

pub(crate) use decoder::build;
pub(crate) use whisper::build_whisper;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{
    BART, BLENDERBOT, BLENDERBOT_SMALL, M2M_100, MARIAN, MBART, PEGASUS, PLBART, WHISPER,
};

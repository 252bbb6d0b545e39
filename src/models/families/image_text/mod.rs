//! Models that read images among their tokens.

mod decoder;
pub(crate) mod image_size;
mod models;
pub(crate) mod reader;
pub(crate) mod refused;
mod tiles;
mod whole;

pub(crate) use reader::part;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{GEMMA3_WITH_IMAGES, IDEFICS3, LLAVA, LLAVA_NEXT, PALIGEMMA, SMOLVLM};

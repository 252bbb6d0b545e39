//! Mistral 3.

mod models;
pub(crate) mod reader;

mod images;
pub(crate) use images::MISTRAL3_WITH_IMAGES;
pub(crate) use models::MODELS;

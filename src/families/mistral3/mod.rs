//! Mistral 3.

pub(crate) mod reader;

mod images;
pub(crate) use images::MISTRAL3_WITH_IMAGES;

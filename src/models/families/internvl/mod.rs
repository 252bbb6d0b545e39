//! `InternVL`.

mod models;
pub(crate) mod reader;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::INTERNVL;

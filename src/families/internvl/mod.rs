//! `InternVL`.

pub(crate) mod reader;

mod records;
pub(crate) use records::INTERNVL;

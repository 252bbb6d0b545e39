//! `InternVL`.

pub(crate) mod reader;

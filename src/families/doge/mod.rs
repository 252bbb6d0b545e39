//! Doge.

pub(crate) mod reader;

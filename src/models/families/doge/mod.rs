//! Doge.

pub(crate) mod reader;

mod record;
pub(crate) use record::DOGE;

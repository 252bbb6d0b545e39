//! `DeepSeek` and others with its attention in low rank.

mod indexer;
pub(crate) mod reader;

//! `DeepSeek` and others with its attention in low rank.

mod indexer;
mod models;
pub(crate) mod reader;

mod axk1;
mod deepseek_v2;
mod deepseek_v3;
mod deepseek_v32;
mod minicpm3;
mod youtu;
pub(crate) use axk1::AXK1;
pub(crate) use deepseek_v2::DEEPSEEK_V2;
pub(crate) use deepseek_v3::{DEEPSEEK_V3, EXPERTS, SHARED};
pub(crate) use deepseek_v32::DEEPSEEK_V32;
pub(crate) use minicpm3::MINICPM3;
pub(crate) use models::MODELS;
pub(crate) use youtu::YOUTU;

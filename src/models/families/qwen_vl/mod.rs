//! Qwen-VL.

mod models;
pub(crate) mod reader;
mod refused;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{QWEN2_5_VL, QWEN2_VL, QWEN3_VL, QWEN3_VL_MOE};

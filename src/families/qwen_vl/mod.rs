//! Qwen-VL.

pub(crate) mod reader;

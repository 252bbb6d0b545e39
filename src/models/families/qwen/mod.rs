//! Qwen and its kin.

mod models;
mod more_models;
mod qwen2;
mod qwen2_moe;
mod qwen3;
mod qwen3_5;
mod qwen3_5_moe;
mod qwen3_moe;
mod qwen3_next;
pub(crate) use models::MODELS;
pub(crate) use more_models::MODELS as MORE_MODELS;
pub(crate) use qwen2::QWEN2;
pub(crate) use qwen2_moe::QWEN2_MOE;
pub(crate) use qwen3::QWEN3;
pub(crate) use qwen3_5::QWEN3_5;
pub(crate) use qwen3_5_moe::QWEN3_5_MOE;
pub(crate) use qwen3_moe::QWEN3_MOE;
pub(crate) use qwen3_next::QWEN3_NEXT;

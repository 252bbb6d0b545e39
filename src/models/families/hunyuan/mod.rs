//! Hunyuan and its kin.

mod hunyuan_v1_dense;
mod hunyuan_v1_moe;
mod hy_v3;
mod models;
pub(crate) use hunyuan_v1_dense::HUNYUAN_V1_DENSE;
pub(crate) use hunyuan_v1_moe::HUNYUAN_V1_MOE;
pub(crate) use hy_v3::HY_V3;
pub(crate) use models::MODELS;

//! Glm and its kin.

mod glm4;
mod glm4_moe;
mod glm4_moe_lite;
mod glm_moe_dsa;
mod models;
mod record;
pub(crate) use glm_moe_dsa::GLM_MOE_DSA;
pub(crate) use glm4::GLM4;
pub(crate) use glm4_moe::GLM4_MOE;
pub(crate) use glm4_moe_lite::GLM4_MOE_LITE;
pub(crate) use models::MODELS;
pub(crate) use record::GLM;

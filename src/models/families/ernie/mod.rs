//! Ernie and its kin.

mod ernie4_5;
mod ernie4_5_moe;
mod models;
pub(crate) use ernie4_5::ERNIE4_5;
pub(crate) use ernie4_5_moe::ERNIE4_5_MOE;
pub(crate) use models::MODELS;

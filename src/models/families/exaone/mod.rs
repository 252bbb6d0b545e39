//! Exaone and its kin.

mod exaone4;
mod exaone_moe;
mod models;
pub(crate) use exaone_moe::EXAONE_MOE;
pub(crate) use exaone4::EXAONE4;
pub(crate) use models::MODELS;

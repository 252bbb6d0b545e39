//! Minimax and its kin.

mod minimax_m2;
mod models;
pub(crate) mod reader;
mod record;
pub(crate) use minimax_m2::MINIMAX_M2;
pub(crate) use models::MODELS;
pub(crate) use record::MINIMAX;

//! Olmo and its kin.

mod flex_olmo;
mod models;
mod olmo2;
pub(crate) mod olmo2_reader;
mod olmo3;
mod olmo_hybrid;
pub(crate) mod olmo_hybrid_reader;
mod olmoe;
mod record;
pub(crate) use flex_olmo::FLEX_OLMO;
pub(crate) use models::MODELS;
pub(crate) use olmo_hybrid::OLMO_HYBRID;
pub(crate) use olmo2::OLMO2;
pub(crate) use olmo3::OLMO3;
pub(crate) use olmoe::OLMOE;
pub(crate) use record::OLMO;

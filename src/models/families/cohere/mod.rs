//! Cohere and its kin.

mod cohere2;
mod cohere2_moe;
mod models;
mod record;
pub(crate) use cohere2::COHERE2;
pub(crate) use cohere2_moe::COHERE2_MOE;
pub(crate) use models::MODELS;
pub(crate) use record::COHERE;

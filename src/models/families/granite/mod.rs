//! Granite and its kin.

mod granite_swa;
mod granitemoe;
mod granitemoe_swa;
mod granitemoehybrid;
mod granitemoeshared;
mod models;
mod record;
pub(crate) use granite_swa::GRANITE_SWA;
pub(crate) use granitemoe::GRANITEMOE;
pub(crate) use granitemoe_swa::GRANITEMOE_SWA;
pub(crate) use granitemoehybrid::GRANITEMOEHYBRID;
pub(crate) use granitemoeshared::GRANITEMOESHARED;
pub(crate) use models::MODELS;
pub(crate) use record::GRANITE;

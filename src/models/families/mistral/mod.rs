//! Mistral and its kin.

mod ministral;
mod ministral3;
mod mistral4;
mod mixtral;
mod models;
mod more_models;
mod record;
pub(crate) use ministral::MINISTRAL;
pub(crate) use ministral3::MINISTRAL3;
pub(crate) use mistral4::MISTRAL4;
pub(crate) use mixtral::MIXTRAL;
pub(crate) use models::MODELS;
pub(crate) use more_models::MODELS as MORE_MODELS;
pub(crate) use record::MISTRAL;

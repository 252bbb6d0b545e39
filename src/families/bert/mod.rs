//! BERT and its kin.

mod eager;
mod esm;
mod esm_reader;
mod layer;
mod layoutlm;
mod models;
pub(crate) mod modules;
mod mpnet;
mod network;
mod nomic;
mod nomic_reader;
mod pre_norm;
mod pre_norm_reader;
pub(crate) mod reader;

pub(crate) use eager::WrittenOutBert;
pub(crate) use esm::EsmModel;
pub(crate) use layer::ResidualNorm;
pub(crate) use layoutlm::LayoutLm;
pub(crate) use mpnet::Mpnet;
pub(crate) use network::{Bert, position_ids};
pub(crate) use nomic::NomicBert;
pub(crate) use pre_norm::PreNormBert;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{
    ALBERT, BERT, DATA2VEC_TEXT, DEBERTA, DEBERTA_V2, ELECTRA, ERNIE, ESM, LAYOUTLM, MEGATRON_BERT,
    MPNET, NOMIC_BERT, REMBERT, ROBERTA, ROBERTA_PRELAYERNORM, ROFORMER, XLM_ROBERTA_XL,
};

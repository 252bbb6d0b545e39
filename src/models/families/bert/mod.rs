//! BERT and its kin.

mod eager;
mod esm;
mod esm_reader;
mod layer;
mod layoutlm;
mod models;
mod mpnet;
mod network;
mod nomic;
mod nomic_reader;
mod pre_norm;
pub(crate) mod reader;

pub(crate) use eager::build_written_out;
pub(crate) use esm::build_esm;
pub(crate) use layer::ResidualNorm;
pub(crate) use layoutlm::build_layoutlm;
pub(crate) use mpnet::build_mpnet;
pub(crate) use network::{build, position_ids};
pub(crate) use nomic::build_nomic;
pub(crate) use pre_norm::build_pre_norm;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{
    ALBERT, BERT, DATA2VEC_TEXT, DEBERTA, DEBERTA_V2, ELECTRA, ERNIE, ESM, LAYOUTLM, MEGATRON_BERT,
    MPNET, NOMIC_BERT, REMBERT, ROBERTA, ROBERTA_PRELAYERNORM, ROFORMER, XLM_ROBERTA_XL,
};

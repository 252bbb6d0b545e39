//! flash-linear-attention's models.

mod attention;
mod attention_reader;
mod block;
pub(crate) mod config;
mod conv;
mod decay;
mod delta_net;
mod gla;
mod hgrn;
mod hgrn2;
mod mamba2;
mod models;
mod network;
mod norm;
pub(crate) mod reader;
mod rotary;

pub(crate) use network::build;

mod records;
pub(crate) use models::MODELS;
pub(crate) use records::{
    DELTA_NET, FLA_MAMBA, FLA_MAMBA2, FLA_TRANSFORMER, GATED_DELTANET, GLA, HGRN, HGRN2, RETNET,
};

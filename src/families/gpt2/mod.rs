//! GPT-2, GPT-Neo, GPT-J, `CodeGen` and `StarCoder`.

mod attention;
mod gpt_bigcode_attention;
mod models;
mod network;
pub(crate) mod reader;
mod wide_attention;

pub(crate) use network::Gpt2;

mod codegen;
mod gpt_bigcode;
mod gpt_neo;
mod gptj;
mod record;
pub(crate) use codegen::CODEGEN;
pub(crate) use gpt_bigcode::GPT_BIGCODE;
pub(crate) use gpt_neo::GPT_NEO;
pub(crate) use gptj::GPTJ;
pub(crate) use models::MODELS;
pub(crate) use record::GPT2;

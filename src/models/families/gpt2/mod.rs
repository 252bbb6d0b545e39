//! GPT-2, GPT-Neo, GPT-J, `CodeGen` and `StarCoder`.

mod attention;
mod gpt_bigcode_attention;
mod kind;
mod models;
mod network;
pub(crate) mod reader;
mod wide_attention;

pub(crate) use network::{build, build_big_code, build_code_gen, build_j, build_neo};

mod codegen;
mod gpt_bigcode;
mod gpt_neo;
mod gptj;
mod record;
mod support;
pub(crate) use codegen::CODEGEN;
pub(crate) use gpt_bigcode::GPT_BIGCODE;
pub(crate) use gpt_neo::GPT_NEO;
pub(crate) use gptj::GPTJ;
pub(crate) use models::MODELS;
pub(crate) use record::GPT2;
pub(crate) use support::{EAGER_ATTENTION, EAGER_OR_FLASH};

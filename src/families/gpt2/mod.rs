//! GPT-2, GPT-Neo, GPT-J, `CodeGen` and `StarCoder`.

mod attention;
mod gpt_bigcode;
mod network;
pub(crate) mod reader;
mod wide_attention;

pub(crate) use network::Gpt2;

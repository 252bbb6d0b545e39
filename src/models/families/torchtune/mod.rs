//! torchtune's own models: a decoder of its modules for each of several families of transformers.
//!
//! Tensors saved for backward differ from transformers' modules: norms are `torch.nn.functional.rms_norm` of float32 with a
//! weight in half precision, positions rotate columns by a table that all layers share, keys and values are
//! repeated to all heads, and Gemma 2 attends by products in full.
//!
//! Source: `torchtune/modules` and `torchtune/models`, torchtune 0.6.1.

mod attention;
mod gemma2_attention;
mod layer;
mod network;
mod records;
mod rotary;

pub(crate) use attention::block_mask;
pub(crate) use network::build;
pub use records::has_modules;
pub(crate) use records::{GEMMA, GEMMA2, LLAMA, LLAMA3_1, PHI3, QWEN2, take_over};

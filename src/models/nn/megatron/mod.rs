//! Megatron-Core's own modules: a GPT model of any sizes, built as `get_gpt_layer_local_spec` says.
//!
//! They are a description of the library, not of a family: one model serves all that it can build. Ranks divide
//! heads, columns of MLPs and the vocabulary; with sequence parallelism tensors between layers along the
//! sequence; experts by number. No kernel is fused; norms are one kernel. Tensors have the sequence first.
//!
//! Source: `megatron/core/{models/gpt,transformer,tensor_parallel}`, megatron-core 0.16.1.

mod attention;
mod config;
mod dispatcher;
mod embedding;
mod gathering;
mod layer;
mod linear;
mod memory;
mod mlp;
mod model;
mod modules;
mod moe;
mod rotary;
mod router;

pub use config::{StageLayers, TransformerConfig};
pub use model::GptModel;

//! The architectures, module by module, written the way the PyTorch modules they mirror read.
//!
//! A model is built on a tape (which allocates its parameters and buffers in the order in which
//! its `__init__` does) and then run forward. Modules are built with a [`builder::Builder`], which
//! knows where in the model they stand: so parts can be frozen by name without any architecture
//! knowing of it. The room knows no training loop and no optimizer.
//!
//! Source: transformers 5.23, `models/*/modeling_*.py`; what other versions do differently is
//! asked of [`Facts`].

mod activation;
mod adapted;
mod alibi;
mod all_experts;
mod attention;
mod attention_sinks;
mod balance;
mod bart;
mod bart_attention;
mod bart_layer;
mod bert;
mod bert_esm;
mod bert_layer;
mod bert_pre_norm;
mod bloom;
mod builder;
mod call;
mod causal;
mod causal_conv;
mod chunk_scan;
mod classifier;
mod conv1d;
mod deberta;
mod deberta_layer;
mod decoder;
mod decoders;
mod distilbert;
mod distilbert_layer;
mod dora;
mod dual;
mod dual_head;
mod encoders;
mod expert_loop;
mod facts;
mod falcon;
mod falcon_attention;
mod families;
mod feed_forward;
mod fla;
mod flash;
mod four_bit;
mod gated_delta;
mod gated_mlp;
mod gemma_experts;
mod generation;
mod gpt2;
mod gpt2_attention;
mod gpt_bigcode;
mod gpt_neox;
mod grouped_experts;
mod heads;
mod int8;
mod latent_attention;
mod layer;
mod layer_inputs;
mod layers;
mod linear;
mod lora;
mod loss;
mod mamba;
mod mamba2;
mod mamba_before_5;
mod mamba_scan;
mod mask;
mod mask_blocks;
mod mask_both_sides;
mod mask_triangle;
mod model;
mod modernbert;
mod modernbert_layer;
mod moe;
mod mpnet;
mod mpt;
mod norm;
mod opt;
mod patches;
mod phi;
mod phi3;
mod plain_mlp;
mod quantized;
mod rotary;
mod rotary_attention;
mod rotary_pairs;
mod router;
mod seq2seq;
mod shared;
mod sharing_attention;
mod short_conv;
mod sight;
mod sight_packed;
mod sight_places;
mod sparse_mixer;
mod style;
mod swin;
mod swin_layer;
mod t5;
mod t5_attention;
mod t5_block;
mod tower;
mod turned_rows;
mod vit;
mod vit_layer;
mod whisper;
mod wide_attention;
mod wrapped;
mod xielu;

pub use generation::{Calling, GenerateVersion};
pub use model::{Batch, Model, Output, Request};

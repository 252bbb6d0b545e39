//! What is asked and what is true.
//!
//! A [`Scenario`] is intent: what a person, a URL or a file asks for, incomplete and possibly
//! wrong. [`resolve`] checks it against the catalog and turns it into a [`ResolvedSpec`]: every
//! default filled in, every limit checked, every name looked up. Nothing below this room ever
//! sees a `Scenario`.
//!
//! Invariants: a `ResolvedSpec` exists only if `resolve` made it; all its products of sizes fit
//! in `u64` with room to spare; a [`Finding`] of severity error means that there is no spec.

mod activation;
mod adapters;
mod allocator;
mod apply;
mod attention_masks;
mod attention_support;
mod bart;
mod beit;
mod bert;
mod bert_esm;
mod bert_modules;
mod bert_pre_norm;
mod bloom;
mod chunked_loss;
mod classifier;
mod closest;
mod config_fields;
mod conv_nets;
mod data;
mod deberta;
mod decoder;
mod decoder_type;
mod deepseek;
mod differential;
mod distilbert;
mod doge;
mod dual;
mod essential;
mod eurobert;
mod evaluation;
mod expert_adapters;
mod expert_modules;
mod expert_support;
mod experts;
mod falcon;
mod finding;
mod fla;
mod fla_attention;
mod fla_config;
mod fla_modules;
mod gemma;
mod gemma3n;
mod gemma_layers;
mod gpt2;
mod gpt_neox;
mod guess;
mod hardware;
mod host_settings;
mod hybrid;
mod idle;
mod image_size;
mod image_text;
mod image_text_crossed;
mod image_text_decoder;
mod image_text_intern;
mod image_text_joined;
mod image_text_packed;
mod image_text_refused;
mod image_text_tiles;
mod image_text_whole;
mod indexer;
mod jetmoe;
mod kin;
mod layer_names;
mod liger;
mod limits;
mod llama;
mod llama4;
mod lora;
mod machine;
mod mamba;
mod minimax;
mod model;
mod modernbert;
mod modules;
mod mpt;
mod nemotron_h;
mod nomic_bert;
mod offers;
mod offload;
mod olmo2;
mod olmo_hybrid;
mod opt;
mod optimizer;
mod parallelism;
mod phi;
mod phi3;
mod places;
mod quantization;
mod readers;
mod refused;
mod resolve;
mod resolved;
mod roundup;
mod routing;
mod scenario;
mod size_only;
mod sizes;
mod speech;
mod support;
mod swin;
mod t5;
mod t5gemma;
mod task;
mod training;
mod versions;
mod vit;
mod weights;
mod whisper;
mod windows;

pub use activation::Activation;
pub use adapters::ALL_LINEAR;
pub use bart::{BartConfig, BartKind, BartStack};
pub use beit::BeitConfig;
pub use bert::{BertConfig, BertKind, Relative};
pub use bert_esm::Esm;
pub use bert_pre_norm::PreNorm;
pub use closest::closest;
pub use conv_nets::{ConvNetConfig, ConvNetKind};
pub use data::{ArrowPool, DataLoader, Dataset, DatasetMode, MultiprocessingContext};
pub use decoder::{DecoderConfig, Dropout, FusedHeads, InnerNorms, Mixing, ScanHeads, StateSpace};
pub use decoder_type::DecoderType;
pub use deepseek::{Latent, LatentRotary};
pub use differential::LAMBDAS;
pub use distilbert::DistilBertConfig;
pub use doge::RESIDUALS;
pub use dual::{DualConfig, DualKind, TextTower, TowerConfig};
pub use essential::essential_config;
pub use eurobert::{EuroBertConfig, Pooling};
pub use evaluation::{Evaluation, EvaluationKind, takes_logits_to_keep};
pub use expert_modules::{AFTER_EXPERTS, LATENT, PLAIN};
pub use experts::{ExpertForm, Experts, SharedForm};
pub use finding::{Finding, Fix, Severity};
pub use fla::{FlaAttention, FlaConfig, FlaFused, FlaMixer, FlaStateSpace};
pub use gemma_layers::{GEMMA_NORMS, GemmaLayers, KeysAndValues};
pub use gemma3n::AltUp;
pub use gpt2::mlp_names;
pub use host_settings::{Checkpoint, HostSettings, Libraries, Saving, TokenizerKind};
pub use idle::{Idle, idle};
pub use image_text::{ImageConfig, ImageKind};
pub use image_text_crossed::{CrossedConfig, ROWS_OF_IMAGES};
pub use image_text_intern::InternConfig;
pub use image_text_joined::JoinedConfig;
pub use image_text_packed::{DeepConfig, PackedConfig};
pub use image_text_whole::WholeConfig;
pub use indexer::Indexer;
pub use layer_names::{BESIDE, LayerNames, MlpNames, Piece};
pub use liger::{LigerKernel, LigerKernels};
pub use lora::Lora;
pub use machine::{AllocatorSettings, Hardware};
pub use modernbert::{ModernBertBiases, ModernBertConfig};
pub use modules::{Module, ModuleKind, modules};
pub use offers::{offers, usual_adapters};
pub use offload::Offload;
pub use opt::decoder_names;
pub use parallelism::{DataParallel, DataParallelKind, OffloadDevice, Parallelism};
pub use places::has_places;
pub use quantization::{ComputeDtype, Quantization, QuantizationType};
pub use resolve::{Resolution, resolve};
pub use resolved::*;
pub use roundup::{ROUNDUP_INTERVALS, RoundupDivisions};
pub use routing::{Correction, Groups, LogitsDtype, Routing, SigmoidScores};
pub use scenario::*;
pub use speech::{SpeechConfig, SpeechKind};
pub use swin::SwinConfig;
pub use t5::{T5Config, T5Kind};
pub use t5gemma::T5GemmaConfig;
pub use vit::{VitConfig, VitKind};
pub use whisper::Recordings;

#[cfg(test)]
mod published;
#[cfg(test)]
mod published_decoders;
#[cfg(test)]
mod published_heard;
#[cfg(test)]
mod published_mixers;
#[cfg(test)]
mod published_texts;
#[cfg(test)]
mod published_towers;
mod repetition;
#[cfg(test)]
mod tests;

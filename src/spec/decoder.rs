//! Decoders beyond the Llama family: their sizes and options, and which reader and which list of
//! modules belongs to which `model_type`.

use super::config_fields::ConfigFields;
use super::gpt2;
use super::modules::Module;

/// A decoder as transformers configures it. Fields that an architecture does not have are at
/// their neutral value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecoderConfig {
    /// Which architecture.
    pub model_type: DecoderType,
    /// H.
    pub hidden_size: u64,
    /// F.
    pub intermediate_size: u64,
    /// L.
    pub num_hidden_layers: u64,
    /// A.
    pub num_attention_heads: u64,
    /// K.
    pub num_key_value_heads: u64,
    /// D.
    pub head_dim: u64,
    /// V.
    pub vocab_size: u64,
    /// Rows of the table of learned positions.
    pub position_rows: u64,
    /// Whether `lm_head` shares the embedding's weight.
    pub tie_word_embeddings: bool,
    /// Sliding window of the layers that have one.
    pub sliding_window: Option<u64>,
    /// Where dropout is active in training.
    pub dropout: Dropout,
}

/// Where dropout has a probability above zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropout {
    /// On the embeddings.
    pub embedding: bool,
    /// On attention probabilities.
    pub attention: bool,
    /// On what is added to the residual stream.
    pub residual: bool,
}

/// The decoders that are read into a [`DecoderConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecoderType {
    /// GPT-2.
    Gpt2,
}

/// Reads the config of a decoder. What is wrong is pushed to `fields`.
pub(super) fn read(model_type: DecoderType, fields: &mut ConfigFields<'_>) -> DecoderConfig {
    match model_type {
        DecoderType::Gpt2 => gpt2::read(fields),
    }
}

/// All modules with parameters, in the order in which they are built.
pub(super) fn modules(config: &DecoderConfig) -> Vec<Module> {
    match config.model_type {
        DecoderType::Gpt2 => gpt2::modules(config),
    }
}

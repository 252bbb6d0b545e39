//! T5 and `T5Gemma`.

use super::activation::Activation;
use super::decoder::DecoderConfig;
use super::family::Family;

/// `T5Gemma` as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct T5GemmaConfig {
    /// The family that it is of.
    pub family: &'static Family,
    /// The encoder's layers, whose tokens see those on both sides.
    pub encoder: DecoderConfig,
    /// The decoder's, each of which attends to the encoder's result, too.
    pub decoder: DecoderConfig,
    /// Whether dropout is active in training.
    pub dropout: bool,
    /// Whether the head is tied to the decoder's embedding.
    pub tie_word_embeddings: bool,
}

/// A relative of T5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum T5Kind {
    /// T5.
    T5,
    /// mT5.
    Mt5,
    /// UMT5, each of whose layers has biases of its own.
    Umt5,
}

/// T5 as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct T5Config {
    /// The family that it is of.
    pub family: &'static Family,
    /// Whether it is mT5, which from transformers 5 on never scales what goes into the head.
    pub kind: T5Kind,
    /// H.
    pub d_model: u64,
    /// D.
    pub d_kv: u64,
    /// F.
    pub d_ff: u64,
    /// Layers of the encoder.
    pub num_layers: u64,
    /// Layers of the decoder.
    pub num_decoder_layers: u64,
    /// A.
    pub num_heads: u64,
    /// V.
    pub vocab_size: u64,
    /// Rows of the table of relative positions.
    pub relative_attention_num_buckets: u64,
    /// Whether the feed-forward layer has a gate.
    pub gated: bool,
    /// Its function.
    pub activation: Activation,
    /// Whether the config ties the head to the embedding; transformers 5 always does.
    pub tie_word_embeddings: bool,
    /// Whether dropout is active in training.
    pub dropout: bool,
}

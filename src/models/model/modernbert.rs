//! `ModernBERT`, an encoder or a decoder.

use super::activation::Activation;
use super::family::Family;
use super::options::Dropout;

/// `ModernBERT` as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModernBertConfig {
    /// The family that it is of.
    pub family: &'static Family,
    /// Whether tokens see earlier ones only.
    pub decoder: bool,
    /// H.
    pub hidden_size: u64,
    /// F.
    pub intermediate_size: u64,
    /// A.
    pub num_attention_heads: u64,
    /// D.
    pub head_dim: u64,
    /// V.
    pub vocab_size: u64,
    /// For each layer, whether it attends to near tokens only.
    pub windowed: Vec<bool>,
    /// Tokens on each side that such a layer sees.
    pub window: u64,
    /// Whether attention, feed-forward layers, norms, the head's first layer and its table of tokens
    /// have biases.
    pub biases: ModernBertBiases,
    /// The function of feed-forward layers.
    pub activation: Activation,
    /// The function of the head.
    pub classifier_activation: Activation,
    /// Places of dropout that is active in training; that of the residual is inside feed-forward layers.
    pub dropout: Dropout,
    /// Whether what a classifier reads is dropped out.
    pub classifier_dropout: bool,
    /// Whether a classifier reads the mean of all tokens, not the first.
    pub mean_pooling: bool,
    /// Whether the head's table of tokens is the embedding's.
    pub tie_word_embeddings: bool,
    /// Whether parts are compiled where Triton is installed (transformers 4).
    pub compiled: bool,
    /// Classes of a classifier.
    pub num_labels: u64,
}

/// The layers of `ModernBERT` that have biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "one for each kind of layer")]
pub struct ModernBertBiases {
    /// Of attention.
    pub attention: bool,
    /// Of feed-forward layers.
    pub mlp: bool,
    /// Of norms.
    pub norm: bool,
    /// Of the head's first layer.
    pub classifier: bool,
    /// Of the head that predicts tokens.
    pub decoder: bool,
}

//! `EuroBERT`.

use super::family::Family;
/// `EuroBERT` as transformers configures it: an encoder of Llama's layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EuroBertConfig {
    /// The family that it is of.
    pub family: &'static Family,
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
    /// Whether linear layers of attention have biases.
    pub attention_bias: bool,
    /// Whether projections of feed-forward layers and of the head have a bias.
    pub mlp_bias: bool,
    /// Whether attention's weights are dropped out in training.
    pub attention_dropout: bool,
    /// Whether the head's table of tokens is the embedding's.
    pub tie_word_embeddings: bool,
    /// The input of a classifier of texts.
    pub pooling: Pooling,
    /// Classes of a classifier.
    pub num_labels: u64,
}

/// The input of a classifier of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// All tokens, of whose classes it takes the mean.
    Late,
    /// The mean of all tokens.
    Mean,
    /// The first token.
    First,
}

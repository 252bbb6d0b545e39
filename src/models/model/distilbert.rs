//! `DistilBERT`.

use super::activation::Activation;
use super::family::Family;
use super::options::Dropout;

/// `DistilBERT` as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistilBertConfig {
    /// The family that it is of.
    pub family: &'static Family,
    /// H.
    pub dim: u64,
    /// F.
    pub hidden_dim: u64,
    /// L.
    pub n_layers: u64,
    /// A.
    pub n_heads: u64,
    /// D.
    pub head_dim: u64,
    /// V.
    pub vocab_size: u64,
    /// Rows of the table of positions.
    pub max_position_embeddings: u64,
    /// The function of feed-forward layers and of the head.
    pub activation: Activation,
    /// Places of dropout that is active in training; that of embeddings is that of the residual.
    pub dropout: Dropout,
    /// Whether what a classifier reads is dropped out.
    pub classifier_dropout: bool,
    /// Whether what finds answers reads is dropped out.
    pub qa_dropout: bool,
    /// Classes of a classifier.
    pub num_labels: u64,
}

//! `BEiT` and data2vec-vision.

use super::activation::Activation;
use super::family::Family;
use super::options::Dropout;

/// `BEiT` as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeitConfig {
    /// The family that it is of.
    pub family: &'static Family,
    /// Whether it is data2vec's, written as `BEiT` was in transformers 4.
    pub data2vec: bool,
    /// H.
    pub hidden_size: u64,
    /// F.
    pub intermediate_size: u64,
    /// L.
    pub num_hidden_layers: u64,
    /// A.
    pub num_attention_heads: u64,
    /// D.
    pub head_dim: u64,
    /// Pixels along each side of an image.
    pub image_size: u64,
    /// Pixels along each side of a patch.
    pub patch_size: u64,
    /// Channels of an image.
    pub num_channels: u64,
    /// Whether there is a mask token, which classifiers have and do not use.
    pub mask_token: bool,
    /// Whether positions have embeddings.
    pub absolute: bool,
    /// Whether each layer has biases for distances.
    pub relative: bool,
    /// Whether all layers share such biases.
    pub shared: bool,
    /// Whether results of attention and feed-forward are multiplied by learned numbers.
    pub scales: bool,
    /// Whether whole samples are dropped from the results of layers but the first.
    pub drops_paths: bool,
    /// Whether the classifier reads the mean of all patches, where it reads the first token otherwise.
    pub mean_pooling: bool,
    /// The function of feed-forward layers.
    pub activation: Activation,
    /// Places of dropout that is active in training.
    pub dropout: Dropout,
    /// Classes.
    pub num_labels: u64,
}

impl BeitConfig {
    /// Tokens of an image: its patches and one for the class.
    pub fn tokens(&self) -> u64 {
        (self.image_size / self.patch_size).pow(2) + 1
    }

    /// Distances between two patches, of which each has a bias, along one side.
    pub fn distances(&self) -> u64 {
        2 * (self.image_size / self.patch_size) - 1
    }
}

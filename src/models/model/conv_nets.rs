//! `ConvNeXT` and `ResNet`.

use super::activation::Activation;
use super::family::Family;

/// A network of convolutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvNetKind {
    /// `ConvNeXT`.
    ConvNext,
    /// `ConvNeXT` V2, whose layers weigh channels by their size.
    ConvNextV2,
    /// `ResNet`.
    ResNet,
}

/// A network of convolutions with a classifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvNetConfig {
    /// The family that it is of.
    pub family: &'static Family,
    /// The network.
    pub kind: ConvNetKind,
    /// Pixels along each side of an image.
    pub image_size: u64,
    /// Channels of an image.
    pub num_channels: u64,
    /// Pixels along each side of a patch, of `ConvNeXT`.
    pub patch_size: u64,
    /// Channels that `ResNet` begins with.
    pub embedding_size: u64,
    /// Channels and layers of each stage.
    pub stages: Vec<[u64; 2]>,
    /// The function between layers.
    pub activation: Activation,
    /// Whether the results of layers are multiplied by learned numbers.
    pub scales: bool,
    /// Whether whole samples are dropped from the results of layers but the first.
    pub drops_paths: bool,
    /// Whether layers of `ResNet` compute in fewer channels.
    pub bottleneck: bool,
    /// Whether its first stage has a stride.
    pub first_stage_strides: bool,
    /// Whether the first convolution of a layer has the stride.
    pub first_convolution_strides: bool,
    /// Classes.
    pub num_labels: u64,
}

impl ConvNetConfig {
    /// Channels of the last stage.
    pub fn last_width(&self) -> u64 {
        self.stages.last().map_or(1, |[width, _]| *width)
    }

    /// Positions of an image in the first stage.
    pub fn places(&self) -> u64 {
        self.image_size.div_ceil(4).pow(2)
    }

    /// An upper bound of the elements per such position in any layer: its channels times the positions that a kernel
    /// reads.
    pub fn widest(&self) -> u64 {
        let widths = self.stages.iter().map(|[width, _]| 9 * width);
        let first = 4 * (self.embedding_size + 49 * self.num_channels);
        widths.chain([first]).max().unwrap_or(1)
    }
}

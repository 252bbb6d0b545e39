//! Vision transformers over patches, and over spectrograms.

use super::activation::Activation;
use super::family::Family;
use super::options::Dropout;

/// The vision transformers that are read into a [`VitConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VitKind {
    /// `ViT`.
    Vit,
    /// `DeiT`, with a token to learn from a teacher.
    Deit,
    /// `DINOv2`.
    Dinov2,
    /// `DINOv2` with registers, tokens that stand for nothing.
    Dinov2Registers,
    /// `ViT` as masked siamese networks train it.
    Msn,
    /// The audio spectrogram transformer, which sees recordings as images.
    Ast,
}

impl VitKind {
    /// Whether it is one of the two kinds of `DINOv2`.
    pub fn of_dino(self) -> bool {
        matches!(self, Self::Dinov2 | Self::Dinov2Registers)
    }

    /// Whether there is a token to learn from a teacher.
    pub fn has_teacher(self) -> bool {
        matches!(self, Self::Deit | Self::Ast)
    }

    /// The names since transformers 5, or in 4.
    pub fn layer_names(self, recent: bool) -> VitNames {
        let usual = ["layernorm_before", "layernorm_after"];
        let (layers, norms) = match (self, recent) {
            (Self::Dinov2 | Self::Dinov2Registers, _) => (["encoder", "layer"], ["norm1", "norm2"]),
            (_, true) => (["", "layers"], usual),
            (_, false) => (["encoder", "layer"], usual),
        };
        VitNames { layers, norms }
    }
}

/// Names of a vision transformer's modules.
pub struct VitNames {
    /// The path of the module with the list of layers, and the list's name.
    pub layers: [&'static str; 2],
    /// The norms of a layer.
    pub norms: [&'static str; 2],
}

/// The sizes of a spectrogram, and the distance between its patches, which overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spectrogram {
    /// Frames of a recording.
    pub frames: u64,
    /// Bands of frequencies.
    pub bands: u64,
    /// Bands and frames from a patch to the next.
    pub strides: [u64; 2],
}

/// A vision transformer as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VitConfig {
    /// The family that it is of.
    pub family: &'static Family,
    /// Its kind.
    pub kind: VitKind,
    /// The spectrogram that it sees in the place of an image.
    pub spectrogram: Option<Spectrogram>,
    /// Whether feed-forward layers are gated.
    pub gated: bool,
    /// Whether there is a mask token, which classifiers have and do not use.
    pub mask_token: bool,
    /// Tokens that stand for nothing.
    pub registers: u64,
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
    /// The function of feed-forward layers.
    pub activation: Activation,
    /// Whether q, k and v have biases.
    pub qkv_bias: bool,
    /// Places of dropout that is active in training; that of embeddings is that of the residual.
    pub dropout: Dropout,
    /// Classes.
    pub num_labels: u64,
}

impl VitConfig {
    /// Patches of an image.
    pub fn patches(&self) -> u64 {
        if let Some(seen) = self.spectrogram {
            let places = |size: u64, stride| size.saturating_sub(self.patch_size) / stride + 1;
            let [down, across] = seen.strides;
            return places(seen.bands, down) * places(seen.frames, across);
        }
        let side = self.image_size / self.patch_size;
        side * side
    }

    /// Rows of the table of positions: one for each patch, for the class token, and for a teacher's token.
    pub fn positions(&self) -> u64 {
        self.patches() + 1 + u64::from(self.kind.has_teacher())
    }

    /// Tokens of an image: tokens that have a position, and registers.
    pub fn tokens(&self) -> u64 {
        self.positions() + self.registers
    }
}

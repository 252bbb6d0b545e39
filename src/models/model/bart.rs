//! BART and its kin, Whisper among them.

use super::activation::Activation;
use super::family::Family;
use super::options::Dropout;

/// A relative of BART.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BartKind {
    /// BART, whose norms come after the residual sums, and Whisper.
    Bart,
    /// mBART, whose norms come first.
    Mbart,
    /// PLBART, which is written as BART is and shifts labels as mBART does.
    Plbart,
    /// Blenderbot, whose norms come first.
    Blenderbot,
    /// Blenderbot Small, whose norms come last; its decoder's embeddings are normalized before positions
    /// are added.
    BlenderbotSmall,
    /// PEGASUS, the same with positions that are never trained.
    Pegasus,
    /// Marian, whose norms come last and whose positions are never trained.
    Marian,
    /// `M2M100` and NLLB, whose norms come first and whose positions are a buffer.
    M2m100,
}

impl BartKind {
    /// Whether norms come before the sublayers, and once more after all layers.
    pub fn norms_first(self) -> bool {
        matches!(
            self,
            Self::Mbart | Self::Pegasus | Self::M2m100 | Self::Blenderbot
        )
    }

    /// Whether embeddings are normalized.
    pub fn normalizes_embedding(self) -> bool {
        matches!(
            self,
            Self::Bart | Self::Mbart | Self::Plbart | Self::BlenderbotSmall
        )
    }

    /// Whether positions are sines of which a table holds the first rows alone, never trained.
    pub fn has_fixed_positions(self) -> bool {
        matches!(self, Self::Pegasus | Self::Marian)
    }

    /// Whether a table of positions begins with the first of them.
    pub fn counts_from_zero(self) -> bool {
        self.has_fixed_positions() || matches!(self, Self::Blenderbot | Self::BlenderbotSmall)
    }

    /// Whether labels are shifted so that the last one comes first.
    pub fn shifts_round(self) -> bool {
        matches!(self, Self::Mbart | Self::Plbart)
    }

    /// The defaults of its config.
    pub(crate) fn defaults(self) -> BartDefaults {
        let (encoder, decoder, positions) = match self {
            Self::Plbart => ([6, 3072, 12], [6, 3072, 12], 1024),
            Self::Blenderbot => ([2, 10_240, 32], [24, 10_240, 32], 128),
            Self::BlenderbotSmall => ([8, 2048, 16], [8, 2048, 16], 512),
            _ => ([12, 4096, 16], [12, 4096, 16], 1024),
        };
        BartDefaults {
            encoder,
            decoder,
            positions,
        }
    }
}

/// Defaults of BART's config.
pub(crate) struct BartDefaults {
    /// Layers of the encoder, their width and their heads.
    pub(crate) encoder: [u64; 3],
    /// Layers of the decoder, their width and their heads.
    pub(crate) decoder: [u64; 3],
    /// Positions.
    pub(crate) positions: u64,
}

/// BART as transformers configures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BartConfig {
    /// The family that it is of.
    pub family: &'static Family,
    /// The relative of BART.
    pub kind: BartKind,
    /// H.
    pub d_model: u64,
    /// V.
    pub vocab_size: u64,
    /// Rows of each table of positions.
    pub position_rows: u64,
    /// The encoder.
    pub encoder: BartStack,
    /// The decoder.
    pub decoder: BartStack,
    /// The function of feed-forward layers.
    pub activation: Activation,
    /// Whether what that function gives is dropped out.
    pub activation_dropout: bool,
    /// Other places of dropout that is active in training; that of embeddings is that of the residual.
    pub dropout: Dropout,
    /// Whether the config ties the head to the embedding.
    pub tie_word_embeddings: bool,
    /// Whether the decoder is alone (`BartForCausalLM`).
    pub alone: bool,
    /// Whether generation repeats nothing of its source (Blenderbot).
    pub repeats_nothing: bool,
    /// The recordings that the encoder hears, of Whisper.
    pub recordings: Option<Recordings>,
}

/// The sizes of an encoder or a decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BartStack {
    /// L.
    pub layers: u64,
    /// F.
    pub ffn_dim: u64,
    /// A.
    pub attention_heads: u64,
    /// D.
    pub head_dim: u64,
}

/// The recordings that Whisper hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recordings {
    /// Channels of the spectrogram.
    pub num_mel_bins: u64,
    /// Positions of the encoder, each for two frames of the spectrogram.
    pub max_source_positions: u64,
}

impl Recordings {
    /// Frames of a spectrogram.
    pub fn frames(&self) -> u64 {
        2 * self.max_source_positions
    }
}

//! wav2vec 2.0 and its kin.

use super::activation::Activation;
use super::family::Family;
use super::options::Dropout;

/// Who hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeechKind {
    /// wav2vec 2.0.
    Wav2Vec2,
    /// `HuBERT`.
    Hubert,
    /// `UniSpeech`, which is built as wav2vec 2.0 is.
    UniSpeech,
    /// `UniSpeech` that knows speakers, which always has a vector for masked positions.
    UniSpeechSat,
    /// `Data2VecAudio`, whose positions come of several convolutions.
    Data2Vec,
    /// `WavLM`, whose scores have gated biases for distances.
    WavLm,
}

/// A model that hears waveforms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeechConfig {
    /// The family that it is of.
    pub family: &'static Family,
    /// Its kind.
    pub kind: SpeechKind,
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
    /// Channels, kernel and stride of each convolution over the waveform.
    pub convolutions: Vec<[u64; 3]>,
    /// Whether those have biases.
    pub conv_bias: bool,
    /// Whether each of them has a norm over channels; else the first has one over time.
    pub layer_norms: bool,
    /// Whether what they give is normed before it is projected.
    pub projection_norm: bool,
    /// Places that a convolution of positions sees, and groups of its channels.
    pub positions: [u64; 2],
    /// Rows of the table of biases for distances (`WavLM`), else 0.
    pub buckets: u64,
    /// Convolutions of positions one after the other (`Data2VecAudio`), or 0 for one whose weight is
    /// normed.
    pub position_layers: u64,
    /// Whether norms come before attention and feed-forward.
    pub norms_first: bool,
    /// The function of convolutions.
    pub conv_activation: Activation,
    /// The activation of feed-forward layers.
    pub activation: Activation,
    /// Dropout of hidden states and attention; `embedding` is that of projected features.
    pub dropout: Dropout,
    /// Dropout inside of feed-forward layers.
    pub activation_dropout: bool,
    /// Dropout before the head.
    pub final_dropout: bool,
    /// Whether the model has the vector that replaces masked positions.
    pub has_mask: bool,
    /// Masks of `SpecAugment` along time, if there are any: a probability in millionths, positions of each,
    /// and the least number of them.
    pub time_masks: Option<[u64; 3]>,
    /// Whether there are masks along features.
    pub masks_features: bool,
    /// V.
    pub vocab_size: u64,
    /// Whether the loss of transcripts is the mean, where it is the sum otherwise.
    pub mean_loss: bool,
    /// Whether an infinite loss counts as zero.
    pub zero_infinity: bool,
    /// Columns that a classifier reads.
    pub classifier_proj_size: u64,
    /// Classes of a classifier.
    pub num_labels: u64,
}

impl SpeechConfig {
    /// Samples of the shortest waveform of which the encoder makes `positions` positions.
    pub fn samples(&self, positions: u64) -> u64 {
        self.after(0, positions)
    }

    /// Positions that the convolution `index` makes of `positions` of the one before, or of samples.
    fn after(&self, index: usize, positions: u64) -> u64 {
        let rest = self.convolutions.iter().skip(index).rev();
        rest.fold(positions, |positions, [_, kernel, stride]| {
            positions.saturating_sub(1) * stride + kernel
        })
    }

    /// Positions of S that are masked in training: as many spans as there can be, which do not overlap.
    pub fn masked(&self, positions: u64) -> u64 {
        let Some([millionths, length, least]) = self.time_masks else {
            return 0;
        };
        let spans = (millionths * positions)
            .div_ceil(1_000_000 * length)
            .max(least);
        spans.min(positions / length) * length
    }

    /// An upper bound of the elements per position in any layer: the channels of a convolution, or the inputs of its
    /// kernel.
    pub fn widest(&self) -> u64 {
        let columns = (0..self.convolutions.len()).map(|i| {
            let [channels, kernel, _] = self.convolutions[i];
            let before = i.checked_sub(1).map_or(1, |i| self.convolutions[i][0]);
            let ratio: u64 = self.convolutions[i + 1..]
                .iter()
                .map(|[_, _, stride]| stride)
                .product();
            (before * kernel).max(channels).saturating_mul(ratio)
        });
        let [places, groups] = self.positions;
        let of_positions = self.hidden_size / groups.max(1) * places;
        columns.chain([of_positions]).max().unwrap_or(1)
    }
}

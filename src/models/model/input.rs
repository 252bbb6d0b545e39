//! The inputs of a model.

use super::Architecture;

/// The first input of a model; images that come with texts are beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Features `[B, width]` of a linear layer.
    Features(u64),
    /// Token ids `[B, S]`.
    Tokens,
    /// Images `[B, C, I, I]`: C and I.
    Images([u64; 2]),
    /// Waveforms `[B, samples]`.
    Waveforms(u64),
    /// Spectrograms `[B, rows, columns]`, which come without a mask.
    Spectrograms([u64; 2]),
}

impl Architecture {
    /// Its input, where samples have `seq_len` positions.
    pub fn input(&self, seq_len: u64) -> Input {
        match self {
            Self::Linear(config) => Input::Features(config.in_features),
            Self::Speech(config) => Input::Waveforms(config.samples(seq_len)),
            Self::Bart(config) if let Some(recordings) = config.recordings => {
                Input::Spectrograms([recordings.num_mel_bins, recordings.frames()])
            }
            Self::Vit(config) if let Some(seen) = config.spectrogram => {
                Input::Spectrograms([seen.frames, seen.bands])
            }
            Self::Dual(config) if config.text.is_some() => Input::Tokens,
            _ => self.pixels().map_or(Input::Tokens, Input::Images),
        }
    }

    /// Whether recordings go into it whose spectrograms it is given, rather than their waveforms.
    pub fn reads_spectrograms(&self) -> bool {
        matches!(self.input(1), Input::Spectrograms(_))
    }
}

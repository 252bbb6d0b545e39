//! Layers that differ in size and share keys and values, and streams of hidden states beside each other (Gemma 3n and 4).

use super::decoder::DecoderConfig;
use std::borrow::Cow;

/// Streams of hidden states beside each other, and what each layer does with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AltUp {
    /// N, the streams, of which a layer computes with the first.
    pub streams: u64,
    /// Columns of the branch beside attention in low rank.
    pub laurel_rank: u64,
    /// Whether the corrected stream is scaled before the layer's input is mixed into it.
    pub scales: bool,
    /// For each layer, whether the gates of its MLP are cut where they are not among the largest.
    pub sparse: Vec<bool>,
}

/// How the layers of a Gemma differ from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GemmaLayers {
    /// D of layers that see everything.
    pub full_head_dim: u64,
    /// K of them.
    pub full_kv_heads: u64,
    /// Whether their values are their keys, before those are normalized.
    pub keys_are_values: bool,
    /// Layers at the end that read keys and values of a layer before.
    pub readers: u64,
    /// Whether their MLPs are twice as wide.
    pub wide_readers: bool,
    /// Columns that each layer reads of an embedding of its own; 0 if there is none.
    pub input_columns: u64,
    /// Rows of that embedding.
    pub input_rows: u64,
}

/// The origin and the destination of the keys and values of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeysAndValues {
    /// The layer makes its own.
    Own,
    /// The layer makes its own, and later layers read them.
    Kept,
    /// The layer reads the keys and values of the last layer of its kind that kept them.
    Read,
}

impl DecoderConfig {
    /// The config of layer `index` alone: heads and MLP have its sizes.
    pub fn of_layer(&self, index: usize) -> Cow<'_, Self> {
        let Some(layers) = &self.gemma_layers else {
            return Cow::Borrowed(self);
        };
        let mut own = self.clone();
        if !self.is_windowed(index) {
            own.head_dim = layers.full_head_dim;
            own.rotary_dim = layers.full_head_dim;
            own.num_key_value_heads = layers.full_kv_heads;
        }
        if layers.wide_readers && self.keys_and_values(index) == KeysAndValues::Read {
            own.intermediate_size *= 2;
        }
        Cow::Owned(own)
    }

    /// The origin of the keys and values of layer `index` (`kv_sharing_modes`).
    pub fn keys_and_values(&self, index: usize) -> KeysAndValues {
        let readers = self.gemma_layers.map_or(0, |layers| layers.readers);
        let first = usize::try_from(self.num_hidden_layers - readers).unwrap_or(usize::MAX);
        let alike = |other: usize| self.is_windowed(other) == self.is_windowed(index);
        match (index >= first, readers) {
            (true, _) => KeysAndValues::Read,
            (false, 1..) if !(index + 1..first).any(alike) => KeysAndValues::Kept,
            _ => KeysAndValues::Own,
        }
    }
}

/// The norms of a layer with experts: after the MLP, after the experts, before the experts.
pub const GEMMA_NORMS: [&str; 3] = [
    "post_feedforward_layernorm_1",
    "post_feedforward_layernorm_2",
    "pre_feedforward_layernorm_2",
];

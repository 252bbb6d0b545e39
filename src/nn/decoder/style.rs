//! How the parts of a causal language model around its layers are put together.

use crate::nn::attention::Grids;
use crate::nn::build::{Facts, MaskStyle, NormKind};

/// How an architecture is put together.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// The names of the model, of its embedding and of its last norm.
    pub(crate) names: [&'static str; 3],
    pub(crate) norm: NormKind,
    /// Whether the last norm also stands before the first layer.
    pub(crate) norm_before: bool,
    /// What the embedding is multiplied by.
    pub(crate) embedding_scale: EmbeddingScale,
    /// Whether cosines and sines stay in float32.
    pub(crate) wide_rotary: bool,
    /// Whether layers that do not attend are given no cosines and sines.
    pub(crate) turns_alone: bool,
    /// Whether there is a cosine for each pair of a head's columns, not for each column.
    pub(crate) rotary_by_pair: bool,
    /// Whether angles are complex numbers.
    pub(crate) complex_rotary: bool,
    /// How angles are made for a token's place in time, height and width, which are the same in text.
    pub(crate) grids: Grids,
    /// Whether the frequencies of angles are made in each forward pass.
    pub(crate) remade_rotary: bool,
    /// Whether the loss takes logits in the dtype that they have.
    pub(crate) narrow_loss: bool,
    /// Whether the head reads the hidden states without indexing them.
    pub(crate) whole_head: bool,
    /// Whether the head has a bias.
    pub(crate) head_bias: bool,
    /// Whether logits are cast to float32.
    pub(crate) wide_logits: bool,
    /// Whether logits are cast to float32 where there are labels.
    pub(crate) widened_for_loss: bool,
    /// Whether logits are multiplied by a number.
    pub(crate) scaled_logits: bool,
    /// Whether the head reads hidden states divided by a number.
    pub(crate) scaled_hidden: bool,
    /// Which masks are made.
    pub(crate) masks: Masks,
    /// How they are made.
    pub(crate) masking: MaskStyle,
    /// Whether windowed layers have rotary embeddings of their own.
    pub(crate) local_rotary: bool,
    /// Whether layers are checkpointed where that is asked for.
    pub(crate) checkpoints: bool,
    /// Whether layers are given the positions of tokens, which they only hold.
    pub(crate) passes_positions: bool,
    /// Whether the mask is looked through for layers without attention.
    pub(crate) looks_for_padding: bool,
}

impl Style {
    /// Llama's, which most families differ from in little.
    pub(crate) fn llama(facts: Facts) -> Self {
        Self {
            names: ["model", "embed_tokens", "norm"],
            norm: NormKind::Llama,
            norm_before: false,
            embedding_scale: EmbeddingScale::None,
            wide_rotary: false,
            turns_alone: false,
            rotary_by_pair: false,
            complex_rotary: false,
            grids: Grids::None,
            remade_rotary: false,
            narrow_loss: false,
            whole_head: false,
            head_bias: false,
            wide_logits: false,
            widened_for_loss: false,
            scaled_logits: false,
            scaled_hidden: false,
            masks: Masks::One,
            masking: facts.mask_style(),
            local_rotary: false,
            checkpoints: true,
            passes_positions: true,
            looks_for_padding: false,
        }
    }
}

/// What an embedding is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmbeddingScale {
    /// Nothing.
    None,
    /// A number in a buffer.
    Buffer,
    /// A number on the host.
    Number,
    /// A number on the host, after positions and masks are made; the embedding stays.
    Late,
    /// The same, and the embedding goes.
    Replaced,
}

/// The masks that a model makes for its layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Masks {
    /// One, windowed if the config has a window.
    One,
    /// One, whether attention could do without it or not.
    Always,
    /// One for full and one for windowed layers, whether there are such layers or not.
    Both,
    /// One for full layers and one for layers that see a chunk.
    Chunked,
    /// One without a window, which is always made; windowed layers make theirs from it.
    Narrowed,
}

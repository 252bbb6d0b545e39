//! flash-linear-attention's models.

use super::decoder::StateSpace;
use super::family::Family;

/// A model of flash-linear-attention: layers that mix tokens by a recurrence, each with an MLP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlaConfig {
    /// The family that it is of.
    pub family: &'static Family,
    /// How tokens are mixed.
    pub mixer: FlaMixer,
    /// H.
    pub hidden_size: u64,
    /// F.
    pub intermediate_size: u64,
    /// L.
    pub num_hidden_layers: u64,
    /// Heads.
    pub num_heads: u64,
    /// Columns of a head's keys.
    pub head_k_dim: u64,
    /// Columns of a head's values.
    pub head_v_dim: u64,
    /// V.
    pub vocab_size: u64,
    /// Whether `lm_head` shares the embedding's weight.
    pub tie_word_embeddings: bool,
    /// Tokens that the short convolutions of queries, keys and values reach, if there are any.
    pub short_conv: Option<u64>,
    /// Whether the mixer's result is gated.
    pub output_gate: bool,
    /// Whether the norm of the mixer's result has a weight.
    pub affine: bool,
    /// Positions for which layers with attention keep cosines and sines at least.
    pub max_position_embeddings: u64,
    /// Whether tokens go through the recurrence one by one where the library does not choose
    /// (`attn_mode` of HGRN).
    pub one_by_one: bool,
    /// Whether the forget gates of a layer have a bound that is learned for all layers together.
    pub lower_bounds: bool,
    /// Layers with attention in the place of the mixer.
    pub attention: Vec<FlaAttention>,
    /// The state space that mixes tokens, in layers without an MLP.
    pub state_space: Option<FlaStateSpace>,
    /// Parts that run in fused kernels.
    pub fused: FlaFused,
}

/// Sizes and options of Mamba and Mamba 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlaStateSpace {
    /// The sizes; heads are Mamba 2's.
    pub sizes: StateSpace,
    /// Whether the projections have a bias.
    pub bias: bool,
}

/// Layers with attention of the flash-attn package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlaAttention {
    /// Their indices.
    pub layers: Vec<u64>,
    /// Heads of queries.
    pub num_heads: u64,
    /// Heads of keys and values.
    pub num_kv_heads: u64,
    /// Whether the projections to queries, keys and values have a bias.
    pub qkv_bias: bool,
    /// Whether heads of queries and keys are normalized.
    pub qk_norm: bool,
}

/// Columns of a group that the gated norm of Mamba 2 takes: 64 KiB of float32 (`layer_norm_fwd`,
/// `fla/modules/layernorm_gated.py`).
pub(crate) const NORM_WIDTH: u64 = 16_384;

/// How a layer mixes tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlaMixer {
    /// Gated linear attention.
    Gla,
    /// The delta rule.
    DeltaNet,
    /// The delta rule with a decay.
    GatedDeltaNet,
    /// Retention.
    RetNet,
    /// Gated linear recurrence.
    Hgrn,
    /// HGRN whose state is expanded.
    Hgrn2,
    /// Attention, in every layer.
    Attention,
    /// Mamba.
    Mamba,
    /// Mamba 2.
    Mamba2,
}

/// Parts that run in fused kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlaFused {
    /// Norms.
    pub norm: bool,
    /// The MLP's activation and last layer.
    pub swiglu: bool,
    /// The loss.
    pub cross_entropy: bool,
    /// The loss and the layer that gives the logits, together.
    pub linear_cross_entropy: bool,
}

impl FlaConfig {
    /// Columns of all queries.
    pub fn key_dim(&self) -> u64 {
        self.num_heads * self.head_k_dim
    }

    /// Columns of all values.
    pub fn value_dim(&self) -> u64 {
        self.num_heads * self.head_v_dim
    }

    /// The attention of a layer that has one.
    pub fn attention_of(&self, layer: u64) -> Option<&FlaAttention> {
        let mut all = self.attention.iter();
        all.find(|attention| attention.layers.contains(&layer))
    }
}

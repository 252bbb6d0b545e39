//! A decoder with all its sizes and options.

use super::activation::Activation;
use super::experts::Experts;
use super::family::Family;
use super::gemma_layers::{AltUp, GemmaLayers};
use super::images::ImageConfig;
use super::latent::Latent;
use super::options::Dropout;
use super::versions::Transformers;
use crate::ask::Framework;

/// A decoder as transformers configures it. Fields that an architecture does not have are at
/// their neutral value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecoderConfig {
    /// The family that it is of.
    pub family: &'static Family,
    /// H.
    pub hidden_size: u64,
    /// Columns of the embedding, H but where it is projected.
    pub embedding_size: u64,
    /// F.
    pub intermediate_size: u64,
    /// L.
    pub num_hidden_layers: u64,
    /// A.
    pub num_attention_heads: u64,
    /// K.
    pub num_key_value_heads: u64,
    /// D.
    pub head_dim: u64,
    /// V.
    pub vocab_size: u64,
    /// Classes of a classifier.
    pub num_labels: u64,
    /// Positions that the model was made for.
    pub positions: u64,
    /// Rows of the table of learned positions, or of biases for them.
    pub position_rows: u64,
    /// Whether `lm_head` shares the embedding's weight.
    pub tie_word_embeddings: bool,
    /// Whether `lm_head` has a bias where the config decides it.
    pub head_bias: bool,
    /// Columns of a head that rotary embeddings rotate.
    pub rotary_dim: u64,
    /// Biases on q, k, v and the output of attention.
    pub attention_bias: bool,
    /// Biases on q, k and v, whatever `attention_bias` says of all four.
    pub qkv_bias: bool,
    /// Biases in the MLP.
    pub mlp_bias: bool,
    /// The function in the MLP.
    pub activation: Activation,
    /// Whether queries and keys are normalized where the config decides it.
    pub head_norms: bool,
    /// Whether queries, keys and values are cut to a range.
    pub clips_heads: bool,
    /// Whether queries are scaled by their positions: in Llama 4, queries that positions do not rotate.
    pub scales_queries: bool,
    /// For each layer, whether positions do not rotate its queries and keys.
    pub unturned: Vec<bool>,
    /// For each layer, which of the model's rotary embeddings rotates its queries and keys, if any does;
    /// empty where the config has no list of their bases.
    pub bases: Vec<Option<usize>>,
    /// Number of keys up to which a token sees all, where it chooses the keys that it sees.
    pub kept_keys: Option<u64>,
    /// Whether attention and MLP read the same hidden states.
    pub parallel_residual: bool,
    /// Whether the outputs of attention and MLP are normalized where the config decides it.
    pub post_norms: bool,
    /// Whether norms divide by the root mean square alone where the config decides it.
    pub root_norms: bool,
    /// Whether norms come after the sums of the residual stream (post-norm).
    pub norm_after: bool,
    /// Whether a branch's output is added to the normalized hidden states, not to the norm's input.
    pub residual_after_norm: bool,
    /// Whether positions are told by biases on attention scores.
    pub alibi: bool,
    /// How queries, keys and values lie in the result of one projection.
    pub fused_heads: FusedHeads,
    /// Whether attention and MLP that run side by side have a norm each.
    pub parallel_norms: bool,
    /// Whether attention scores are capped by a tanh.
    pub attention_softcap: bool,
    /// Whether logits are capped by a tanh.
    pub final_softcap: bool,
    /// Whether embeddings are multiplied by a number where the config decides it.
    pub scales_embedding: bool,
    /// Whether the number that they are multiplied by is whole.
    pub scales_by_whole_number: bool,
    /// Sliding window of the layers that have one.
    pub sliding_window: Option<u64>,
    /// A window that the config names and no layer uses; transformers 4.51 makes a mask for
    /// samples of that length nevertheless.
    pub idle_window: Option<u64>,
    /// For each layer, whether it sees the window only.
    pub windowed: Vec<bool>,
    /// Places of dropout that is active in training.
    pub dropout: Dropout,
    /// The module that mixes the tokens of each layer, unless it is attention in all.
    pub mixers: Vec<Mixing>,
    /// Sizes of a state space, or of a convolution, in the place of attention.
    pub state_space: Option<StateSpace>,
    /// The experts of layers whose MLP is a mixture of them.
    pub experts: Option<Experts>,
    /// The sizes of attention whose keys and values are kept in low rank.
    pub latent: Option<Latent>,
    /// For each layer, whether it chooses the keys that its tokens see, where some see what the layer
    /// before chose.
    pub indexed: Vec<bool>,
    /// How layers differ from each other in size, and what they share.
    pub gemma_layers: Option<GemmaLayers>,
    /// Streams of hidden states beside each other.
    pub altup: Option<AltUp>,
    /// The part that sees images among its tokens.
    pub images: Option<Box<ImageConfig>>,
    /// The family of the whole model, where this is the text part of one that sees images.
    pub whole: Option<&'static Family>,
    /// Whether it names a token that texts begin with (`bos_token_id`); none when it does not say.
    pub starts: Option<bool>,
}

/// Sizes and options of Mamba's state space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateSpace {
    /// Columns of a channel's state.
    pub state_size: u64,
    /// Tokens that the convolution reaches.
    pub conv_kernel: u64,
    /// Columns from which time steps are projected.
    pub time_step_rank: u64,
    /// Whether the convolution has a bias.
    pub conv_bias: bool,
    /// Whether the residual stream is in float32.
    pub wide_residual: bool,
    /// Columns of a token in a mixer without heads.
    pub inner: u64,
    /// How time steps, B and C are normalized.
    pub inner_norms: InnerNorms,
    /// Whether columns are multiplied by numbers, and the gate alone comes after the recurrence; of the
    /// gated delta rule, whether rates of writing are doubled.
    pub multiplied: bool,
    /// Heads of Mamba 2.
    pub heads: Option<ScanHeads>,
}

impl StateSpace {
    /// Columns of a token in the widest tensor, of an inner width of `inner`.
    pub fn widest(&self, inner: u64) -> u64 {
        match self.heads {
            Some(heads) => {
                let scores = heads.count.saturating_mul(heads.chunk);
                let inner = heads.count.saturating_mul(heads.columns);
                scores.max(inner.saturating_mul(self.state_size.div_ceil(heads.chunk)))
            }
            None => inner.saturating_mul(self.state_size),
        }
    }
}

/// How time steps, B and C of Mamba are normalized.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InnerNorms {
    /// Not at all.
    #[default]
    None,
    /// By their root mean square alone.
    Bare,
    /// By norms with weights.
    Trained,
}

/// The module that mixes the tokens of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mixing {
    /// Attention.
    Attention,
    /// Mamba 2.
    StateSpace,
    /// A convolution of a few tokens between two gates.
    ShortConv,
    /// Attention beside Mamba 2.
    Both,
    /// The gated delta rule.
    GatedDelta,
    /// Lightning attention.
    Lightning,
    /// Nothing: the layer is an MLP alone.
    Nothing,
}

/// How Mamba 2 divides its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanHeads {
    /// Heads.
    pub count: u64,
    /// Columns of a head.
    pub columns: u64,
    /// Groups of heads that share B and C.
    pub groups: u64,
    /// Tokens of a chunk.
    pub chunk: u64,
}

impl ScanHeads {
    /// Columns of all heads.
    pub fn width(&self) -> u64 {
        self.count * self.columns
    }
}

/// How queries, keys and values lie in the result of one projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FusedHeads {
    /// Query, key and value of each head, one head after the other.
    Each,
    /// All queries, then one key and one value.
    Last,
    /// The queries of a group, then its key and its value, one group after the other.
    Groups,
}

impl DecoderConfig {
    /// The name of the layer that gives the logits.
    pub fn head_name(&self, framework: Framework) -> &'static str {
        let names = &self.family.names;
        match Transformers::of(framework) {
            Transformers::V5 => names.head,
            _ => names.head_in_4,
        }
    }

    /// A decoder with as many key-value heads as attention heads and nothing out of the ordinary.
    pub(crate) fn plain(
        family: &'static Family,
        hidden_size: u64,
        num_hidden_layers: u64,
        num_attention_heads: u64,
    ) -> Self {
        Self {
            family,
            hidden_size,
            embedding_size: hidden_size,
            intermediate_size: 4 * hidden_size,
            num_hidden_layers,
            num_attention_heads,
            num_key_value_heads: num_attention_heads,
            head_dim: 1,
            vocab_size: 1,
            num_labels: 2,
            positions: 0,
            position_rows: 0,
            tie_word_embeddings: true,
            head_bias: false,
            rotary_dim: 0,
            attention_bias: false,
            qkv_bias: false,
            mlp_bias: false,
            activation: Activation::Silu,
            head_norms: false,
            clips_heads: false,
            scales_queries: false,
            unturned: Vec::new(),
            bases: Vec::new(),
            kept_keys: None,
            parallel_residual: false,
            post_norms: false,
            root_norms: false,
            norm_after: false,
            residual_after_norm: false,
            alibi: false,
            fused_heads: FusedHeads::Each,
            parallel_norms: false,
            attention_softcap: false,
            final_softcap: false,
            scales_embedding: false,
            scales_by_whole_number: false,
            sliding_window: None,
            idle_window: None,
            windowed: Vec::new(),
            dropout: Dropout::default(),
            mixers: Vec::new(),
            state_space: None,
            experts: None,
            latent: None,
            indexed: Vec::new(),
            gemma_layers: None,
            altup: None,
            images: None,
            whole: None,
            starts: None,
        }
    }

    /// Whether layer `index` sees the window only.
    pub fn is_windowed(&self, index: usize) -> bool {
        self.windowed.get(index).copied().unwrap_or(false)
    }
}

/// The parameters that tell how much of one attention is taken from the other.
pub const LAMBDAS: [&str; 4] = ["lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"];

/// Parameters that the residual stream is multiplied by, around attention and around the MLP.
pub const RESIDUALS: [&str; 2] = ["input_residual", "post_attention_residual"];

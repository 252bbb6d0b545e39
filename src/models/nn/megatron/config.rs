//! The sizes and options of a model (`TransformerConfig`, `core/transformer/transformer_config.py`).

use crate::ask::{ExpertDispatcher, ExpertParallel, Recompute, RecomputeGranularity};
use crate::model::{Architecture, DecoderConfig, HeadNorm, ResolvedSpec};
use crate::units::DType;

/// Facts of a model for its modules.
#[derive(Clone, Debug)]
pub struct TransformerConfig {
    /// Layers, L.
    num_layers: u64,
    /// Columns between layers, H.
    pub(super) hidden_size: u64,
    /// Attention heads, A.
    pub(super) num_attention_heads: u64,
    /// Heads of keys and values, K.
    pub(super) num_query_groups: u64,
    /// Columns of a head, D.
    pub(super) kv_channels: u64,
    /// Columns of an MLP, F.
    pub(super) ffn_hidden_size: u64,
    /// Rows of the embedding, V, a multiple of what divides them.
    pub(super) vocab_size: u64,
    /// Whether queries and keys are normalized.
    pub(super) qk_layernorm: bool,
    /// Whether the head is the embedding.
    pub(super) shares_embedding: bool,
    /// Experts in the place of the MLP.
    pub(super) experts: Option<ExpertConfig>,
    /// Ranks that divide heads, columns and vocabulary.
    pub(super) tensor_ranks: u64,
    /// Whether they divide the sequence between layers.
    pub(super) sequence_parallel: bool,
    /// The dtype of parameters and of what stages send.
    pub(super) dtype: DType,
    /// Whether attention's probabilities are computed in float32.
    pub(super) softmax_in_fp32: bool,
    /// The modules that are computed again.
    pub(super) recompute: Recompute,
}

/// The mixture of experts of each layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpertConfig {
    /// Experts, E.
    pub(super) count: u64,
    /// Experts that each token goes through.
    pub(super) per_token: u64,
    /// Columns of one.
    pub(super) ffn_hidden_size: u64,
    /// Ranks that divide them.
    pub(super) ranks: u64,
    /// How tokens come to them.
    pub(super) dispatcher: ExpertDispatcher,
    /// Tokens of an expert for each `per_token / count` of a token.
    asked: ExpertParallel,
}

impl ExpertConfig {
    /// Tokens that an expert has room for, of `tokens` tokens of a rank (`get_capacity`).
    pub(super) fn capacity(&self, tokens: u64) -> u64 {
        self.asked.capacity(tokens * self.per_token, self.count)
    }
}

/// The layers of a stage, or of a chunk of a stage, and the modules before and after them.
#[derive(Clone, Copy, Debug)]
pub struct StageLayers {
    /// The first layer, counted from 0.
    pub first: u64,
    /// How many layers.
    pub layers: u64,
    /// Whether the embedding comes before them (`pre_process`).
    pub is_first: bool,
    /// Whether the last norm and the head come after them (`post_process`).
    pub is_last: bool,
}

impl TransformerConfig {
    /// The config of a run's model.
    pub fn of(spec: &ResolvedSpec) -> Option<Self> {
        let Architecture::Decoder(model) = &spec.architecture else {
            return None;
        };
        Some(Self::of_decoder(spec, model))
    }

    fn of_decoder(spec: &ResolvedSpec, model: &DecoderConfig) -> Self {
        let tp = &spec.parallelism.tp;
        let experts = model.experts.as_ref().map(|experts| ExpertConfig {
            count: experts.count,
            per_token: experts.per_token,
            ffn_hidden_size: experts.intermediate_size,
            ranks: spec.mesh.ep,
            dispatcher: spec.parallelism.ep.dispatcher,
            asked: spec.parallelism.ep,
        });
        Self {
            num_layers: model.num_hidden_layers,
            hidden_size: model.hidden_size,
            num_attention_heads: model.num_attention_heads,
            num_query_groups: model.num_key_value_heads,
            kv_channels: model.head_dim,
            ffn_hidden_size: model.intermediate_size,
            vocab_size: model.vocab_size.next_multiple_of(spec.mesh.tp),
            qk_layernorm: matches!(model.family.layers.head_norm, HeadNorm::Rows(_)),
            shares_embedding: model.tie_word_embeddings,
            experts,
            tensor_ranks: spec.mesh.tp,
            sequence_parallel: tp.sequence_parallel && spec.mesh.tp > 1,
            dtype: spec.weights,
            softmax_in_fp32: spec.scenario.attention_softmax_in_fp32,
            recompute: spec.scenario.recompute.clone(),
        }
    }

    /// In how many parts the sequence lies between layers.
    pub(super) fn sequence_parts(&self) -> u64 {
        if self.sequence_parallel {
            self.tensor_ranks
        } else {
            1
        }
    }

    /// Whether a module of this name is computed again in backward.
    pub(super) fn recomputes(&self, module: &str) -> bool {
        self.recompute.granularity == RecomputeGranularity::Selective
            && self.recompute.modules.iter().any(|name| name == module)
    }

    /// The shape of what stages send, `[S, B, H]` or this rank's part of the sequence.
    pub fn boundary(&self, tokens: u64, samples: u64) -> [u64; 3] {
        [tokens / self.sequence_parts(), samples, self.hidden_size]
    }

    /// The dtype of what stages send.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Whether its layers are mixtures of experts.
    pub fn is_mixture(&self) -> bool {
        self.experts.is_some()
    }

    /// Layers of the whole model.
    pub fn num_layers(&self) -> u64 {
        self.num_layers
    }

    /// Elements of all parameters of the whole model.
    pub fn num_parameters(&self) -> u64 {
        let (hidden, columns) = (self.hidden_size, self.kv_channels);
        let (heads, groups) = (self.num_attention_heads, self.num_query_groups);
        let tables = if self.shares_embedding { 1 } else { 2 };
        let norms = 2 * hidden + if self.qk_layernorm { 2 * columns } else { 0 };
        let attention = hidden * (heads + 2 * groups) * columns + heads * columns * hidden;
        let mlp = match self.experts {
            Some(experts) => experts.count * (3 * hidden * experts.ffn_hidden_size + hidden),
            None => 3 * hidden * self.ffn_hidden_size,
        };
        tables * self.vocab_size * hidden + hidden + self.num_layers * (attention + norms + mlp)
    }
}

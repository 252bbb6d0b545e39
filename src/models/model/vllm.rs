//! Memory of a vLLM on a GPU that it shares with a trainer, in its process (`vllm_mode="colocate"`).
//!
//! It counts a share of the whole GPU as its own, whatever the trainer holds: weights, what its forward passes take
//! meanwhile, CUDA graphs, what kernels take outside of PyTorch, and blocks of keys and values in all that is left.
//! Asleep (at level 2, as trl 1.16 sends it) weights and blocks are gone, and nothing but buffers is on the host.
//!
//! Source: vllm 0.31.0, `v1/worker/gpu_worker.py` (`determine_available_memory`, `sleep`), `v1/worker/utils.py`
//! (`request_memory`), `v1/core/kv_cache_utils.py`, `device_allocator/cumem.py`; trl 1.16,
//! `generation/vllm_generation.py`.

use super::{Architecture, ResolvedSpec};
use crate::units::{DType, MIB};

/// Weights, keys and values: `dtype="auto"` takes a checkpoint's, and 16 bits of one in float32. Derived.
const DTYPE: DType = DType::BFloat16;

/// Tokens of a forward pass at most (`max_num_batched_tokens` of trl 1.16). Derived.
const BATCHED_TOKENS: u64 = 4096;

/// Tokens of a block of keys and values (`DEFAULT_BLOCK_SIZE`, `config/cache.py`). Derived.
const BLOCK: u64 = 16;

/// Bytes for each logit when tokens are drawn: in 16 bits and in float32, sorted with their places, as
/// probabilities, added up (`v1/sample/ops/topk_topp_sampler.py`). Derived.
const DRAWN: u64 = 26;

/// CUDA graphs of few sequences: "Estimated CUDA graph memory: 0.36 GiB total" (16 graphs, vllm 0.27.1). They
/// depend on the GPU and the model: others wrote 0.13 to 0.5 GiB. Assumed.
const GRAPHS: u64 = 368 * MIB;

/// Memory that vLLM's kernels take outside of PyTorch, besides the trainer's: "`non_torch_memory` takes 0.16GiB" (one
/// GPU, vllm 0.7). Assumed.
const OUTSIDE: u64 = 164 * MIB;

/// A vLLM's share of a GPU, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VllmShare {
    /// The whole share.
    pub total: u64,
    /// vLLM's own weights.
    pub weights: u64,
    /// Outputs and temporaries of an MLP `[T, F]` at once, hidden states `[T, H]`, and logits.
    pub activations: [u64; 3],
    /// Bytes that stay while it sleeps.
    pub stays: u64,
    /// Bytes of blocks of keys and values: the rest of vLLM's share, if any.
    pub cache: u64,
    /// Bytes of the blocks of one sequence, and of the block that is never used.
    pub sequence: u64,
    /// Bytes of the blocks of a sequence of the model's full length, which vLLM requires if `vllm_max_model_length` is
    /// not set.
    pub longest: u64,
    /// The GPU that it is a share of.
    gpu: u64,
}

/// The tokens that fit into the blocks of one sequence of `tokens` tokens.
fn blocks(tokens: u64) -> u64 {
    (tokens.div_ceil(BLOCK) + 1).saturating_mul(BLOCK)
}

/// `request_memory`.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "resolve refuses shares that are no part of one"
)]
fn requested(gpu: u64, share: f64) -> u64 {
    (gpu as f64 * share).ceil() as u64
}

impl VllmShare {
    /// The share of a run's vLLM, whose model has `parameters` parameters without adapters; `None` for runs without
    /// vLLM.
    pub fn of(spec: &ResolvedSpec, parameters: u64) -> Option<Self> {
        let Architecture::Decoder(config) = &spec.architecture else {
            return None;
        };
        let objective = &spec.objective;
        let gpu = spec.device.usable.get();
        let share = objective.vllm_gpu_memory_utilization;
        let bytes = DTYPE.size();
        let sequences = spec.micro_batch_size * spec.gradient_accumulation_steps;
        let prompt = spec.seq_len - objective.completion_tokens.unwrap_or(0);
        let tokens = BATCHED_TOKENS.min(sequences.saturating_mul(prompt.max(1)));
        let of_token = config.num_hidden_layers * 2 * config.num_key_value_heads * config.head_dim;
        let mut made = Self {
            total: requested(gpu, share),
            weights: parameters * bytes,
            activations: [
                tokens * 3 * config.intermediate_size * bytes,
                tokens * 2 * config.hidden_size * bytes,
                sequences * config.vocab_size * DRAWN,
            ],
            stays: GRAPHS + OUTSIDE,
            cache: 0,
            sequence: blocks(spec.seq_len) * of_token * bytes,
            longest: blocks(spec.max_positions.unwrap_or(0)) * of_token * bytes,
            gpu,
        };
        made.cache = made.total.saturating_sub(made.without_cache());
        objective.uses_vllm().then_some(made)
    }

    fn without_cache(&self) -> u64 {
        self.weights + self.activations.iter().sum::<u64>() + self.stays
    }

    /// Whether one sequence has its keys and values in it: it does not start otherwise.
    pub fn starts(&self) -> bool {
        self.cache >= self.sequence
    }

    /// The least share with which it starts, in hundredths.
    pub fn least(&self) -> u64 {
        ((self.without_cache() + self.sequence) * 100).div_ceil(self.gpu.max(1))
    }

    /// The largest share that takes `bytes` bytes less, in hundredths.
    pub fn less(&self, bytes: u64) -> u64 {
        self.total.saturating_sub(bytes) * 100 / self.gpu.max(1)
    }
}

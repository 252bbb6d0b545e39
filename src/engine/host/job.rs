//! The host's view of a training job: plain facts, nothing to look up.

use super::evaluation::HostEvaluation;
use super::offload::Offloaded;
use super::{data_parallel, facts};
use crate::ask::{
    Checkpoint, DataLoader, DataParallelKind, Dataset, Framework, Libraries, ModelRef,
    OptimizerName, Precision, TokenizerKind,
};
use crate::model::{Input, ResolvedSpec};
use crate::units::{Bytes, DType};
use serde::Deserialize;
use serde_json::Value;

/// Facts that the host model takes from the device's side, so that it depends on none of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct HostInputs {
    /// Bytes of all parameters as they go to the device.
    pub parameter_bytes: Bytes,
    /// Bytes of the parameters that a checkpoint holds (adapters only, when training with them).
    pub saved_parameter_bytes: Bytes,
    /// Bytes of the optimizer's states on the device.
    pub optimizer_state_bytes: Bytes,
    /// Bytes of the largest single tensor among them.
    pub largest_tensor_bytes: Bytes,
    /// The parameters, where FSDP or DeepSpeed keeps shards of them on the host.
    pub parameters: Vec<HostParameter>,
    /// Bytes of the parameters that have a copy on the host.
    pub host_copies: Bytes,
    /// The same, each rounded as PyTorch's pinned allocator rounds.
    pub host_copies_pinned: Bytes,
    /// Bytes of activations that a forward pass keeps on the host, rounded in the same way.
    pub host_activations_pinned: Bytes,
    /// Most bytes of tensors that live at once in training on the CPU.
    pub training: Bytes,
    /// Bytes of the arrays that an evaluation makes of one batch's predictions on one rank; 0 when
    /// it keeps none.
    pub predictions: Bytes,
    /// Entries of the vocabulary; 0 when there is none.
    pub vocab_size: u64,
}

/// A parameter of the model, as far as the host is concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct HostParameter {
    /// Elements.
    pub elements: u64,
    /// Bytes on the device.
    pub bytes: Bytes,
    /// Its layer, counted from 1; 0 outside of all layers.
    pub layer: u32,
    /// Whether it is trained.
    pub trained: bool,
    /// Ranks that have a shard of it each; 0 counts as 1.
    pub ranks: u64,
}

impl HostParameter {
    /// Ranks that have a shard of it each, at least one.
    pub(super) fn ranks(&self) -> u64 {
        self.ranks.max(1)
    }

    /// Elements of a rank's shard.
    pub(super) fn shard_elements(&self) -> u64 {
        self.elements.div_ceil(self.ranks())
    }

    /// Bytes of a rank's shard.
    pub(super) fn shard_bytes(&self) -> Bytes {
        Bytes(self.bytes.get().div_ceil(self.ranks()))
    }
}

/// A training job on one node, as the host sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostJob {
    /// Training processes on the node.
    pub ranks: u64,
    /// Jobs of their own that these belong to; each has one rank that saves.
    pub jobs: u64,
    /// Training processes of one job on all nodes, among which a sampler divides the data set.
    pub world_size: u64,
    /// Whether each job's launcher (torchrun, accelerate) stays beside it.
    pub launcher: bool,
    /// Libraries that each of them imports.
    pub libraries: Libraries,
    /// Whether each constructs an optimizer of `torch.optim`.
    pub optimizer: bool,
    /// Whether each uses a GPU.
    pub cuda: bool,
    /// The tokenizer of each.
    pub tokenizer: TokenizerKind,
    /// Entries of its vocabulary.
    pub vocab_size: u64,
    /// The data set of each; none when it has neither bytes nor rows.
    pub dataset: Dataset,
    /// The data loader of each.
    pub loader: DataLoader,
    /// Bytes of each tensor of one batch.
    pub batch: Vec<Bytes>,
    /// How the weights come in.
    pub checkpoint: Checkpoint,
    /// Whether of each job's processes the first alone reads them.
    pub first_reads: bool,
    /// Bytes of the model on its way to the device.
    pub parameter_bytes: Bytes,
    /// Bytes of the same in fp32, in which a model lives that is cast afterwards.
    pub cast_from: Bytes,
    /// Bytes of its largest tensor, cast; 0 when it is fp32 already and stays as it is.
    pub cast_tensor: Bytes,
    /// Bytes of the file that they are read from.
    pub checkpoint_bytes: Bytes,
    /// Bytes of the parameters in a saved checkpoint.
    pub saved_parameter_bytes: Bytes,
    /// Bytes of the optimizer states in a saved checkpoint.
    pub saved_optimizer_bytes: Bytes,
    /// Bytes of the largest single tensor in it.
    pub largest_tensor_bytes: Bytes,
    /// Tensors that live on the host in place of the device.
    pub offloaded: Offloaded,
    /// Tensors of training on the CPU.
    pub training: Bytes,
    /// Bytes that one rank gathers to save, where each has shards.
    pub gathered: Option<Bytes>,
    /// The evaluation between steps, if there is one.
    pub evaluation: Option<HostEvaluation>,
    /// How much of a model `save_pretrained` brings to the host at once.
    pub max_shard: Bytes,
    /// The operating system and other programs.
    pub other_memory: Bytes,
}

impl HostJob {
    /// The job that a specification describes.
    pub fn new(spec: &ResolvedSpec, inputs: &HostInputs) -> Self {
        let settings = &spec.scenario.host;
        let hardware = &spec.scenario.hardware;
        let [nodes, gpus] = hardware.of_a_job();
        let world_size = nodes.saturating_mul(gpus);
        let checkpoint = settings.checkpoint.unwrap_or_else(|| checkpoint(spec));
        let offloaded = Offloaded::new(spec, inputs);
        let of_family = spec.architecture.family().is_some();
        Self {
            ranks: spec.host.processes,
            jobs: hardware.jobs(),
            world_size,
            launcher: settings.launcher.unwrap_or(world_size > 1),
            libraries: settings.libraries,
            optimizer: spec.optimizer.name != OptimizerName::None,
            cuda: settings.cuda,
            tokenizer: if of_family {
                settings.tokenizer
            } else {
                TokenizerKind::None
            },
            vocab_size: inputs.vocab_size,
            dataset: spec.dataset.clone(),
            loader: spec.dataloader,
            batch: batch_tensors(spec, spec.micro_batch_size),
            checkpoint,
            first_reads: first_reads(spec),
            parameter_bytes: inputs.parameter_bytes,
            cast_from: in_dtype(spec, inputs.parameter_bytes, DType::Float32),
            cast_tensor: match parameter_dtype(spec.precision) {
                DType::Float32 => Bytes::ZERO,
                _ => inputs.largest_tensor_bytes.min(inputs.parameter_bytes),
            },
            checkpoint_bytes: checkpoint_bytes(spec, checkpoint, inputs.parameter_bytes),
            saved_parameter_bytes: inputs.saved_parameter_bytes,
            saved_optimizer_bytes: inputs.optimizer_state_bytes + offloaded.states,
            largest_tensor_bytes: inputs.largest_tensor_bytes,
            offloaded,
            training: inputs.training,
            gathered: data_parallel::gathered(spec, &inputs.parameters),
            evaluation: HostEvaluation::new(spec, inputs, world_size),
            max_shard: max_shard(spec),
            other_memory: Bytes(settings.other_memory),
        }
    }

    /// Bytes of one batch.
    pub fn batch_bytes(&self) -> Bytes {
        self.batch.iter().copied().sum()
    }
}

/// The tensors that one batch of `samples` samples consists of.
pub(super) fn batch_tensors(spec: &ResolvedSpec, samples: u64) -> Vec<Bytes> {
    if let Input::Features(width) = spec.architecture.input(spec.seq_len) {
        let elements = samples.saturating_mul(width);
        return vec![Bytes(elements.saturating_mul(DType::Float32.size()))];
    }
    let tokens = |length: u64| {
        let elements = samples.saturating_mul(length);
        Bytes(elements.saturating_mul(DType::Int64.size()))
    };
    let target = spec.scenario.target_seq_len.unwrap_or(spec.seq_len);
    let mut batch = vec![tokens(spec.seq_len), tokens(spec.seq_len), tokens(target)];
    if let (Some(images), 1..) = (spec.architecture.images(), spec.images) {
        let pixels = [samples, spec.images, images.pixels(spec.image_size)];
        let elements = pixels.into_iter().fold(1, u64::saturating_mul);
        batch.push(Bytes(elements.saturating_mul(DType::Float32.size())));
    }
    batch
}

/// Whether the first process of a node alone reads the weights (`is_local_dist_rank_0`): those of the others are empty
/// until FSDP sends them (`is_fsdp_enabled`, `modeling_utils.py`, transformers 5.23: not of quantized ones).
fn first_reads(spec: &ResolvedSpec) -> bool {
    let dp = &spec.parallelism.dp;
    let sharded = matches!(dp.kind, DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2);
    sharded && dp.fsdp.cpu_ram_efficient_loading && !spec.quantization.is_on()
}

/// The dtype of the file that the weights are read from, where it is known. The published
/// checkpoints of the catalog's models are taken to be in bfloat16.
fn file_dtype(model: &ModelRef) -> Option<DType> {
    let name = match model {
        ModelRef::Catalog(_) => "bfloat16",
        ModelRef::HfConfig { hf_config } => hf_config
            .get("dtype")
            .or_else(|| hf_config.get("torch_dtype"))
            .and_then(Value::as_str)?,
        ModelRef::Linear { .. } | ModelRef::Exported(_) | ModelRef::NumParameters { .. } => {
            return None;
        }
    };
    match name.strip_prefix("torch.").unwrap_or(name) {
        "float32" => Some(DType::Float32),
        "bfloat16" => Some(DType::BFloat16),
        "float16" => Some(DType::Float16),
        _ => None,
    }
}

/// The dtype of the parameters on the device.
fn parameter_dtype(precision: Precision) -> DType {
    match precision {
        Precision::Fp32 | Precision::AmpBf16 | Precision::AmpFp16 => DType::Float32,
        Precision::Bf16 => DType::BFloat16,
        Precision::Fp16 => DType::Float16,
    }
}

/// How the weights come in when the scenario does not say.
fn checkpoint(spec: &ResolvedSpec) -> Checkpoint {
    if matches!(
        spec.scenario.model,
        ModelRef::Linear { .. } | ModelRef::Exported(_)
    ) {
        return Checkpoint::RandomInit;
    }
    match file_dtype(&spec.scenario.model) {
        Some(file) if file != parameter_dtype(spec.precision) => Checkpoint::Converted,
        _ => Checkpoint::SameDtype,
    }
}

/// Bytes of the file that holds the weights: as many elements, in its own dtype.
fn checkpoint_bytes(spec: &ResolvedSpec, checkpoint: Checkpoint, parameters: Bytes) -> Bytes {
    match (checkpoint, file_dtype(&spec.scenario.model)) {
        (Checkpoint::RandomInit, _) => Bytes::ZERO,
        (Checkpoint::Converted | Checkpoint::Cast, Some(file)) => in_dtype(spec, parameters, file),
        _ => parameters,
    }
}

/// Bytes of `parameters` on the device, in another dtype.
fn in_dtype(spec: &ResolvedSpec, parameters: Bytes, dtype: DType) -> Bytes {
    let elements = parameters.get() / parameter_dtype(spec.precision).size();
    Bytes(elements.saturating_mul(dtype.size()))
}

fn max_shard(spec: &ResolvedSpec) -> Bytes {
    match spec.framework {
        Framework::Torch215Transformers523
        | Framework::Torch211Transformers523
        | Framework::Torch215MegatronCore016 => facts::SHARD_V5.bytes(),
        Framework::Torch26Transformers451 | Framework::Torch26Transformers448 => {
            facts::SHARD_V4.bytes()
        }
    }
}

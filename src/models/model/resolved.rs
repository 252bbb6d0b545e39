//! The facts of a run: the only input of the engine.

use super::architecture::Architecture;
use crate::ask::{
    ActivationCheckpointing, ActivationOffload, AllocatorSettings, Around, Attention,
    AutocastStyle, DataLoader, DataParallelKind, Dataset, Evaluation, ExpertParallelKind,
    Framework, Implementation, LigerKernels, Lora, Loss, Mesh, Objective, Offload, Optimizer,
    Packing, Parallelism, Plan, Precision, Program, Quantization, Saving, Scenario, SdpaBackend,
    Task, TensorParallelKind,
};
use crate::units::{Bytes, DType};

/// A checked and completed scenario. Outside this crate the room `resolve` alone makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedSpec {
    /// The scenario it came from, with what that leaves to its mesh of ranks: GPUs and nodes.
    pub scenario: Scenario,
    /// The model's architecture with all its sizes.
    pub architecture: Architecture,
    /// Name for people.
    pub model_name: String,
    /// Tokens that its positions were made for, when its config says so.
    pub max_positions: Option<u64>,
    /// Task.
    pub task: Task,
    /// Samples per forward pass (B).
    pub micro_batch_size: u64,
    /// Tokens per sample (S).
    pub seq_len: u64,
    /// Tokens per sample that an encoder-decoder gives.
    pub target_seq_len: u64,
    /// Images of each sample.
    pub images: u64,
    /// Height and width in pixels of those images.
    pub image_size: [u64; 2],
    /// Both lengths of usual batches, where those are shorter.
    pub usual_lengths: Option<[u64; 2]>,
    /// Several sequences in each row.
    pub packing: Packing,
    /// Micro-batches per optimizer step.
    pub gradient_accumulation_steps: u64,
    /// Precision policy.
    pub precision: Precision,
    /// The dtype of the weights that are not quantized.
    pub weights: DType,
    /// How autocast is applied.
    pub autocast_style: AutocastStyle,
    /// Optimizer.
    pub optimizer: Optimizer,
    /// Attention implementation.
    pub attention: Attention,
    /// Forced sdpa kernel.
    pub sdpa_backend: Option<SdpaBackend>,
    /// Whether a mask with padding is passed.
    pub padding_mask: bool,
    /// Whether a key-value cache is filled while training.
    pub use_cache: bool,
    /// Activation checkpointing.
    pub activation_checkpointing: ActivationCheckpointing,
    /// Operations whose results checkpointed layers keep.
    pub saved_operations: Option<SavedOperations>,
    /// `n`: every `n`-th layer is checkpointed, from the first on.
    pub checkpoint_every: u64,
    /// Adapters.
    pub lora: Option<Lora>,
    /// A base model in fewer bits.
    pub quantization: Quantization,
    /// Liger kernels.
    pub liger: LigerKernels,
    /// Parameters that are not trained, by (part of) name.
    pub frozen: Vec<String>,
    /// Whether gradients are clipped.
    pub clip_grad_norm: bool,
    /// Whether `zero_grad` drops gradients.
    pub zero_grad_set_to_none: bool,
    /// Loss.
    pub loss: Loss,
    /// Whether noise is added to what the input embedding gives in training.
    pub adds_noise: bool,
    /// The objective of a trainer of TRL; the number of scored tokens is filled in.
    pub objective: Objective,
    /// The model that teaches, as if it ran alone.
    pub teacher: Option<Box<ResolvedSpec>>,
    /// The phases around the steps; whether the model comes straight to the device is filled in.
    pub around: Around,
    /// Whether outputs outlive the step.
    pub keep_outputs: bool,
    /// How the job is divided among its GPUs.
    pub parallelism: Parallelism,
    /// Its ranks along each axis, and the estimated rank.
    pub mesh: Mesh,
    /// Tensors that live on the host.
    pub offload: Offload,
    /// Activations that wait on the host.
    pub activation_offload: ActivationOffload,
    /// Program.
    pub program: Program,
    /// Evaluation.
    pub evaluation: Evaluation,
    /// Data set.
    pub dataset: Dataset,
    /// Data loader.
    pub dataloader: DataLoader,
    /// Device facts.
    pub device: DeviceFacts,
    /// Host facts.
    pub host: HostFacts,
    /// Allocator settings.
    pub allocator: AllocatorSettings,
    /// The most that PyTorch lets the allocator hold, when that is limited.
    pub memory_limit: Option<Bytes>,
    /// Bytes of tensors that the process holds beside the model.
    pub other_device_memory: Bytes,
    /// Framework.
    pub framework: Framework,
}

impl ResolvedSpec {
    /// The dtype in which a rank keeps its part of the weights, which are gathered in that of `weights`.
    pub fn stored_weights(&self) -> DType {
        self.scenario.weights_dtype()
    }

    /// The dtype in which a buffer of this one is used: FSDP1 casts floating-point buffers
    /// (`MixedPrecision.buffer_dtype`, which accelerate 1.15 gives the dtype of parameters), FSDP2 none: buffers of the
    /// model's dtype stay in the dtype of stored weights.
    pub fn buffer_dtype(&self, dtype: DType) -> DType {
        let dp = &self.parallelism.dp;
        match dp.compute_dtype() {
            Some(cast) if dp.kind == DataParallelKind::Fsdp1 && dtype.is_float() => cast,
            Some(cast) if dp.kind == DataParallelKind::Fsdp2 && dtype == cast => {
                self.stored_weights()
            }
            _ => dtype,
        }
    }

    /// Whether the model is built of torchtune's modules, and trained by its recipes.
    pub fn is_of_torchtune(&self) -> bool {
        self.scenario.implementation == Some(Implementation::Torchtune)
    }

    /// Whether the model is built of torchtitan's modules, and trained by its loop.
    pub fn is_of_torchtitan(&self) -> bool {
        self.scenario.implementation == Some(Implementation::Torchtitan)
    }

    /// Whether the model is made on the meta device, its parameters getting memory when they are divided:
    /// for `fully_shard` or `parallelize_module`, unless quantized weights were loaded before.
    pub fn builds_on_meta(&self) -> bool {
        let divided = self.parallelism.dp.kind == DataParallelKind::Fsdp2 || self.divides_modules();
        divided && !self.quantization.is_on()
    }

    /// Whether ranks divide the model's modules as `torch.distributed.tensor` does.
    pub fn divides_modules(&self) -> bool {
        let tp = &self.parallelism.tp;
        tp.size > 1 && tp.kind == TensorParallelKind::DTensor
    }

    /// Whether adapters come to modules that transformers has sharded: each rank has whole ones, of its own
    /// (`from_pretrained(distributed_config=..)`, then `get_peft_model`).
    pub fn adapts_shards(&self) -> bool {
        let dp = &self.parallelism.dp;
        let planned = dp.kind == DataParallelKind::Fsdp2 && dp.fsdp.plan == Plan::Transformers;
        planned && self.lora.is_some()
    }

    /// Ranks among which whole experts are divided by transformers; none where they are not.
    pub fn expert_ranks(&self) -> Option<u64> {
        let ep = &self.parallelism.ep;
        (ep.size > 1 && ep.kind != ExpertParallelKind::Megatron).then_some(ep.size)
    }

    /// Whether a run keeps a model beside the trained one, to compare it with: without adapters the trained one is not
    /// that model.
    pub fn has_own_reference(&self) -> bool {
        self.objective.has_reference() && self.lora.is_none()
    }

    /// Whether sharded training writes all of the model from one rank: by default FSDP1 does (accelerate 1.15).
    pub fn saves_full_state(&self) -> bool {
        let usual = if self.parallelism.dp.kind == DataParallelKind::Fsdp1 {
            Saving::FullState
        } else {
            Saving::Shards
        };
        self.scenario.host.saving.unwrap_or(usual) == Saving::FullState
    }

    /// Whether a checkpoint has all parameters, which are on the device when it is written: gathered ones are on the
    /// host, and beside adapters nothing else is written.
    pub fn writes_from_device(&self) -> bool {
        let dp = self.parallelism.dp.kind;
        self.lora.is_none() && matches!(dp, DataParallelKind::None | DataParallelKind::Ddp)
    }

    /// Whether the model, and what trains it, are Megatron-Core's own.
    pub fn is_of_megatron_core(&self) -> bool {
        self.parallelism.dp.kind == DataParallelKind::Megatron
    }

    /// Whether ranks divide the hidden states between layers along the sequence.
    pub fn divides_sequence(&self) -> bool {
        self.divides_modules() && self.parallelism.tp.sequence_parallel
    }

    /// Whether logits stay divided among ranks for the loss.
    pub fn divides_logits(&self) -> bool {
        self.divides_modules() && self.parallelism.tp.loss_parallel
    }

    /// A model with nothing asked of it, on no machine: what it is built by to know its modules.
    pub(crate) fn plain(architecture: Architecture, task: Task, framework: Framework) -> Self {
        let scenario = Scenario::default();
        Self {
            architecture,
            model_name: String::new(),
            max_positions: None,
            task,
            micro_batch_size: scenario.micro_batch_size,
            seq_len: scenario.seq_len,
            target_seq_len: scenario.seq_len,
            images: scenario.images,
            image_size: [0; 2],
            usual_lengths: None,
            packing: scenario.packing,
            gradient_accumulation_steps: scenario.gradient_accumulation_steps,
            precision: scenario.precision,
            weights: scenario.weights_dtype(),
            autocast_style: scenario.autocast_style,
            optimizer: scenario.optimizer,
            attention: scenario.attention,
            sdpa_backend: None,
            padding_mask: false,
            use_cache: false,
            activation_checkpointing: scenario.activation_checkpointing,
            saved_operations: None,
            checkpoint_every: scenario.checkpoint_every,
            lora: None,
            quantization: scenario.quantization,
            liger: LigerKernels::default(),
            frozen: Vec::new(),
            clip_grad_norm: false,
            zero_grad_set_to_none: true,
            loss: scenario.loss,
            adds_noise: false,
            objective: Objective::default(),
            teacher: None,
            around: scenario.around,
            keep_outputs: false,
            parallelism: scenario.parallelism,
            mesh: Mesh::ONE,
            offload: scenario.offload,
            activation_offload: scenario.activation_offload,
            program: scenario.program,
            evaluation: scenario.evaluation,
            dataset: scenario.dataset.clone(),
            dataloader: scenario.dataloader,
            device: DeviceFacts::default(),
            host: HostFacts::default(),
            allocator: AllocatorSettings::default(),
            memory_limit: None,
            other_device_memory: Bytes(0),
            framework,
            scenario,
        }
    }
}

/// Operations whose results checkpointed layers keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedOperations {
    /// Matrix products.
    pub mm: bool,
    /// The fused kernels of sdpa.
    pub attention: bool,
    /// Whether of matrix products only the first of every two is kept.
    pub every_second_mm: bool,
}

/// The engine's facts of an accelerator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceFacts {
    /// Name for people.
    pub name: String,
    /// Memory that programs can use, context included.
    pub usable: Bytes,
    /// Memory that other programs hold of it.
    pub in_use: Bytes,
    /// Bytes outside the allocator: the CUDA context, kernels, and NCCL where there are several GPUs.
    pub context: Bytes,
    /// Compute capability times ten, as 80 for an A100.
    pub compute_capability: u32,
    /// Streaming multiprocessors.
    pub multiprocessors: u64,
    /// Processes that share it.
    pub processes: u64,
}

/// The engine's facts of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostFacts {
    /// RAM of one node.
    pub ram: Bytes,
    /// Swap of one node.
    pub swap: Bytes,
    /// Training processes on one node.
    pub processes: u64,
}

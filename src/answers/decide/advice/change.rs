//! Single changes of a scenario that can make it take less.

use crate::ask::{
    ActivationCheckpointing, ActivationOffloadKind, ArrowPool, Attention, DataParallelKind,
    DatasetMode, EvaluationKind, Loss, ModelRef, OffloadDevice, OptimizerImpl, OptimizerName,
    Parallelism, Precision, Program, Scenario,
};
use crate::decide::gpus::gpus_of;
use crate::decide::plan::{Adapters, in_8_bits, keeps_whole_gradients, with_batches};
use crate::units::names;

names! {
    /// The price of a change.
    Price {
        /// Nothing worth naming.
        Free = "free",
        /// Time: operations, traffic, or a wait for data.
        Slower = "slower",
        /// Fewer jobs run at once.
        FewerJobs = "fewer_jobs",
        /// The learned model changes, if only by rounding.
        Learning = "learning",
    }
}

names! {
    /// A kind of change.
    RemedyKind {
        /// `expandable_segments:True`: less fragmentation.
        ExpandableSegments = "expandable_segments",
        /// Gradients are dropped, not zeroed.
        SetToNone = "set_to_none",
        /// The caller drops the model's outputs.
        DropOutputs = "drop_outputs",
        /// One kernel for the optimizer's step, without temporaries.
        FusedOptimizer = "fused_optimizer",
        /// A kernel of attention that keeps no scores.
        FusedAttention = "fused_attention",
        /// All Liger kernels that the model has.
        LigerKernels = "liger_kernels",
        /// Head and loss piece by piece.
        ChunkedLoss = "chunked_loss",
        /// Head and loss in one kernel, which keeps no logits.
        CutCrossEntropy = "cut_cross_entropy",
        /// Logits of the last position alone in an evaluation.
        LogitsToKeep = "logits_to_keep",
        /// Predictions go to the host after each batch.
        MovePredictions = "move_predictions",
        /// One sample at a time is evaluated.
        SmallerEvaluation = "smaller_evaluation",
        /// The data set is memory-mapped instead of read into each process.
        MapDataset = "map_dataset",
        /// Arrow gives back what it used for reading.
        ReleaseArrowPool = "release_arrow_pool",
        /// Workers start afresh each epoch, and with them what they have copied.
        FreshWorkers = "fresh_workers",
        /// Two workers load batches.
        FewerWorkers = "fewer_workers",
        /// Activations are computed again in the backward pass.
        ActivationCheckpointing = "activation_checkpointing",
        /// A smaller micro-batch with more accumulation: the same global batch.
        SmallerMicroBatch = "smaller_micro_batch",
        /// Optimizer states and gradients are divided among the ranks.
        ShardStates = "shard_states",
        /// Gradients are reduced after each micro-batch, so that none are kept whole while they accumulate.
        ReduceEachBatch = "reduce_each_batch",
        /// Parameters are, too.
        ShardParameters = "shard_parameters",
        /// Batches are not copied to pinned memory.
        NoPinning = "no_pinning",
        /// One job less on each GPU.
        FewerJobsPerGpu = "fewer_jobs_per_gpu",
        /// One job less on one of the GPUs that have most.
        FewerJobs = "fewer_jobs",
        /// Autocast to bfloat16 over float32 weights.
        Autocast = "autocast",
        /// Optimizer states in 8 bits.
        EightBitOptimizer = "eight_bit_optimizer",
        /// Optimizer states that move to host RAM where the GPU is full.
        PagedOptimizer = "paged_optimizer",
        /// Optimizer states and gradients in host RAM, the step on the CPU.
        OffloadOptimizer = "offload_optimizer",
        /// Tensors for backward wait in host RAM.
        OffloadActivations = "offload_activations",
        /// The training process loads its batches itself.
        NoWorkers = "no_workers",
        /// Weights, gradients and optimizer states in bfloat16.
        PureBf16 = "pure_bf16",
        /// Adapters are trained in place of all weights.
        Lora = "lora",
        /// LoRA over a base in four bits.
        Qlora = "qlora",
    }
}

impl RemedyKind {
    /// Its price.
    pub const fn price(self) -> Price {
        match self {
            Self::ExpandableSegments
            | Self::SetToNone
            | Self::DropOutputs
            | Self::FusedOptimizer
            | Self::FusedAttention
            | Self::LigerKernels
            | Self::ChunkedLoss
            | Self::CutCrossEntropy
            | Self::LogitsToKeep
            | Self::MapDataset
            | Self::ReleaseArrowPool
            | Self::FreshWorkers
            | Self::FewerWorkers => Price::Free,
            Self::MovePredictions
            | Self::SmallerEvaluation
            | Self::ActivationCheckpointing
            | Self::SmallerMicroBatch
            | Self::ReduceEachBatch
            | Self::ShardStates
            | Self::ShardParameters
            | Self::NoPinning
            | Self::PagedOptimizer
            | Self::OffloadOptimizer
            | Self::OffloadActivations
            | Self::NoWorkers => Price::Slower,
            Self::FewerJobsPerGpu | Self::FewerJobs => Price::FewerJobs,
            Self::Autocast
            | Self::EightBitOptimizer
            | Self::PureBf16
            | Self::Lora
            | Self::Qlora => Price::Learning,
        }
    }

    /// Whether doing it once more takes still less.
    pub(super) const fn repeats(self) -> bool {
        matches!(
            self,
            Self::SmallerMicroBatch
                | Self::ShardParameters
                | Self::FewerJobsPerGpu
                | Self::FewerJobs
                | Self::OffloadOptimizer
        )
    }
}

/// The scenario with a change; nothing when it does not apply.
pub(super) fn changed(scenario: &Scenario, kind: RemedyKind) -> Option<Scenario> {
    let mut to = scenario.clone();
    change(&mut to, kind)?;
    (to != *scenario).then_some(to)
}

/// Workers that keep a loader busy while they hold little.
const FEW_WORKERS: u64 = 2;

fn change(to: &mut Scenario, kind: RemedyKind) -> Option<()> {
    match kind {
        RemedyKind::ExpandableSegments => to.allocator.expandable_segments = true,
        RemedyKind::DropOutputs => to.keep_outputs = false,
        RemedyKind::FusedAttention => fuse_attention(to)?,
        RemedyKind::LogitsToKeep | RemedyKind::MovePredictions | RemedyKind::SmallerEvaluation => {
            evaluate_with_less(to, kind)?;
        }
        RemedyKind::FewerJobsPerGpu | RemedyKind::FewerJobs => run_fewer_jobs(to, kind)?,
        RemedyKind::MapDataset => to.dataset.mode = DatasetMode::MemoryMapped,
        RemedyKind::ReleaseArrowPool => to.dataset.arrow_pool = ArrowPool::Released,
        RemedyKind::FreshWorkers => to.dataloader.persistent_workers = false,
        RemedyKind::FewerWorkers => {
            let workers = &mut to.dataloader.num_workers;
            *workers = (*workers).min(FEW_WORKERS);
        }
        RemedyKind::NoPinning => to.dataloader.pin_memory = false,
        RemedyKind::NoWorkers => to.dataloader.num_workers = 0,
        RemedyKind::SmallerMicroBatch => divide_micro_batch(to)?,
        RemedyKind::Autocast if to.precision == Precision::Fp32 => {
            to.precision = Precision::AmpBf16;
        }
        RemedyKind::PureBf16 if to.precision != Precision::Fp16 => to.precision = Precision::Bf16,
        RemedyKind::LigerKernels if to.liger_kernel.is_empty() => {
            to.liger_kernel = vec!["all".to_owned()];
        }
        _ if to.program == Program::Training => train_with_less(to, kind)?,
        _ => return None,
    }
    Some(())
}

/// Changes of what only training has.
fn train_with_less(to: &mut Scenario, kind: RemedyKind) -> Option<()> {
    match kind {
        RemedyKind::SetToNone => to.zero_grad_set_to_none = true,
        RemedyKind::FusedOptimizer => {
            let implementations = to.optimizer.name.implementations();
            if !implementations.contains(&OptimizerImpl::Fused) {
                return None;
            }
            to.optimizer.implementation = OptimizerImpl::Fused;
        }
        RemedyKind::ChunkedLoss if to.loss == Loss::Labels => to.loss = Loss::Chunked,
        RemedyKind::CutCrossEntropy if to.loss == Loss::Labels => to.loss = Loss::Cut,
        RemedyKind::ReduceEachBatch if keeps_whole_gradients(to) => {
            to.parallelism.dp.no_sync = false;
        }
        RemedyKind::ActivationCheckpointing => {
            to.activation_checkpointing = ActivationCheckpointing::Full;
        }
        RemedyKind::ShardStates | RemedyKind::ShardParameters => shard(to, kind)?,
        RemedyKind::EightBitOptimizer => to.optimizer = in_8_bits(to.optimizer)?,
        RemedyKind::PagedOptimizer => {
            to.optimizer.name = match to.optimizer.name {
                OptimizerName::AdamW if in_8_bits(to.optimizer).is_some() => {
                    to.optimizer.implementation = OptimizerImpl::Fused;
                    OptimizerName::PagedAdamW32bit
                }
                OptimizerName::AdamW8bit => OptimizerName::PagedAdamW8bit,
                _ => return None,
            };
        }
        RemedyKind::OffloadOptimizer => offload_states(to)?,
        RemedyKind::OffloadActivations => {
            to.activation_offload.kind = ActivationOffloadKind::SavedTensors;
        }
        RemedyKind::Lora if is_whole(to) => Adapters::Lora.add_to(to),
        RemedyKind::Qlora if is_whole(to) => Adapters::Qlora.add_to(to),
        RemedyKind::Qlora if to.lora.is_some() && !to.quantization.is_on() => {
            Adapters::quantize(to);
        }
        _ => return None,
    }
    Some(())
}

/// Whether all weights are trained, as they are: nothing is trained without a loss or an optimizer, and a layer by
/// itself has no base to add adapters to.
fn is_whole(scenario: &Scenario) -> bool {
    let trains = scenario.loss != Loss::None && scenario.optimizer.name != OptimizerName::None;
    let is_model = !matches!(scenario.model, ModelRef::Linear { .. });
    trains && is_model && scenario.lora.is_none() && !scenario.quantization.is_on()
}

fn fuse_attention(to: &mut Scenario) -> Option<()> {
    to.attention = match to.attention {
        Attention::Eager => Attention::Sdpa,
        // Without a mask it runs the same kernels.
        Attention::Sdpa if to.padding_mask == Some(true) => Attention::FlashAttention2,
        _ => return None,
    };
    to.sdpa_backend = None;
    Some(())
}

fn evaluate_with_less(to: &mut Scenario, kind: RemedyKind) -> Option<()> {
    let evaluation = &mut to.evaluation;
    if to.program != Program::Evaluation && evaluation.kind == EvaluationKind::None {
        return None;
    }
    match kind {
        RemedyKind::LogitsToKeep => evaluation.logits_to_keep = Some(1),
        RemedyKind::MovePredictions => evaluation.accumulation_steps = Some(1),
        _ => evaluation.micro_batch_size = Some(1),
    }
    Some(())
}

/// Divides the micro-batch by the smallest number that divides it; the samples of a step stay.
fn divide_micro_batch(to: &mut Scenario) -> Option<()> {
    let own = to.micro_batch_size;
    let divides = |by: &u64| own.is_multiple_of(*by);
    let by = (2..=own.isqrt()).find(divides).unwrap_or(own);
    if by < 2 {
        return None;
    }
    to.micro_batch_size = own / by;
    if to.program == Program::Training {
        *to = with_batches(to, |batches| batches.checked_mul(by))?;
    }
    Some(())
}

/// Whether each GPU has jobs of its own.
fn trains_alone(parallelism: &Parallelism) -> bool {
    parallelism.dp.kind == DataParallelKind::None && parallelism.model_ranks() == 1
}

fn run_fewer_jobs(to: &mut Scenario, kind: RemedyKind) -> Option<()> {
    let hardware = &mut to.hardware;
    let mut jobs = match hardware.by_gpu() {
        Some(jobs) => jobs,
        None if hardware.processes_per_gpu < 2 => return None,
        None if kind == RemedyKind::FewerJobsPerGpu => {
            hardware.processes_per_gpu -= 1;
            return Some(());
        }
        // Jobs over several GPUs cannot be taken from one of them.
        None if !trains_alone(&to.parallelism) => return None,
        None => {
            let gpus = usize::try_from(hardware.gpus_per_node).ok()?;
            vec![hardware.processes_per_gpu; gpus]
        }
    };
    let most = jobs.iter().copied().max().filter(|&most| most > 1)?;
    if kind == RemedyKind::FewerJobs {
        *jobs.iter_mut().rev().find(|jobs| **jobs == most)? -= 1;
    } else {
        jobs.iter_mut()
            .filter(|jobs| **jobs == most)
            .for_each(|jobs| *jobs -= 1);
    }
    let listed: Vec<String> = jobs.iter().map(u64::to_string).collect();
    hardware.processes_by_gpu = Some(listed.join(","));
    hardware.processes_per_gpu = 1;
    Some(())
}

/// Divides more of the training state among the ranks that see different data.
fn shard(to: &mut Scenario, kind: RemedyKind) -> Option<()> {
    /// `ZeRO`'s stage that divides parameters.
    const PARAMETERS: u64 = 3;
    if gpus_of(to) < 2 {
        return None;
    }
    let dp = &mut to.parallelism.dp;
    match (dp.kind, kind) {
        (DataParallelKind::Ddp, RemedyKind::ShardStates) => {
            dp.kind = DataParallelKind::DeepSpeedZero;
            dp.zero.stage = PARAMETERS - 1;
        }
        (DataParallelKind::DeepSpeedZero, RemedyKind::ShardStates) if dp.zero.stage < 2 => {
            dp.zero.stage = PARAMETERS - 1;
        }
        (DataParallelKind::Ddp, _) => dp.kind = DataParallelKind::Fsdp2,
        (DataParallelKind::DeepSpeedZero, RemedyKind::ShardParameters)
            if dp.zero.stage < PARAMETERS =>
        {
            dp.zero.stage = PARAMETERS;
        }
        (DataParallelKind::Fsdp2, RemedyKind::ShardParameters) => {
            dp.fsdp.reshard_after_forward = true;
        }
        _ => return None,
    }
    Some(())
}

fn offload_states(to: &mut Scenario) -> Option<()> {
    let alone = trains_alone(&to.parallelism);
    let dp = &mut to.parallelism.dp;
    match dp.kind {
        DataParallelKind::None if alone => {
            to.offload.optimizer_states = true;
            to.offload.gradients = to.gradient_accumulation_steps == 1;
        }
        DataParallelKind::Fsdp1 | DataParallelKind::Fsdp2 => dp.fsdp.cpu_offload = true,
        DataParallelKind::DeepSpeedZero if dp.zero.offload_optimizer == OffloadDevice::Cpu => {
            if dp.zero.stage < 3 {
                return None;
            }
            dp.zero.offload_param = OffloadDevice::Cpu;
        }
        DataParallelKind::DeepSpeedZero => dp.zero.offload_optimizer = OffloadDevice::Cpu,
        _ => return None,
    }
    Some(())
}

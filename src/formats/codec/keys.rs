//! The keys of a scenario: where each is in the JSON, what it is called in a link and what it
//! holds. JSON, links and the schema are all read from this one table.

use crate::ask::{
    ActivationCheckpointing, ActivationOffloadKind, AdapterDtype, ArrowPool, Attention,
    AutocastStyle, BackwardPrefetch, Checkpoint, CommHook, ComputeDtype, ContextParallelKind,
    Convolutions, DataParallelKind, DatasetMode, EvaluationKind, ExpertDispatcher,
    ExpertParallelKind, ExpertRouting, Framework, Generator, Implementation, Libraries,
    LigerVersion, LogProbs, Loss, LossType, MasterWeights, ModelLoading, MultiprocessingContext,
    ObjectiveKind, OffloadDevice, OptimizerImpl, OptimizerName, PackingKind, PipelineSchedule,
    Plan, Precision, Program, QuantizationStorage, QuantizationType, RecomputeGranularity,
    RecomputeMethod, RotateMethod, Saving, SdpaBackend, ShardingStrategy, Task, TensorParallelKind,
    TokenizerKind,
};

/// The kind of a key's value.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A model.
    Model,
    /// A whole number, at least 0.
    Count,
    /// A whole number of tokens, at least 0; in texts `8k` means 8192.
    Tokens,
    /// A whole number of bytes.
    Bytes,
    /// A number.
    Real,
    /// Yes or no.
    Flag,
    /// One of some names.
    Name(fn() -> Vec<&'static str>),
    /// A text.
    Text,
    /// Texts.
    List,
    /// Fields of a model's config with any values.
    Fields,
    /// A whole number, or a list by size such as `[256:1,>:8]`.
    Divisions,
    /// Pixels along both sides of an image, or width and height such as `1920x1080`; a text.
    Sides,
    /// How long samples are: lengths with their counts, or mean, p95 and longest.
    Lengths,
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its place in the JSON, dotted where it is nested.
    pub path: &'static str,
    /// Its name in a link.
    pub query: &'static str,
    /// The kind of its value.
    pub kind: Kind,
}

const fn key(path: &'static str, query: &'static str, kind: Kind) -> Key {
    Key { path, query, kind }
}

macro_rules! name {
    ($type:ident) => {
        Kind::Name(|| $type::ALL.iter().map(|value| value.name()).collect())
    };
}

/// Every key except the version, in the order in which they are written. Names in links are
/// published: never change one, append new ones.
pub static KEYS: &[Key] = &[
    key("model", "model", Kind::Model),
    key("model_overrides", "overrides", Kind::Fields),
    key("symbols", "symbols", Kind::Fields),
    key("layer_modules", "layer_modules", Kind::List),
    key("convolutions", "conv", name!(Convolutions)),
    key("cublas_workspace_config", "cublas", Kind::Text),
    key("task", "task", name!(Task)),
    key("micro_batch_size", "mb", Kind::Count),
    key("seq_len", "seq", Kind::Tokens),
    key("target_seq_len", "tseq", Kind::Tokens),
    key("images", "images", Kind::Count),
    key("image_size", "image", Kind::Sides),
    key("gradient_accumulation_steps", "accum", Kind::Count),
    key("precision", "precision", name!(Precision)),
    key("weights", "weights", name!(ComputeDtype)),
    key("autocast_style", "autocast", name!(AutocastStyle)),
    key("optimizer.name", "opt", name!(OptimizerName)),
    key("optimizer.impl", "impl", name!(OptimizerImpl)),
    key("optimizer.momentum", "momentum", Kind::Real),
    key("optimizer.amsgrad", "amsgrad", Kind::Flag),
    key("optimizer.weight_decay", "wd", Kind::Flag),
    key("optimizer.relative_step", "relstep", Kind::Flag),
    key("optimizer.in_backward", "inbwd", Kind::Flag),
    key("attention", "attn", name!(Attention)),
    key("sdpa_backend", "sdpa", name!(SdpaBackend)),
    key("padding_mask", "mask", Kind::Flag),
    key("use_cache", "cache", Kind::Flag),
    key(
        "activation_checkpointing",
        "ckpt",
        name!(ActivationCheckpointing),
    ),
    key("checkpoint_every", "ckpt_every", Kind::Count),
    key("lora.r", "lora", Kind::Count),
    key("lora.target_modules", "lora_targets", Kind::List),
    key("lora.dropout", "lora_dropout", Kind::Real),
    key("quantization.type", "quant", name!(QuantizationType)),
    key("quantization.double", "quant_double", Kind::Flag),
    key(
        "quantization.compute_dtype",
        "quant_compute",
        name!(ComputeDtype),
    ),
    key("quantization.prepare_for_kbit_training", "kbit", Kind::Flag),
    key("liger_kernel", "liger", Kind::List),
    key("wide_embeddings", "wide_embeddings", Kind::Flag),
    key("liger_version", "liger_version", name!(LigerVersion)),
    key("implementation", "implementation", name!(Implementation)),
    key("frozen", "frozen", Kind::List),
    key("clip_grad_norm", "clip", Kind::Flag),
    key("zero_grad_set_to_none", "set_to_none", Kind::Flag),
    key("loss", "loss", name!(Loss)),
    key("keep_outputs", "keep", Kind::Flag),
    key("program", "program", name!(Program)),
    key("evaluation.kind", "eval", name!(EvaluationKind)),
    key("evaluation.micro_batch_size", "eval_mb", Kind::Count),
    key("evaluation.batches", "eval_batches", Kind::Count),
    key("evaluation.use_cache", "eval_cache", Kind::Flag),
    key("evaluation.logits_to_keep", "logits_to_keep", Kind::Count),
    key(
        "evaluation.keep_predictions",
        "keep_predictions",
        Kind::Flag,
    ),
    key("evaluation.accumulation_steps", "eval_accum", Kind::Count),
    key("evaluation.max_new_tokens", "new_tokens", Kind::Tokens),
    key("evaluation.num_beams", "beams", Kind::Count),
    key("evaluation.do_sample", "sample", Kind::Flag),
    key("dataset.mode", "data", name!(DatasetMode)),
    key("dataset.raw_bytes", "data_size", Kind::Bytes),
    key("dataset.rows", "rows", Kind::Count),
    key("dataset.columns", "columns", Kind::Count),
    key("dataset.file_bytes", "data_file", Kind::Bytes),
    key("dataset.row_group_bytes", "row_group", Kind::Bytes),
    key("dataset.epochs", "epochs", Kind::Count),
    key("dataset.arrow_pool", "arrow_pool", name!(ArrowPool)),
    key("dataloader.num_workers", "workers", Kind::Count),
    key("dataloader.prefetch_factor", "prefetch", Kind::Count),
    key("dataloader.pin_memory", "pin", Kind::Flag),
    key("dataloader.persistent_workers", "persistent", Kind::Flag),
    key("dataloader.shuffle", "shuffle", Kind::Flag),
    key(
        "dataloader.multiprocessing_context",
        "start",
        name!(MultiprocessingContext),
    ),
    key("host.libraries", "libraries", name!(Libraries)),
    key("host.tokenizer", "tokenizer", name!(TokenizerKind)),
    key("host.checkpoint", "load", name!(Checkpoint)),
    key("host.cuda", "cuda", Kind::Flag),
    key("host.launcher", "launcher", Kind::Flag),
    key("host.other_memory", "other", Kind::Bytes),
    key("hardware.gpu", "gpu", Kind::Text),
    key("hardware.gpu_memory", "vram", Kind::Bytes),
    key("hardware.gpu_memory_in_use", "vram_used", Kind::Bytes),
    key("hardware.gpus_per_node", "gpus", Kind::Count),
    key("hardware.nodes", "nodes", Kind::Count),
    key("hardware.processes_per_gpu", "procs", Kind::Count),
    key("hardware.processes_by_gpu", "procs_by_gpu", Kind::Text),
    key("hardware.host_ram", "ram", Kind::Bytes),
    key("hardware.swap", "swap", Kind::Bytes),
    key("allocator.expandable_segments", "expandable", Kind::Flag),
    key("allocator.max_split_size_mb", "max_split", Kind::Count),
    key(
        "allocator.roundup_power2_divisions",
        "roundup",
        Kind::Divisions,
    ),
    key("allocator.garbage_collection_threshold", "gc", Kind::Real),
    key(
        "allocator.empty_cache_after_loading",
        "empty_cache",
        Kind::Flag,
    ),
    key("memory_limit", "limit", Kind::Bytes),
    key("other_device_memory", "held", Kind::Bytes),
    key("framework", "framework", name!(Framework)),
    key("offload.optimizer_states", "offload_opt", Kind::Flag),
    key("offload.gradients", "offload_grad", Kind::Flag),
    key("offload.activations", "offload_act", Kind::Flag),
    key("pad_to_multiple_of", "pad", Kind::Count),
    key("lora.use_dora", "dora", Kind::Flag),
    key("lora.modules_to_save", "lora_save", Kind::List),
    key("dataset.length_mean", "mean_len", Kind::Tokens),
    key("optimizer.master_weights", "master", name!(MasterWeights)),
    key("parallelism.dp.kind", "dp", name!(DataParallelKind)),
    key("parallelism.dp.size", "dp_size", Kind::Count),
    key("parallelism.dp.stage", "zero", Kind::Count),
    key(
        "parallelism.dp.offload_optimizer",
        "zero_offload_opt",
        name!(OffloadDevice),
    ),
    key(
        "parallelism.dp.offload_param",
        "zero_offload_param",
        name!(OffloadDevice),
    ),
    key(
        "parallelism.dp.reduce_bucket_size",
        "reduce_bucket",
        Kind::Count,
    ),
    key("parallelism.dp.cpu_offload", "fsdp_offload", Kind::Flag),
    key("parallelism.dp.pin_memory", "pin_offload", Kind::Flag),
    key("host.saving", "save", name!(Saving)),
    key("lora.target_parameters", "lora_params", Kind::List),
    key("parallelism.dp.rank", "dp_rank", Kind::Count),
    key("parallelism.dp.shard_size", "dp_shard", Kind::Count),
    key("parallelism.dp.replicate_size", "dp_replicate", Kind::Count),
    key("parallelism.dp.no_sync", "no_sync", Kind::Flag),
    key(
        "parallelism.dp.gradient_as_bucket_view",
        "bucket_view",
        Kind::Flag,
    ),
    key("parallelism.dp.bucket_cap_mb", "bucket_mb", Kind::Count),
    key("parallelism.dp.static_graph", "static_graph", Kind::Flag),
    key(
        "parallelism.dp.find_unused_parameters",
        "unused",
        Kind::Flag,
    ),
    key("parallelism.dp.comm_hook", "comm_hook", name!(CommHook)),
    key(
        "parallelism.dp.zero_redundancy_optimizer.parameters_as_bucket_view",
        "zero_opt_view",
        Kind::Flag,
    ),
    key(
        "parallelism.dp.mixed_precision.param",
        "mp_param",
        name!(ComputeDtype),
    ),
    key(
        "parallelism.dp.mixed_precision.reduce",
        "mp_reduce",
        name!(ComputeDtype),
    ),
    key(
        "parallelism.dp.mixed_precision.output",
        "mp_output",
        name!(ComputeDtype),
    ),
    key(
        "parallelism.dp.mixed_precision.cast_forward_inputs",
        "mp_inputs",
        Kind::Flag,
    ),
    key(
        "parallelism.dp.reshard_after_forward",
        "reshard",
        Kind::Flag,
    ),
    key(
        "parallelism.dp.reshard_root_after_forward",
        "reshard_root",
        Kind::Flag,
    ),
    key("parallelism.dp.wrap_embeddings", "wrap_embed", Kind::Flag),
    key(
        "parallelism.dp.explicit_prefetch",
        "fsdp_prefetch",
        Kind::Count,
    ),
    key("parallelism.dp.plan", "fsdp_plan", name!(Plan)),
    key(
        "parallelism.dp.sharding_strategy",
        "sharding",
        name!(ShardingStrategy),
    ),
    key("parallelism.dp.use_orig_params", "orig_params", Kind::Flag),
    key(
        "parallelism.dp.backward_prefetch",
        "bwd_prefetch",
        name!(BackwardPrefetch),
    ),
    key(
        "parallelism.dp.forward_prefetch",
        "fwd_prefetch",
        Kind::Flag,
    ),
    key(
        "parallelism.dp.limit_all_gathers",
        "limit_gathers",
        Kind::Flag,
    ),
    key(
        "parallelism.dp.wrap_trainable_leaves",
        "wrap_leaves",
        Kind::Flag,
    ),
    key("parallelism.dp.built_on_cpu", "built_on_cpu", Kind::Flag),
    key(
        "parallelism.dp.cpu_ram_efficient_loading",
        "ram_efficient",
        Kind::Flag,
    ),
    key("parallelism.dp.bf16", "zero_bf16", Kind::Flag),
    key("parallelism.dp.overlap_comm", "overlap", Kind::Flag),
    key(
        "parallelism.dp.contiguous_gradients",
        "contiguous",
        Kind::Flag,
    ),
    key(
        "parallelism.dp.allgather_bucket_size",
        "gather_bucket",
        Kind::Count,
    ),
    key("parallelism.dp.sub_group_size", "sub_group", Kind::Count),
    key(
        "parallelism.dp.stage3_max_live_parameters",
        "z3_live",
        Kind::Count,
    ),
    key(
        "parallelism.dp.stage3_max_reuse_distance",
        "z3_reuse",
        Kind::Count,
    ),
    key(
        "parallelism.dp.stage3_prefetch_bucket_size",
        "z3_prefetch",
        Kind::Count,
    ),
    key(
        "parallelism.dp.stage3_param_persistence_threshold",
        "z3_persist",
        Kind::Count,
    ),
    key("parallelism.dp.zero_hpz_partition_size", "hpz", Kind::Count),
    key(
        "parallelism.dp.distributed_optimizer",
        "dist_opt",
        Kind::Flag,
    ),
    key(
        "parallelism.dp.grad_reduce_in_fp32",
        "grad_fp32",
        Kind::Flag,
    ),
    key(
        "parallelism.dp.overlap_grad_reduce",
        "overlap_reduce",
        Kind::Flag,
    ),
    key(
        "parallelism.dp.overlap_param_gather",
        "overlap_gather",
        Kind::Flag,
    ),
    key("parallelism.dp.bucket_size", "bucket", Kind::Count),
    key("parallelism.tp.size", "tp", Kind::Count),
    key("parallelism.tp.kind", "tp_kind", name!(TensorParallelKind)),
    key("parallelism.tp.sequence_parallel", "sp", Kind::Flag),
    key("parallelism.tp.loss_parallel", "lp", Kind::Flag),
    key("parallelism.tp.shard_embeddings", "tp_embed", Kind::Flag),
    key("parallelism.tp.plan", "tp_plan", name!(Plan)),
    key("parallelism.pp.size", "pp", Kind::Count),
    key("parallelism.pp.rank", "pp_rank", Kind::Count),
    key(
        "parallelism.pp.schedule",
        "schedule",
        name!(PipelineSchedule),
    ),
    key("parallelism.pp.microbatches", "pp_mb", Kind::Count),
    key("parallelism.pp.stages_per_rank", "pp_stages", Kind::Count),
    key("parallelism.pp.return_outputs", "pp_outputs", Kind::Flag),
    key("parallelism.pp.overlap_p2p", "pp_overlap", Kind::Flag),
    key("parallelism.cp.size", "cp", Kind::Count),
    key("parallelism.cp.kind", "cp_kind", name!(ContextParallelKind)),
    key("parallelism.cp.rank", "cp_rank", Kind::Count),
    key("parallelism.cp.rotate", "cp_rotate", name!(RotateMethod)),
    key("parallelism.ep.size", "ep", Kind::Count),
    key("parallelism.ep.kind", "ep_kind", name!(ExpertParallelKind)),
    key("parallelism.ep.plan", "ep_plan", name!(Plan)),
    key("parallelism.ep.routing", "ep_routing", name!(ExpertRouting)),
    key(
        "parallelism.ep.dispatcher",
        "ep_dispatch",
        name!(ExpertDispatcher),
    ),
    key("parallelism.ep.capacity_factor", "ep_capacity", Kind::Real),
    key("tied_embeddings", "tied", Kind::Flag),
    key(
        "recompute.granularity",
        "recompute",
        name!(RecomputeGranularity),
    ),
    key(
        "recompute.method",
        "recompute_method",
        name!(RecomputeMethod),
    ),
    key("recompute.num_layers", "recompute_layers", Kind::Count),
    key("recompute.modules", "recompute_modules", Kind::List),
    key("attention_softmax_in_fp32", "softmax_fp32", Kind::Flag),
    key("lora.adapter_dtype", "lora_dtype", name!(AdapterDtype)),
    key("lora.kernels", "lora_kernels", Kind::List),
    key("lora.input_requires_grad", "lora_input_grad", Kind::Flag),
    key(
        "quantization.storage",
        "quant_storage",
        name!(QuantizationStorage),
    ),
    key("optimizer.rank", "rank", Kind::Count),
    key("optimizer.bf16_stochastic_round", "stochastic", Kind::Flag),
    key("optimizer.by_trainer", "by_trainer", Kind::Flag),
    key("packing.kind", "packing", name!(PackingKind)),
    key("packing.sequences", "packed", Kind::Count),
    key("selective.save", "sac", Kind::List),
    key("selective.every_second_mm", "sac_second", Kind::Flag),
    key(
        "activation_offload.kind",
        "act_offload",
        name!(ActivationOffloadKind),
    ),
    key("activation_offload.streams", "act_streams", Kind::Flag),
    key("objective.kind", "objective", name!(ObjectiveKind)),
    key("objective.completion_tokens", "completion", Kind::Tokens),
    key("objective.beta", "beta", Kind::Real),
    key("objective.log_probs", "log_probs", name!(LogProbs)),
    key(
        "objective.precompute_ref_log_probs",
        "ref_logps",
        Kind::Flag,
    ),
    key("objective.generation", "generation", name!(Generator)),
    key("objective.num_iterations", "iterations", Kind::Count),
    key(
        "objective.vllm_gpu_memory_utilization",
        "vllm_share",
        Kind::Real,
    ),
    key("around.loading", "loading", name!(ModelLoading)),
    key("around.saving", "saving", Kind::Flag),
    key("dataset.lengths", "lengths", Kind::Lengths),
    key("dataloader.group_by_length", "by_length", Kind::Flag),
    key("min_pixels", "min_pixels", Kind::Count),
    key("max_pixels", "max_pixels", Kind::Count),
    key("objective.teacher", "teacher", Kind::Model),
    key(
        "objective.teacher_dtype",
        "teacher_dtype",
        name!(ComputeDtype),
    ),
    key("neftune_noise_alpha", "neftune", Kind::Real),
    key("objective.loss_type", "loss_type", name!(LossType)),
    key("lora.target_pattern", "lora_pattern", Kind::Text),
    key("quantization.cast_back", "kbit_back", Kind::Flag),
    key("quantization.experts", "quant_experts", Kind::Flag),
    key("lora.convert_experts", "lora_convert", Kind::Flag),
];

/// Options of PEFT that change values, not the memory that holds them.
pub(super) const WITHOUT_MEMORY: &[&str] = &["lora.lora_alpha", "lora.use_rslora"];

//! The settings of several GPUs.

use super::groups::{COUNTS, FEW, FEW_OR_NONE, Group, POWERS, SHARES};
use crate::text::{Word, mesh_words};
use crate::views::setting::Absent::Called;
use crate::views::setting::{Look, Setting};

/// MiB of a bucket.
const BUCKETS: &[u64] = &[1, 5, 10, 25, 50, 100, 200, 500, 1000];

/// The mesh, then each framework's options.
pub(super) static PARALLELISM: Group = Group {
    id: "group-parallelism",
    title: Word::GroupParallelism,
    note: Some(mesh_words),
    settings: &[
        Setting::new("hardware.gpus_per_node").steps(FEW),
        Setting::new("hardware.nodes").steps(POWERS),
        Setting::new("parallelism.dp.kind"),
        Setting::new("parallelism.dp.size")
            .steps(POWERS)
            .absent(Called(Word::Automatic)),
        Setting::new("parallelism.tp.size").steps(POWERS),
        Setting::new("parallelism.pp.size").steps(POWERS),
        Setting::new("parallelism.cp.size").steps(POWERS),
        Setting::new("parallelism.ep.size").steps(POWERS),
        Setting::new("parallelism.dp.rank").steps(FEW_OR_NONE),
        Setting::new("parallelism.dp.no_sync"),
        Setting::new("parallelism.dp.pin_memory"),
        Setting::new("parallelism.dp.shard_size")
            .steps(POWERS)
            .absent(Called(Word::Automatic)),
        Setting::new("parallelism.dp.replicate_size")
            .steps(POWERS)
            .absent(Called(Word::Automatic)),
        Setting::new("parallelism.dp.cpu_offload"),
        Setting::new("parallelism.dp.mixed_precision.param")
            .absent(Called(Word::NotUsed))
            .half(),
        Setting::new("parallelism.dp.mixed_precision.reduce")
            .absent(Called(Word::Automatic))
            .half(),
        Setting::new("parallelism.dp.reshard_after_forward"),
        Setting::new("parallelism.dp.reshard_root_after_forward")
            .absent(Called(Word::Automatic))
            .half(),
        Setting::new("parallelism.dp.mixed_precision.output")
            .absent(Called(Word::NotUsed))
            .half(),
        Setting::new("parallelism.dp.mixed_precision.cast_forward_inputs"),
        Setting::new("parallelism.dp.explicit_prefetch").steps(FEW_OR_NONE),
        Setting::new("parallelism.dp.wrap_embeddings"),
        Setting::new("parallelism.dp.plan"),
        Setting::new("parallelism.dp.sharding_strategy").half(),
        Setting::new("parallelism.dp.backward_prefetch").half(),
        Setting::new("parallelism.dp.use_orig_params"),
        Setting::new("parallelism.dp.forward_prefetch"),
        Setting::new("parallelism.dp.limit_all_gathers"),
        Setting::new("parallelism.dp.wrap_trainable_leaves"),
        Setting::new("parallelism.dp.built_on_cpu"),
        Setting::new("parallelism.dp.cpu_ram_efficient_loading"),
        Setting::new("parallelism.dp.gradient_as_bucket_view"),
        Setting::new("parallelism.dp.bucket_cap_mb").steps(BUCKETS),
        Setting::new("parallelism.dp.static_graph"),
        Setting::new("parallelism.dp.find_unused_parameters"),
        Setting::new("parallelism.dp.comm_hook").half(),
        Setting::new("parallelism.dp.zero_redundancy_optimizer.parameters_as_bucket_view")
            .absent(Called(Word::NotUsed))
            .half(),
        Setting::new("parallelism.dp.stage").steps(&[0, 1, 2, 3]),
        Setting::new("parallelism.dp.offload_optimizer").half(),
        Setting::new("parallelism.dp.offload_param").half(),
        Setting::new("parallelism.dp.bf16")
            .absent(Called(Word::Automatic))
            .half(),
        Setting::new("parallelism.dp.overlap_comm")
            .absent(Called(Word::Automatic))
            .half(),
        Setting::new("parallelism.dp.contiguous_gradients"),
        Setting::new("parallelism.dp.reduce_bucket_size").steps(COUNTS),
        Setting::new("parallelism.dp.allgather_bucket_size").steps(COUNTS),
        Setting::new("parallelism.dp.sub_group_size").steps(COUNTS),
        Setting::new("parallelism.dp.stage3_max_live_parameters").steps(COUNTS),
        Setting::new("parallelism.dp.stage3_max_reuse_distance").steps(COUNTS),
        Setting::new("parallelism.dp.stage3_prefetch_bucket_size").steps(COUNTS),
        Setting::new("parallelism.dp.stage3_param_persistence_threshold").steps(COUNTS),
        Setting::new("parallelism.dp.zero_hpz_partition_size").steps(POWERS),
        Setting::new("parallelism.tp.kind").half(),
        Setting::new("parallelism.tp.plan").half(),
        Setting::new("parallelism.tp.sequence_parallel"),
        Setting::new("parallelism.tp.loss_parallel"),
        Setting::new("parallelism.tp.shard_embeddings"),
        Setting::new("parallelism.pp.schedule"),
        Setting::new("parallelism.pp.rank")
            .steps(FEW_OR_NONE)
            .absent(Called(Word::Automatic)),
        Setting::new("parallelism.pp.microbatches")
            .steps(POWERS)
            .absent(Called(Word::Automatic)),
        Setting::new("parallelism.pp.stages_per_rank")
            .steps(FEW)
            .absent(Called(Word::Automatic)),
        Setting::new("parallelism.pp.return_outputs"),
        Setting::new("parallelism.cp.kind").half(),
        Setting::new("parallelism.cp.rotate").half(),
        Setting::new("parallelism.cp.rank").steps(FEW_OR_NONE),
        Setting::new("parallelism.ep.kind").half(),
        Setting::new("parallelism.ep.plan").half(),
        Setting::new("parallelism.ep.routing"),
        Setting::new("parallelism.dp.distributed_optimizer"),
        Setting::new("parallelism.dp.grad_reduce_in_fp32"),
        Setting::new("parallelism.dp.overlap_grad_reduce"),
        Setting::new("parallelism.dp.overlap_param_gather"),
        Setting::new("parallelism.dp.bucket_size")
            .steps(COUNTS)
            .absent(Called(Word::Automatic)),
        Setting::new("parallelism.pp.overlap_p2p"),
        Setting::new("parallelism.ep.dispatcher"),
        Setting::new("parallelism.ep.capacity_factor")
            .look(Look::Shares(SHARES))
            .absent(Called(Word::NoLimit)),
        Setting::new("recompute.granularity").half(),
        Setting::new("recompute.method").half(),
        Setting::new("recompute.num_layers").steps(FEW),
        Setting::new("recompute.modules").look(Look::Names),
        Setting::new("attention_softmax_in_fp32"),
    ],
};

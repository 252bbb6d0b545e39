//! The settings of several GPUs.

use super::{Name, SettingHelp, settings};

settings! {
    "parallelism.dp.kind": "Data parallelism", "数据并行";
        "What ranks that see different data divide among them: DDP nothing, FSDP and ZeRO-3 parameters, gradients and optimizer states.",
        "处理不同数据的进程之间如何切分：DDP 不切分，FSDP 和 ZeRO-3 切分参数、梯度和优化器状态。"; "16 N / ranks, fp32 Adam", "DistributedDataParallel, FSDP, fully_shard, DeepSpeed ZeRO";
    "parallelism.dp.size": "Data parallel ranks", "数据并行进程数";
        "Ranks that see different data; all GPUs that the other axes leave unless it is said.",
        "处理不同数据的进程数；未指定时为其他维度余下的全部 GPU。"; "dp", "world_size, data_parallel_size";
    "parallelism.dp.shard_size": "Shard group size (HSDP)", "分片组大小（HSDP）";
        "Ranks among which one copy of the parameters is divided; fewer than all is hybrid sharding.",
        "一份参数副本切分到多少个进程；少于全部即为混合分片。"; "N / ranks", "DeviceMesh of fully_shard, HYBRID_SHARD";
    "parallelism.dp.replicate_size": "Replicas (HSDP)", "副本数（HSDP）";
        "Copies between which gradients are reduced, each divided among the ranks of one copy.",
        "副本之间归约梯度，每份副本再在组内切分。"; "", "DeviceMesh of fully_shard, HYBRID_SHARD";
    "parallelism.dp.rank": "Data parallel rank shown", "显示的数据并行进程";
        "The rank that is estimated, where shares differ; counted from 0.",
        "各进程份额不同时估算哪个进程，从 0 开始计数。"; "", "RANK";
    "parallelism.dp.no_sync": "no_sync while accumulating", "累积期间不同步（no_sync）";
        "While gradients accumulate they are not reduced, as Trainer and accelerate do it; off reduces after each micro-batch.",
        "梯度累积期间不归约，Trainer 和 accelerate 如此；关闭则每个微批次后归约。"; "", "no_sync(), set_requires_gradient_sync(False)";
    "parallelism.dp.pin_memory": "Pinned offload", "卸载用锁页内存";
        "Whether what is offloaded lies in pinned memory.",
        "卸载的内容是否位于锁页内存。"; "", "CPUOffloadPolicy(pin_memory=), offload_optimizer.pin_memory";
    "parallelism.dp.gradient_as_bucket_view": "DDP: gradients are views of buckets", "DDP：梯度为桶的视图";
        "Gradients lie in the buckets that are reduced: no second copy of them.",
        "梯度直接位于归约用的桶中，不再另存一份。"; "\u{2212} N bytes of gradients", "DistributedDataParallel(gradient_as_bucket_view=True)";
    "parallelism.dp.bucket_cap_mb": "DDP: MiB of a bucket", "DDP：桶大小（MiB）";
        "Gradients are reduced in buckets of this size.",
        "梯度按此大小的桶归约。"; "", "DistributedDataParallel(bucket_cap_mb=)";
    "parallelism.dp.static_graph": "DDP: static graph", "DDP：静态图";
        "The same parameters get gradients in each step.",
        "每一步获得梯度的参数相同。"; "", "DistributedDataParallel(static_graph=True)";
    "parallelism.dp.find_unused_parameters": "DDP: find unused parameters", "DDP：查找未用参数";
        "Parameters without gradients are looked for after each forward.",
        "每次前向后查找没有梯度的参数。"; "a map of parameters", "DistributedDataParallel(find_unused_parameters=True)";
    "parallelism.dp.comm_hook": "DDP: communication hook", "DDP：通信钩子";
        "A bucket may be reduced as a copy in bfloat16.",
        "桶可以复制为 bfloat16 后再归约。"; "half a bucket", "register_comm_hook(bf16_compress_hook)";
    "parallelism.dp.zero_redundancy_optimizer.parameters_as_bucket_view": "ZeroRedundancyOptimizer, bucket view", "ZeroRedundancyOptimizer，桶视图";
        "Optimizer states divided among the ranks of DDP, parameter by parameter; on: a rank's parameters become views of one bucket.",
        "在 DDP 各进程间按参数切分优化器状态；开启时各进程的参数成为一个桶的视图。"; "states / ranks", "ZeroRedundancyOptimizer(parameters_as_bucket_view=)";
    "parallelism.dp.cpu_offload": "FSDP: CPU offloading", "FSDP：CPU 卸载";
        "Parameters, gradients and optimizer states on the host.",
        "参数、梯度和优化器状态放在主机。"; "", "CPUOffload(offload_params=True), CPUOffloadPolicy()";
    "parallelism.dp.mixed_precision.param": "FSDP: param_dtype", "FSDP：param_dtype";
        "The type in which parameters are gathered and used, while shards keep theirs.",
        "参数聚合与计算所用的类型，分片保持原类型。"; "", "MixedPrecision(param_dtype=), MixedPrecisionPolicy(param_dtype=)";
    "parallelism.dp.mixed_precision.reduce": "FSDP: reduce_dtype", "FSDP：reduce_dtype";
        "The type in which gradients are reduced; that of gathered parameters unless it is said.",
        "梯度归约所用的类型；未指定时与聚合类型相同。"; "", "reduce_dtype of MixedPrecision(Policy)";
    "parallelism.dp.mixed_precision.output": "FSDP2: output_dtype", "FSDP2：output_dtype";
        "The type that the model's outputs are cast to.",
        "模型输出转换为的类型。"; "B S V logits", "MixedPrecisionPolicy(output_dtype=)";
    "parallelism.dp.mixed_precision.cast_forward_inputs": "FSDP2: inputs are cast", "FSDP2：转换输入";
        "Floating-point inputs become the type of gathered parameters.",
        "浮点输入转换为聚合参数的类型。"; "", "MixedPrecisionPolicy(cast_forward_inputs=)";
    "parallelism.dp.reshard_after_forward": "FSDP2: reshard after forward", "FSDP2：前向后重新分片";
        "Gathered parameters of layers are given back after forward and gathered again in backward; off keeps them, as ZeRO-2 does.",
        "层的聚合参数在前向后释放，反向时再次聚合；关闭则保留，如 ZeRO-2。"; "off: + N parameters", "fully_shard(reshard_after_forward=)";
    "parallelism.dp.reshard_root_after_forward": "FSDP2: reshard the root", "FSDP2：根模块重新分片";
        "The same of what belongs to no layer; fully_shard keeps it unless it is said.",
        "对不属于任何层的部分同样处理；未指定时 fully_shard 会保留。"; "2 V H", "fully_shard(model, reshard_after_forward=)";
    "parallelism.dp.wrap_embeddings": "FSDP2: embeddings by themselves", "FSDP2：嵌入单独成组";
        "Embeddings are a group of their own, and final norm and head another one.",
        "嵌入单独成组，最后的归一化与输出头为另一组。"; "", "fully_shard(model.embed_tokens)";
    "parallelism.dp.explicit_prefetch": "FSDP2: layers gathered ahead", "FSDP2：提前聚合的层数";
        "Layers gathered ahead; 0 leaves it to FSDP, which gathers one ahead in backward.",
        "提前聚合的层数；0 由 FSDP 决定，反向时提前聚合一层。"; "", "set_modules_to_forward_prefetch";
    "parallelism.dp.plan": "FSDP2: groups", "FSDP2：分组方式";
        "Each layer and the rest, or as transformers' own plan says.",
        "每层一组加其余部分，或按 transformers 自带的方案。"; "", "base_model_fsdp_plan";
    "parallelism.dp.sharding_strategy": "FSDP1: sharding strategy", "FSDP1：分片策略";
        "What FSDP1 divides, and whether gathered parameters stay until backward.",
        "FSDP1 切分什么，以及聚合的参数是否保留到反向。"; "", "ShardingStrategy";
    "parallelism.dp.use_orig_params": "FSDP1: original parameters", "FSDP1：保留原参数";
        "Parameters stay views of the flat one, so that each has its own optimizer state.",
        "参数保持为展平参数的视图，各自拥有优化器状态。"; "", "FullyShardedDataParallel(use_orig_params=)";
    "parallelism.dp.backward_prefetch": "FSDP1: backward prefetch", "FSDP1：反向预取";
        "When the next parameters are gathered in backward.",
        "反向时何时聚合下一组参数。"; "one more layer", "BackwardPrefetch";
    "parallelism.dp.forward_prefetch": "FSDP1: forward prefetch", "FSDP1：前向预取";
        "The next parameters are gathered during forward.",
        "前向期间聚合下一组参数。"; "one more layer", "FullyShardedDataParallel(forward_prefetch=True)";
    "parallelism.dp.limit_all_gathers": "FSDP1: limit all-gathers", "FSDP1：限制聚合数量";
        "The CPU waits, so that at most two layers are gathered at once.",
        "CPU 会等待，使同时聚合的层最多两层。"; "", "FullyShardedDataParallel(limit_all_gathers=)";
    "parallelism.dp.wrap_trainable_leaves": "FSDP1: adapters are units", "FSDP1：适配器单独成单元";
        "Each module that is trained by itself is a unit of its own, as peft's policy makes it.",
        "单独训练的模块各自成为一个单元，即 peft 的策略。"; "", "peft.utils.other.fsdp_auto_wrap_policy";
    "parallelism.dp.built_on_cpu": "FSDP1: built on the CPU", "FSDP1：在 CPU 上构建";
        "The model is built on the CPU, and each unit moves to the GPU when it is wrapped, as with accelerate; else all of it is on the GPU before.",
        "模型在 CPU 上构建，每个单元在包装时才移到 GPU（accelerate 即如此）；否则整个模型先放在 GPU 上。"; "", "FullyShardedDataParallel(device_id=)";
    "parallelism.dp.cpu_ram_efficient_loading": "FSDP: the first rank loads", "FSDP：仅首个进程加载";
        "Of a node's processes the first alone reads the weights and sends them to the others.",
        "每个节点只有首个进程读取权重，再发送给其他进程。"; "less RAM", "cpu_ram_efficient_loading";
    "parallelism.dp.stage": "ZeRO stage", "ZeRO 阶段";
        "1 divides optimizer states, 2 gradients, too, 3 parameters, too.",
        "1 切分优化器状态，2 还切分梯度，3 还切分参数。"; "", "zero_optimization.stage";
    "parallelism.dp.offload_optimizer": "ZeRO: optimizer on", "ZeRO：优化器放在";
        "Optimizer states, fp32 weights and gradients on the host.",
        "优化器状态、fp32 权重和梯度放在主机。"; "", "offload_optimizer.device";
    "parallelism.dp.offload_param": "ZeRO: parameters on", "ZeRO：参数放在";
        "Parameters on the host, with stage 3.",
        "参数放在主机，需要阶段 3。"; "", "offload_param.device";
    "parallelism.dp.bf16": "ZeRO: engine in bf16", "ZeRO：bf16 引擎";
        "The engine casts the model to bfloat16 and keeps fp32 weights beside it; as the precision says unless it is said.",
        "引擎把模型转换为 bfloat16 并另存 fp32 权重；未指定时取决于精度设置。"; "2 N + 12 N / ranks", "bf16.enabled";
    "parallelism.dp.overlap_comm": "ZeRO: overlap", "ZeRO：通信重叠";
        "Gradients are reduced while backward goes on; in stage 3 unless it is said.",
        "反向进行时即归约梯度；未指定时仅阶段 3 如此。"; "a second bucket", "overlap_comm";
    "parallelism.dp.contiguous_gradients": "ZeRO: contiguous gradients", "ZeRO：连续梯度";
        "Gradients are copied into one buffer as they come.",
        "梯度产生时即复制到一个缓冲区。"; "", "contiguous_gradients";
    "parallelism.dp.reduce_bucket_size": "ZeRO: reduce bucket", "ZeRO：归约桶大小";
        "Elements of the buffers in which gradients are reduced.",
        "归约梯度所用缓冲区的元素数。"; "2 bytes each in bf16", "reduce_bucket_size";
    "parallelism.dp.allgather_bucket_size": "ZeRO: gather bucket", "ZeRO：聚合桶大小";
        "Elements that stages 1 and 2 gather at once after a step.",
        "阶段 1 和 2 在更新后一次聚合的元素数。"; "", "allgather_bucket_size";
    "parallelism.dp.sub_group_size": "ZeRO-3: sub-group", "ZeRO-3：子组大小";
        "Elements after which the optimizer begins another group; it steps over one at a time.",
        "优化器每组的元素数，逐组更新。"; "", "sub_group_size";
    "parallelism.dp.stage3_max_live_parameters": "ZeRO-3: live parameters", "ZeRO-3：存活参数上限";
        "Gathered elements that may live at once.",
        "可同时存活的聚合元素数。"; "2 bytes each in bf16", "stage3_max_live_parameters";
    "parallelism.dp.stage3_max_reuse_distance": "ZeRO-3: reuse distance", "ZeRO-3：重用距离";
        "A gathered parameter stays when its next use is within so many elements.",
        "若下次使用在此元素数之内，聚合的参数会保留。"; "", "stage3_max_reuse_distance";
    "parallelism.dp.stage3_prefetch_bucket_size": "ZeRO-3: prefetch", "ZeRO-3：预取大小";
        "Elements gathered ahead.",
        "提前聚合的元素数。"; "", "stage3_prefetch_bucket_size";
    "parallelism.dp.stage3_param_persistence_threshold": "ZeRO-3: never divided below", "ZeRO-3：不切分的阈值";
        "Parameters with fewer elements stay whole on every rank.",
        "元素数更少的参数在每个进程上保持完整。"; "", "stage3_param_persistence_threshold";
    "parallelism.dp.zero_hpz_partition_size": "ZeRO-3: second copy divided among", "ZeRO-3：二级副本的进程数";
        "Ranks among which a second copy of the parameters is divided (hpZ); 1 means none.",
        "二级参数副本（hpZ）切分到多少个进程；1 表示没有。"; "2 N / ranks", "zero_hpz_partition_size";
    "parallelism.dp.distributed_optimizer": "Distributed optimizer", "分布式优化器";
        "Megatron-Core divides optimizer states and fp32 weights among the ranks.",
        "Megatron-Core 在各进程间切分优化器状态和 fp32 权重。"; "12 N / ranks", "--use-distributed-optimizer";
    "parallelism.dp.grad_reduce_in_fp32": "Gradients in fp32", "fp32 梯度";
        "Megatron-Core keeps and reduces gradients in fp32.",
        "Megatron-Core 以 fp32 保存并归约梯度。"; "4 N bytes", "--accumulate-allreduce-grads-in-fp32";
    "parallelism.dp.overlap_grad_reduce": "Overlap of reductions", "归约重叠";
        "Megatron-Core reduces gradients while backward goes on.",
        "Megatron-Core 在反向进行时归约梯度。"; "", "--overlap-grad-reduce";
    "parallelism.dp.overlap_param_gather": "Overlap of gathers", "聚合重叠";
        "Megatron-Core gathers parameters while the next forward goes on.",
        "Megatron-Core 在下一次前向进行时聚合参数。"; "", "--overlap-param-gather";
    "parallelism.dp.bucket_size": "Elements of a bucket", "桶的元素数";
        "Megatron-Core's buckets of gradients; its own choice unless it is said.",
        "Megatron-Core 的梯度桶；未指定时由其自行选择。"; "", "--ddp-bucket-size";
    "parallelism.tp.size": "Tensor parallel ranks", "张量并行进程数";
        "Ranks among which each matrix is divided; 1 means none.",
        "每个矩阵切分到多少个进程；1 表示不切分。"; "tp", "tensor_model_parallel_size, parallelize_module";
    "parallelism.tp.kind": "Tensor parallelism of", "张量并行实现";
        "PyTorch's DTensor or Megatron-Core.",
        "PyTorch 的 DTensor 或 Megatron-Core。"; "", "parallelize_module, ColumnParallelLinear";
    "parallelism.tp.sequence_parallel": "Sequence parallel", "序列并行";
        "Norms and residuals are divided along the sequence.",
        "归一化和残差沿序列切分。"; "B S H / tp", "SequenceParallel, --sequence-parallel";
    "parallelism.tp.loss_parallel": "Loss parallel", "损失并行";
        "Logits stay divided along the vocabulary for the loss.",
        "计算损失时 logits 沿词表保持切分。"; "B S V / tp", "loss_parallel()";
    "parallelism.tp.shard_embeddings": "Embeddings and head divided", "切分嵌入与输出头";
        "Whether embeddings and head are divided, too.",
        "是否也切分嵌入和输出头。"; "2 V H / tp", "RowwiseParallel of embed_tokens, ColwiseParallel of lm_head";
    "parallelism.tp.plan": "Tensor parallel plan", "张量并行方案";
        "Which modules are divided: as training scripts do, or as transformers' own plan says.",
        "切分哪些模块：按常见训练脚本，或按 transformers 自带的方案。"; "", "base_model_tp_plan";
    "parallelism.pp.size": "Pipeline parallel ranks", "流水线并行进程数";
        "Ranks among which the layers are divided; 1 means none.",
        "层切分到多少个进程；1 表示不切分。"; "pp", "pipeline_model_parallel_size";
    "parallelism.pp.rank": "Pipeline rank shown", "显示的流水线进程";
        "The rank that is estimated, counted from 0; the one that takes most unless it is said.",
        "估算哪个进程，从 0 开始计数；未指定时为占用最多的进程。"; "", "RANK";
    "parallelism.pp.schedule": "Pipeline schedule", "流水线调度";
        "In which order a stage works on micro-batches; it decides how many are in flight.",
        "各阶段处理微批次的顺序，决定同时在途的微批次数。"; "", "torch.distributed.pipelining.schedules";
    "parallelism.pp.microbatches": "Micro-batches of a step", "每步微批次数";
        "Micro-batches of one step of the schedule; as many as ranks unless it is said.",
        "调度每一步的微批次数；未指定时等于流水线进程数。"; "M", "n_microbatches, num_microbatches";
    "parallelism.pp.stages_per_rank": "Stages of a rank", "每进程阶段数";
        "Stages that a rank works on; as few as the schedule works with unless it is said.",
        "每个进程负责的阶段数；未指定时取调度所需的最少数。"; "", "virtual_pipeline_model_parallel_size";
    "parallelism.pp.return_outputs": "Outputs are joined", "合并输出";
        "The last stage keeps the logits of all micro-batches and joins them, PyTorch's default.",
        "最后阶段保留所有微批次的 logits 并合并，这是 PyTorch 的默认行为。"; "2 M B S V", "schedule.step(return_outputs=)";
    "parallelism.pp.overlap_p2p": "Sends overlap", "收发重叠";
        "Megatron-Core sends and receives beside the computation.",
        "Megatron-Core 在计算的同时收发。"; "", "overlap_p2p_comm";
    "parallelism.cp.size": "Context parallel ranks", "上下文并行进程数";
        "Ranks among which the sequence is divided; 1 means none.",
        "序列切分到多少个进程；1 表示不切分。"; "cp", "context_parallel_size";
    "parallelism.cp.kind": "Context parallelism of", "上下文并行方式";
        "Keys and values go around in a ring, or heads in place of positions (Ulysses).",
        "键和值环形传递，或以注意力头代替位置（Ulysses）。"; "", "context_parallel, DeepSpeed-Ulysses";
    "parallelism.cp.rank": "Context parallel rank shown", "显示的上下文并行进程";
        "The rank that is estimated; counted from 0.",
        "估算哪个进程，从 0 开始计数。"; "", "RANK";
    "parallelism.cp.rotate": "KV rotation", "KV 轮转";
        "All at once or one rank's at a time.",
        "一次全部到达，或每次一个进程的部分。"; "2 B S K D / tp", "set_rotate_method";
    "parallelism.ep.size": "Expert parallel ranks", "专家并行进程数";
        "Ranks among which the experts are divided, among those of the other axes; 1 means none.",
        "专家切分到多少个进程（属于其他维度的进程）；1 表示不切分。"; "ep", "ep_size, expert_model_parallel_size";
    "parallelism.ep.kind": "Token dispatch", "词元分发方式";
        "Tokens go to the ranks of their experts, or, where ranks see the same tokens, each works on its experts' share.",
        "词元发送到专家所在的进程；或在看到相同词元的进程间，各自处理属于其专家的部分。"; "", "ep_implementation";
    "parallelism.ep.plan": "Expert parallel plan", "专家并行方案";
        "Which modules are divided.",
        "切分哪些模块。"; "", "base_model_ep_plan";
    "parallelism.ep.routing": "Routing", "路由";
        "How many tokens each expert gets, which depends on values.",
        "每个专家得到多少词元，取决于数值。"; "", "router";
    "parallelism.ep.dispatcher": "Megatron: token dispatcher", "Megatron：词元分发器";
        "Megatron-Core sends tokens to the ranks of their experts, or all tokens to all ranks.",
        "Megatron-Core 把词元发送到专家所在的进程，或把全部词元发送到所有进程。"; "", "--moe-token-dispatcher-type";
    "parallelism.ep.capacity_factor": "Expert capacity", "专家容量";
        "Tokens that an expert may get, as a multiple of its balanced share, to which it is padded.",
        "每个专家可得词元数与均衡份额之比，不足则填充。"; "", "--moe-expert-capacity-factor";
    "recompute.granularity": "Megatron-Core recomputes", "Megatron-Core 重计算";
        "Some modules or whole layers are computed again in backward.",
        "反向时重新计算部分模块或整层。"; "", "--recompute-granularity";
    "recompute.method": "Which layers", "哪些层";
        "All layers in chunks, or the first of each stage.",
        "按块重计算所有层，或每个阶段的前若干层。"; "", "--recompute-method";
    "recompute.num_layers": "Layers of a chunk", "每块层数";
        "Layers of a chunk, or of a stage.",
        "每块（或每个阶段）重计算的层数。"; "", "--recompute-num-layers";
    "recompute.modules": "Recomputed modules", "重计算的模块";
        "Modules that are computed again, such as core_attn.",
        "重新计算的模块，例如 core_attn。"; "", "--recompute-modules";
    "attention_softmax_in_fp32": "Softmax of attention in fp32", "注意力 softmax 用 fp32";
        "Megatron-Core computes it on a copy in fp32.",
        "Megatron-Core 在 fp32 副本上计算。"; "B A S\u{b2} \u{d7} 4 bytes", "--attention-softmax-in-fp32";
}

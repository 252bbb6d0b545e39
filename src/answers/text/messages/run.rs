//! Messages of `resolve` about runs and machines.

use super::group::groups;

groups! {
    activations {
        unknown: "There is no operation {name:?} to keep; there are {names}.",
            "没有名为 {name:?} 的可保存运算；可选：{names}。";
        operations: "Checkpointing operation by operation is estimated for models of transformers 5 that are whole on each rank.",
            "按运算重计算目前支持 transformers 5 的模型，且每个 rank 拥有完整模型。";
        ranks: "Activations on the host are estimated on one GPU and under DDP.",
            "激活值卸载目前支持单 GPU 与 DDP。";
        twice: "Activations go to the host once: by offload.activations or by activation_offload.",
            "激活值只卸载一次：使用 offload.activations 或 activation_offload。";
        several: "axolotl's checkpoint goes backward through one result; layers here return several.",
            "axolotl 的检查点只对一个结果反向传播，而这里的层返回多个。";
        inputs: "What layers read goes to the host by a checkpoint of its own in the place of the re-entrant one.",
            "层输入的卸载由替代可重入重计算的检查点完成。";
    }
    allocator {
        max_split_size: "max_split_size_mb is {mib}; PyTorch takes values above {large_segment_mib}.",
            "max_split_size_mb 为 {mib}；PyTorch 要求大于 {large_segment_mib}。";
        garbage_collection: "garbage_collection_threshold is {share}; it must lie between 0 and 1.",
            "garbage_collection_threshold 为 {share}；必须在 0 与 1 之间。";
        roundup: "roundup_power2_divisions is {shown}; it must be a power of two, or a list such as [256:1,512:2,>:8] of powers of two by size in MiB, in which 0 turns rounding off.",
            "roundup_power2_divisions 为 {shown}；必须是 2 的幂，或形如 [256:1,512:2,>:8] 的列表（按 MiB 大小给出 2 的幂，0 表示不取整）。";
    }
    chunked_loss {
        in_chunks: "in chunks",
            "分块计算";
        without_logits: "of Cut Cross-Entropy",
            "Cut Cross-Entropy";
        as_they_are: "of logits as they are",
            "不转换 logits";
        cast_before: "of logits that the model casts",
            "由模型转换 logits";
        plain_logits_only: "A loss {loss} is estimated only for decoders of text, and for models of images and text with Cut Cross-Entropy, whose logits are the head's result as it is.",
            "{loss}的损失只支持 logits 直接由输出层给出的解码器。";
        in_16_bits: "Cut Cross-Entropy takes hidden states in 16 bits only: use autocast or weights in bf16.",
            "Cut Cross-Entropy 只接受 16 位的隐藏状态：请使用自动混合精度或 bf16 权重。";
        training_only: "A loss {loss} is one of training, or with Cut Cross-Entropy of evaluations that compute one.",
            "{loss}的损失只用于训练；Cut Cross-Entropy 也用于计算损失的评估。";
        wrapped_model: "A loss {loss} is not estimated around the wrapped models of accelerate, DeepSpeed and Megatron yet.",
            "{loss}的损失暂不支持 accelerate、DeepSpeed 或 Megatron 包装的模型。";
    }
    closeness {
        several_gpus: "Each GPU is estimated as a copy of its own; of what data parallelism adds, the buffers of one of NCCL's communicators are counted. Say in parallelism.dp who reduces gradients, and their buckets and shards are counted, too.",
            "每块 GPU 按独立副本估算；数据并行额外占用的显存中，已计入一个 NCCL 通信器的缓冲区。在 parallelism.dp 中指明由谁归约梯度后，梯度桶与分片也会计入。";
        without_cuda: "Without CUDA it trains on the CPU: the tensors of the GPU's side are counted in host RAM, and no GPU memory is needed. PyTorch's own choice of optimizer step there is for_loop.",
            "未使用 CUDA 时在 CPU 上训练：GPU 一侧的张量计入主机内存，不占用显存。此时 PyTorch 默认使用 for_loop 优化器实现。";
        no_scaler: "Pure fp16 trains without a gradient scaler, which refuses fp16 gradients; amp_fp16 has one.",
            "纯 fp16 训练无法使用梯度缩放（GradScaler 不接受 fp16 梯度）；amp_fp16 可以。";
        before_ampere: "Before Ampere sdpa takes other kernels in 16-bit precisions; attention is estimated with those of newer GPUs, which may be too little.",
            "Ampere 之前的 GPU 在 16 位精度下使用其他 sdpa 内核；此处按较新 GPU 的内核估算，可能偏低。";
    }
    evaluation {
        logits_to_keep_ignored: "forward of this model has no parameter logits_to_keep in {framework}: logits of all positions are computed, not of the last {kept}.",
            "在 {framework} 中，该模型的 forward 没有 logits_to_keep 参数：会计算全部位置的 logits，而不只是末尾 {kept} 个。";
        logits_to_keep_fails: "forward of this model has no parameter logits_to_keep in {framework}, which fails when it is given; leave it out for the logits of all positions.",
            "在 {framework} 中，该模型的 forward 没有 logits_to_keep 参数，传入会报错；不设置则计算全部位置的 logits。";
        of_model: "of this model",
            "该模型";
        of_model_in_4: "of this model in transformers 4",
            "transformers 4 中该模型";
        of_model_in_448: "of this model in transformers 4.48",
            "transformers 4.48 中该模型";
        with_flash: "with the flash-attn package",
            "使用 flash-attn 包时";
        of_model_with_beams: "of this model with beams",
            "该模型使用束搜索时";
        with_beams_in_448: "with beams in transformers 4.48",
            "transformers 4.48 中使用束搜索时";
        generation: "Generation {which} is not estimated yet; a forward pass for the loss is.",
            "暂不支持估算{which}的生成过程；支持计算损失的前向传播。";
        cache: "The key-value cache {which} is not estimated yet.",
            "暂不支持估算{which}的键值缓存。";
    }
    hardware {
        unknown_gpu: "There is no GPU {shown:?} in the catalog; choose one from it, and give hardware.gpu_memory when its memory differs.{hint}",
            "目录中没有 GPU {shown:?}；请从目录中选择，显存不同时给出 hardware.gpu_memory。{hint}";
        variants: " Named so there are {ids}.",
            "名称相近的有 {ids}。";
        by_gpu: "hardware.processes_by_gpu is {shown:?}; it must be a number for each of the {gpus} GPUs of a machine, as in 2,2,1, each at most {most} and not all 0.",
            "hardware.processes_by_gpu 为 {shown:?}；必须为每台机器的 {gpus} 块 GPU 各给一个数，如 2,2,1，每个至多 {most}，且不能全为 0。";
        process_takes: "A process that has imported PyTorch takes half a GiB already; give the RAM of a node, or a container's limit.",
            "仅导入 PyTorch 的进程就已占用约 0.5 GiB；请给出节点内存或容器的内存上限。";
    }
    liger {
        swiglu_activation: "Liger's swiglu takes the activation silu only; the model's hidden_act is another one.",
            "Liger 的 swiglu 仅支持 silu 激活；该模型的 hidden_act 不是 silu。";
        lacking: "Liger 0.8.5 has no {name} for this model (NotImplementedError).",
            "Liger 0.8.5 没有适用于该模型的 {name}（NotImplementedError）。";
        unknown: "There is no Liger kernel {shown:?}; there are {all}.",
            "没有名为 {shown:?} 的 Liger 内核；可选：{all}。";
        two_losses: "Liger's cross_entropy and fused_linear_cross_entropy exclude each other.",
            "Liger 的 cross_entropy 与 fused_linear_cross_entropy 互斥。";
        loss_without_effect: "Liger's losses have no effect: the model does not compute the loss from labels.",
            "Liger 的损失内核不起作用：损失不是由模型按标签计算。";
        former_names: "Liger 0.8.5 fails on Qwen-VL of transformers 5.23, whose classes it imports by former names.",
            "Liger 0.8.5 以旧名称导入 Qwen-VL 的类，在 transformers 5.23 上会报错。";
        no_kernels: "Liger has no kernels for this model, or they are not estimated yet: it is estimated without them, which takes as much or more.",
            "Liger 没有适用于该模型的内核，或尚未支持估算：按不使用这些内核估算，所需显存相同或更多。";
        loss_not_called: "The Liger kernel {name} has no effect: for this model it replaces a loss that transformers no longer calls.",
            "Liger 内核 {name} 不起作用：它替换的是 transformers 已不再为该模型调用的损失。";
        no_such_product: "The Liger kernel {name} has no effect: the model has no such product.",
            "Liger 内核 {name} 不起作用：该模型没有这种运算。";
    }
    offload {
        gradients_alone: "Gradients are offloaded together with the optimizer states only.",
            "只有同时卸载优化器状态才能卸载梯度。";
        optimizer: "Offloading the optimizer is estimated for torch.optim's AdamW, Adam and SGD.",
            "优化器卸载目前支持 torch.optim 的 AdamW、Adam 和 SGD。";
        clipped: "CPUOffloadOptimizer copies gradients during backward, before they could be clipped.",
            "CPUOffloadOptimizer 在反向传播期间复制梯度，此时无法裁剪。";
        scaled: "CPUOffloadOptimizer copies gradients during backward, before a gradient scaler could unscale them.",
            "CPUOffloadOptimizer 在反向传播期间复制梯度，梯度缩放器无法还原。";
        dropped: "CPUOffloadOptimizer drops gradients in zero_grad.",
            "CPUOffloadOptimizer 的 zero_grad 会释放梯度。";
        accumulated: "Gradients that leave the device after each backward cannot be accumulated there.",
            "每次反向传播后即离开 GPU 的梯度无法累积。";
        steps_inside_backward: "An offloaded optimizer steps after backward, on the CPU.",
            "卸载的优化器在反向传播之后于 CPU 上更新。";
    }
    around {
        linear: "Loading is estimated for models of transformers.",
            "仅支持估算 transformers 模型的加载。";
        training_only: "Loading and saving are estimated around training.",
            "仅支持估算训练前后的加载与保存。";
        ranks: "Loading is estimated on one GPU, and of ranks under DDP, ZeRO (no quantized weights) and, by way of the host, FSDP.",
            "加载目前支持单个 GPU，以及 DDP、ZeRO（不含量化权重）、经由主机的 FSDP 的进程。";
        zero_3: "Only under ZeRO 3 are models built within zero.Init; elsewhere they come whole.",
            "只有 ZeRO 3 在 zero.Init 中构建模型；其他情况下模型整体载入。";
        one_dtype: "DeepSpeed trains one dtype; within zero.Init adapters are float32 beside half-precision copies of modules, unless adapter_dtype is base.",
            "DeepSpeed 只训练一种数据类型；在 zero.Init 中，除非 adapter_dtype 为 base，适配器为 float32，而模块副本为半精度。";
        as_built: "Loading within zero.Init is estimated for decoders.",
            "zero.Init 中的加载目前仅支持解码器。";
        own_loop: "Loading is not estimated beside this yet.",
            "暂不支持与此同时估算加载。";
        experts: "Straight to the device the weights of experts are estimated for decoders of texts; onto the host first for all.",
            "专家权重直接载入显存目前支持文本解码器；先载入主机则均可。";
        framework: "Loading and saving are estimated for {framework}.",
            "加载与保存目前支持 {framework}。";
        saved_by_data_parallelism: "What saving takes on the GPU is estimated under data parallelism alone.",
            "保存检查点的显存目前只支持数据并行。";
        speech: "Straight to the device some weights of models of speech are computed anew, which is not estimated yet; onto the host first they are.",
            "直接载入显存时，语音模型的部分权重会重新计算，暂不支持估算；可改为先载入主机。";
        shared_weights: "Under FSDP2 weights that modules share come once for each of them, which is known for decoders.",
            "FSDP2 会为共享权重的每个模块各传送一次；目前仅支持解码器。";
        saved_by_fsdp1: "Of FSDP1 a full state that is gathered from shards is estimated.",
            "FSDP1 仅支持估算从分片聚合的完整状态。";
        saved_from_host: "Of what is offloaded a checkpoint is written from the host; what passes through the GPU is not estimated.",
            "卸载的内容从主机写出检查点；暂不估算经过显存的部分。";
    }
    packing {
        models: "Packed rows are estimated for models trained to predict the next token.",
            "打包的样本目前支持以预测下一个词元训练的模型。";
        kernels: "Told where sequences begin, this model's layers need kernels of another package to keep them apart; without those transformers fails. By position_ids they run, and mix the sequences of a row.",
            "得知序列起点后，该模型的层需要其他软件包的内核才能分隔序列，否则 transformers 会报错；仅用 position_ids 可以运行，但同一行的序列会相互混合。";
        framework: "Packed rows are estimated for {framework}.",
            "打包的样本目前支持 {framework}。";
        one_row: "padding_free puts all samples into one row: give its tokens as seq_len, with micro_batch_size 1.",
            "padding_free 把所有样本放入一行：以 seq_len 给出该行的词元数，micro_batch_size 设为 1。";
        padding: "Packed rows have no padding; beside an attention_mask transformers does not look at positions.",
            "打包的样本没有填充；传入 attention_mask 时 transformers 不检查位置。";
        lengths: "Packed rows are all of one length.",
            "打包的样本长度相同。";
        training_only: "Packed rows are estimated in training and in evaluations of loss or logits, not alone in a forward pass or as prompts.",
            "打包的样本支持训练以及损失或 logits 的评估，不支持单独的前向计算或生成。";
        cache: "With a key-value cache transformers does not look at positions: packed sequences would see each other.",
            "使用键值缓存时 transformers 不检查位置：打包的序列会互相看到。";
        ranks: "Packed rows are not estimated beside tensor, pipeline or context parallelism or Megatron-Core yet.",
            "打包的样本暂不支持张量、流水线或上下文并行以及 Megatron-Core。";
        unseen: "transformers makes this model's masks without position_ids: sequences of a row see each other.",
            "transformers 生成该模型的掩码时不使用 position_ids：同一行的序列会互相看到。";
        contaminated: "flash_attention_2 looks at position_ids for one row only: with more rows the sequences of a row see each other. Use micro_batch_size 1, or sdpa.",
            "flash_attention_2 只对单行检查 position_ids：多行时同一行的序列会互相看到。请使用 micro_batch_size 1 或 sdpa。";
    }
    optimizer {
        implementation: "{name} has no implementation {given:?}; it has {all}.",
            "{name} 没有 {given:?} 实现；可选：{all}。";
        momentum: "momentum is {momentum}; it must be at least 0 and below 1.",
            "momentum 为 {momentum}；必须不小于 0 且小于 1。";
        muon: "torch.optim.Muon exists since PyTorch 2.9; {framework} does not have it.",
            "torch.optim.Muon 自 PyTorch 2.9 起提供；{framework} 中没有。";
        fused_adagrad: "{framework} has no fused Adagrad on CUDA.",
            "{framework} 没有 CUDA 上的 fused Adagrad。";
        sgd_8bit_without_momentum: "bitsandbytes has no 8-bit SGD without momentum.",
            "bitsandbytes 的 8 位 SGD 必须使用动量。";
        alone: "{name} is estimated on one GPU and under DDP (LOMO on one GPU) yet.",
            "{name} 目前只支持单 GPU 与 DDP（LOMO 只支持单 GPU）。";
        torchao_parts: "{name}'s step fails where FSDP2 shards parameters with torch 2.15 and torchao 0.18, which do not compile it for DTensors; it is estimated as one that works over a rank's part.",
            "torch 2.15 与 torchao 0.18 无法为 DTensor 编译 {name} 的更新，FSDP2 划分参数时会失败；这里按其在本 rank 的那部分参数上正常运行来估算。";
        recent: "{name} is estimated in {framework}.",
            "{name} 目前支持 {framework}。";
        backward_by_itself: "{name} is not estimated with an optimizer for each parameter.",
            "{name} 不支持每个参数各用一个优化器。";
        adalomo_whole: "AdaLOMO keeps states of frozen parameters, too: it is estimated for models trained as a whole.",
            "AdaLOMO 也为冻结参数保存状态：目前只支持训练整个模型。";
        fails_over: "{name} fails over the shape of {path}; use adamw.",
            "{name} 无法处理 {path} 的形状；请使用 adamw。";
        adam_mini_whole: "Adam-mini divides queries and keys into heads, which adapters do not have.",
            "Adam-mini 按注意力头划分查询与键，适配器没有这样的结构。";
        adam_mini_heads: "Adam-mini divides queries and keys into heads of hidden_size x hidden_size / num_attention_heads elements: this model's do not divide so, or it is none of the decoders that this is estimated for.",
            "Adam-mini 把查询与键按 hidden_size x hidden_size / num_attention_heads 个元素划分：该模型无法这样划分，或不是支持估算的解码器。";
        without_effect: "{key} has no effect: {name} does not have that option.",
            "{key} 不起作用：{name} 没有该选项。";
        sgd_8bit_small_parameters: "bitsandbytes fails to step parameters of less than 4096 elements, like those of norms, with sgd_8bit and gradients in bf16; use sgd, or another precision.",
            "对于不足 4096 个元素的参数（如归一化层），bitsandbytes 的 sgd_8bit 无法处理 bf16 梯度；请使用 sgd 或其他精度。";
        master_weights_in_full_precision: "optimizer.master_weights are copies of weights in half precision: precision must be bf16 or fp16.",
            "optimizer.master_weights 是半精度权重的副本：precision 必须为 bf16 或 fp16。";
        master_weights_of_others: "optimizer.master_weights are estimated for adam and adamw only.",
            "optimizer.master_weights 目前只支持 adam 和 adamw。";
        master_weights_over_quantized: "optimizer.master_weights are not estimated with a quantized base yet.",
            "optimizer.master_weights 暂不支持与量化基座同时使用。";
        master_weights_amsgrad: "optimizer.master_weights of Megatron are stepped over by apex's FusedAdam, which has no amsgrad.",
            "optimizer.master_weights 由 Megatron 使用 apex 的 FusedAdam 更新，它不支持 amsgrad。";
        master_weights_step: "optimizer.master_weights need an optimizer that steps on the device after backward.",
            "optimizer.master_weights 要求优化器在反向传播之后于显卡上更新。";
        backward_accumulates: "The optimizer steps inside backward, so gradients cannot be accumulated.",
            "优化器在反向传播中更新，因此无法累积梯度。";
        backward_clips: "The optimizer steps inside backward, so the norm of all gradients is never known.",
            "优化器在反向传播中更新，因此无法得到全部梯度的范数。";
        backward_scales: "The optimizer steps inside backward, so a gradient scaler cannot look at all gradients first.",
            "优化器在反向传播中更新，因此梯度缩放器无法先检查全部梯度。";
        backward_without: "The optimizer steps inside backward, so there must be one.",
            "优化器在反向传播中更新，因此必须选择一个优化器。";
    }
    parallelism {
        embedding_groups: "FSDP2 with groups of their own for embeddings and head",
            "为嵌入层与输出层单独分组的 FSDP2";
        flat_dtypes: "FSDP1 flattens parameters of one dtype only: adapters in float32 beside weights in 16 bits are units of their own (peft's fsdp_auto_wrap_policy).",
            "FSDP1 只能展平同一类型的参数：16 位权重旁的 float32 适配器须各自成为单元（peft 的 fsdp_auto_wrap_policy）。";
        flat_parts: "With use_orig_params off FSDP1 flattens no parameters of which only some are trained; it freezes whole layers.",
            "关闭 use_orig_params 时，FSDP1 不能展平只有一部分参与训练的参数；只能冻结整层。";
        ready_twice: "DDP looks for unused parameters in the graph, where re-entrant checkpointing hides those that are used: they are ready twice, which it refuses.",
            "DDP 在计算图中查找未用参数，而可重入检查点会隐藏实际用到的参数：它们会两次就绪，DDP 会报错。";
        static_accumulation: "DDP with a static graph stops where its first micro-batch does not reduce gradients (no_sync): reduce after each, or leave the graph free.",
            "DDP 使用静态图时，若第一个微批不归约梯度（no_sync）便会报错：请在每个微批后归约，或关闭静态图。";
        fused_step: "FSDP2's parameters are distributed tensors, for which PyTorch has fused steps of Adam and AdamW only.",
            "FSDP2 的参数是分布式张量，PyTorch 只为它们提供 Adam 与 AdamW 的融合更新。";
        dora_units: "DoRA reads A's shape, which is that of a flat shard where adapters are FSDP1's units (IndexError: tuple index out of range).",
            "适配器作为 FSDP1 的单元时，DoRA 读取的 A 的形状是扁平分片的形状（IndexError: tuple index out of range）。";
        flat_frozen: "With use_orig_params off FSDP1 flattens adapters apart from frozen weights only: they are units of their own (peft's fsdp_auto_wrap_policy).",
            "关闭 use_orig_params 时，FSDP1 不能把适配器与冻结权重展平在一起：适配器须各自成为单元（peft 的 fsdp_auto_wrap_policy）。";
        size: "parallelism.dp.size is {size}, but the hardware has {gpus} GPUs; every GPU is a rank.",
            "parallelism.dp.size 为 {size}，而硬件共有 {gpus} 块 GPU；每块 GPU 是一个进程。";
        size_beside_others: "parallelism.dp.size is {size}, but the {gpus} GPUs of the hardware are {left} x {others} ranks of the other axes; every GPU is a rank.",
            "parallelism.dp.size 为 {size}，而硬件的 {gpus} 块 GPU 为 {left} x {others}（其他维度）个进程；每块 GPU 是一个进程。";
        rest_not_divided: "{key} is {size}, which does not divide the {left} GPUs that are left for it; ranks along all axes multiply to the {gpus} GPUs of the hardware.",
            "{key} 为 {size}，无法整除留给它的 {left} 块 GPU；各并行维度的进程数之积应等于硬件的 {gpus} 块 GPU。";
        shards_and_copies: "{key} is {size}; shards times copies of the parameters must be the {ranks} ranks that share them.",
            "{key} 为 {size}；参数的分片数乘以副本数应等于共享参数的 {ranks} 个进程。";
        not_divided: "{key} is {ranks}, but {count} {things} cannot be divided among so many ranks.",
            "{key} 为 {ranks}，但 {count} 个{things}无法在这些进程间均分。";
        heads_beside_experts: "{key} is {ranks}, but {count} {things} cannot be divided among so many ranks. transformers 5.23 divides attention beside experts, too (base_model_tp_plan), and refuses the empty tp_plan that enable_expert_parallel sets; ranks of FSDP2 divide experts alone: parallelism.dp.kind fsdp2, parallelism.dp.plan transformers.",
            "{key} 为 {ranks}，但 {count} 个{things}无法在这些进程间均分。transformers 5.23 划分专家时也划分注意力（base_model_tp_plan），并拒绝 enable_expert_parallel 所设的空 tp_plan；若只划分专家，可用 FSDP2 的进程：parallelism.dp.kind 为 fsdp2，parallelism.dp.plan 为 transformers。";
        tokens: "tokens of a sample",
            "样本词元";
        heads: "attention heads",
            "注意力头";
        key_value_heads: "key-value heads",
            "键值头";
        mlp_columns: "columns of the MLP",
            "MLP 列";
        experts: "experts of a layer",
            "每层专家";
        ring_pieces: "{key} is {size}, but {tokens} tokens of a sample cannot be divided into {pieces} pieces, two for each rank of ring attention.",
            "{key} 为 {size}，但样本的 {tokens} 个词元无法均分为 {pieces} 段（环形注意力每个进程两段）。";
        no_experts: "The model has no experts that could be divided among ranks.",
            "该模型没有可在进程间划分的专家。";
        expert_ranks: "{key} is {size}; it must divide the {ranks} ranks of the other axes that experts can be divided among.",
            "{key} 为 {size}；它应能整除可划分专家的其他维度的 {ranks} 个进程。";
        stages_of_schedule: "The schedule {schedule} has {stages} a rank.",
            "调度 {schedule} 要求{stages}。";
        one_stage: "one stage",
            "每个进程一个阶段";
        two_stages: "two stages",
            "每个进程两个阶段";
        more_stages: "two stages or more",
            "每个进程至少两个阶段";
        micro_batches: "The schedule {schedule} over {size} ranks does not work with {batches} micro-batches; {nearest} is the nearest number that it works with.",
            "{size} 个进程上的调度 {schedule} 不支持 {batches} 个微批次；最接近的可用数量是 {nearest}。";
        layers: "{size} ranks of {each} stages are {stages} stages, which {layers} layers cannot be divided among.",
            "{size} 个进程、每个 {each} 个阶段，共 {stages} 个阶段，无法划分 {layers} 层。";
        own_data_parallelism: "Megatron-Core's models are trained with its own data parallelism, be it of one rank.",
            "Megatron-Core 的模型使用其自带的数据并行训练，即使只有一个进程。";
        of_megatron_core: "{key} as it is asked for is Megatron-Core's, whose models are of framework {framework}.",
            "{key} 的这一取值属于 Megatron-Core，其模型对应 framework {framework}。";
        not_estimated: "{what} is not estimated yet.",
            "暂不支持估算{what}。";
        tensor_modules: "Tensor parallelism of such modules",
            "此类模块的张量并行";
        tensor_beside: "Tensor parallelism beside this {key}",
            "与此 {key} 同时使用的张量并行";
        mixed_norms: "clip_grad_norm_ takes the norms of DTensors or of tensors, not of both: without sequence parallelism norms are tensors.",
            "clip_grad_norm_ 不能同时计算 DTensor 与普通张量的范数：不使用序列并行时，归一化层的参数是普通张量。";
        adapters_of_scripts: "PEFT's adapters fail beside what a script divides: parallelize_module takes no adapted layers, and adapters that are added later are whole. Adapters of q_proj, v_proj, ... run with plan transformers.",
            "PEFT 的适配器无法与脚本划分的模块同时使用：parallelize_module 不接受带适配器的层，而之后添加的适配器是完整的。使用 transformers 方案时，q_proj、v_proj 等层的适配器可以运行。";
        steps_of_parts: "{name}'s step fails where FSDP2 shards parameters or ranks divide modules or experts: its operations do not take DTensors.",
            "在 FSDP2 切分参数、或各进程划分模块或专家时，{name} 的更新会失败：其操作不支持 DTensor。";
        adapters_of_both: "PEFT makes too few rows for adapters of layers that FSDP2 and tensor parallelism both divide, and their products fail. Adapters run beside one of the two.",
            "对于同时被 FSDP2 与张量并行划分的层，PEFT 为适配器创建的行数不足，乘积会报错；适配器只能与其中之一一起使用。";
        magnitudes_of_parts: "DoRA adds the products of its factors to a DTensor, which PyTorch does not do with tensors.",
            "DoRA 将因子之积与 DTensor 相加，而 PyTorch 不支持 DTensor 与普通张量相加。";
        copies_of_shards: "PEFT copies modules_to_save, and FSDP2 does not let modules that it shards be copied.",
            "PEFT 会复制 modules_to_save，而 FSDP2 不允许复制已分片的模块。";
        adapters_of_experts: "PEFT's adapters of parameters, as those of experts are, are not divided with them, and fail beside DTensors.",
            "PEFT 针对参数（如专家参数）的适配器不会随之划分，与 DTensor 一起使用会报错。";
        mixed_scales: "GradScaler unscales the gradients of DTensors or of tensors, not of both: without sequence parallelism norms are tensors.",
            "GradScaler 不能同时缩放 DTensor 与普通张量的梯度：不使用序列并行时，归一化层的参数是普通张量。";
        mixed_zeros: "zero_grad(set_to_none=False) of a multi-tensor or fused optimizer fails under tensor parallelism: gradients of norms are tensors, or partial sums, which PyTorch does not zero together with DTensors.",
            "在张量并行下，多张量或融合优化器的 zero_grad(set_to_none=False) 会失败：归一化层的梯度是普通张量或部分和，PyTorch 不能将其与 DTensor 一起清零。";
        mask_of_a_part: "Under sequence parallelism transformers makes masks for a part of the tokens: attention must be sdpa, without padding.",
            "使用序列并行时，transformers 只为部分词元生成掩码：注意力须为 sdpa 且没有填充。";
        plan_of_transformers: "transformers' plan divides neither the sequence nor the logits.",
            "transformers 的方案既不划分序列，也不划分 logits。";
        embeddings_first: "The sequence and logits are divided only where embeddings and head are, as in transformers' plan.",
            "只有划分嵌入层与输出层时才能划分序列与 logits，transformers 的方案总是如此。";
        pipeline_of_model: "A pipeline of the layers of this model, for this task,",
            "该模型（用于此任务）各层的流水线";
        beside_pipeline: "{key} is not estimated yet beside pipeline parallelism.",
            "暂不支持估算 {key} 与流水线并行的组合。";
        conversion_of_stages: "accelerate trains no stages: its Accelerator wraps a model that is called as a whole, and prepare_pippy runs forward passes alone. autocast is around a schedule's step, and converts no outputs.",
            "accelerate 不训练流水线阶段：其 Accelerator 包装的是整体调用的模型，prepare_pippy 只运行前向传播。autocast 包围的是调度的一步，不转换输出。";
        scale_of_stages: "GradScaler has no scale on ranks whose stages compute no loss, and fails in their optimizer's step; bf16 needs none.",
            "在不计算损失的流水线阶段所在的进程上，GradScaler 没有缩放因子，优化器更新时会失败；bf16 无需缩放。";
        no_schedule: "A pipeline of {size} ranks has a schedule.",
            "{size} 个进程的流水线须有调度方式。";
        split_checkpoints: "The schedule {schedule} computes gradients of weights apart from those of inputs and runs checkpointed layers again for each; that is not estimated yet.",
            "调度 {schedule} 分开计算权重与输入的梯度，并为每组权重重新计算检查点层；暂不支持估算。";
        split_shards: "The schedule {schedule}, which computes gradients of weights apart from those of inputs, is not estimated yet with FSDP2.",
            "调度 {schedule} 分开计算权重与输入的梯度，暂不支持与 FSDP2 一起估算。";
        ulysses_of_stages: "Ulysses is DeepSpeed's and runs with its ZeRO engine, which torch.distributed.pipelining does not run. Ring attention runs in stages.",
            "Ulysses 属于 DeepSpeed，须与其 ZeRO 引擎一起使用，而 torch.distributed.pipelining 不支持该引擎；环形注意力可用于流水线阶段。";
        context_parallelism: "Context parallelism",
            "上下文并行";
        beside: "{what} with this {key}",
            "此 {key} 下的{what}";
        pieces_of_kernel: "In float32 ring attention takes samples that are a multiple of {unit} tokens long, not {tokens}: the memory-efficient kernel gives the log of the softmax's sums of 32 positions at once, and each rank has two pieces.",
            "在 float32 下，环形注意力要求样本长度为 {unit} 个词元的倍数，而此处为 {tokens}：memory-efficient 内核每次给出 32 个位置的 softmax 对数和，且每个进程有两段。";
        usual_pieces: "Usual samples of {mean} tokens cannot be divided among the ranks; accelerate has them padded to a multiple of {unit}.",
            "长度为 {mean} 个词元的常见样本无法在进程间均分；accelerate 会将其填充到 {unit} 的倍数。";
        context_layers: "accelerate refuses context parallelism for layers that do not attend to all tokens before them: windows, chunks, recurrent layers.",
            "accelerate 拒绝对不关注此前全部词元的层（窗口、分块、循环层）使用上下文并行。";
        context_models: "Context parallelism is estimated for causal language models of usual attention that are given positions.",
            "上下文并行目前支持采用常规注意力并传入位置的因果语言模型。";
        ring_beside: "accelerate runs context_parallel with FSDP2, not with other data parallelism.",
            "accelerate 的 context_parallel 只能与 FSDP2 一起使用，不支持其他数据并行。";
        ulysses_beside: "Ulysses is DeepSpeed's and runs with its ZeRO.",
            "Ulysses 属于 DeepSpeed，须与其 ZeRO 一起使用。";
        fsdp2_of_215: "FSDP2 is estimated as PyTorch 2.15 has it.",
            "FSDP2 按 PyTorch 2.15 的实现估算。";
        context_framework: "Context parallelism is estimated for framework {framework}.",
            "上下文并行目前支持 framework {framework}。";
        context_attention: "Context parallelism divides scaled_dot_product_attention; it is estimated for attention sdpa.",
            "上下文并行划分 scaled_dot_product_attention；目前支持 attention 为 sdpa。";
        context_kernel: "Ring attention knows the flash and the memory-efficient kernel only.",
            "环形注意力只支持 flash 与 memory-efficient 内核。";
        context_mask: "Context parallelism takes causal masks only: a mask with padding is refused or dropped.",
            "上下文并行只接受因果掩码：带填充的掩码会被拒绝或丢弃。";
        experts_beside: "Expert parallelism beside this {key}",
            "与此 {key} 同时使用的专家并行";
        expert_modules: "Expert parallelism of this model",
            "该模型的专家并行";
        plan_of_experts: "transformers divides experts together with its own plan for the other modules.",
            "transformers 划分专家时，其余模块也须采用它自己的方案。";
        experts_alone: "transformers divides experts beside FSDP2 and tensor parallelism only.",
            "transformers 的专家并行只能与 FSDP2 和张量并行一起使用。";
        norms_of_meshes: "clip_grad_norm_ takes the norms of DTensors of one mesh: those of experts are on another one.",
            "clip_grad_norm_ 只能计算同一网格上 DTensor 的范数：专家位于另一网格。";
        adapters_by_columns: "Under tensor parallelism PEFT adapts linear layers whose outputs are divided, such as q_proj and v_proj; those whose results are summed fail.",
            "张量并行下，PEFT 只能适配按输出划分的线性层（如 q_proj、v_proj）；结果需求和的层会报错。";
        group_of_one_dtype: "fully_shard takes parameters of one dtype for a group; routers of this model stay in float32.",
            "fully_shard 的一组参数须为同一数据类型；该模型的路由器保持 float32。";
        experts_of_same_tokens: "{key} is {size}; it must be a multiple of the {tensor} tensor parallel ranks, which see the same tokens.",
            "{key} 为 {size}；它应为 {tensor} 个张量并行进程（看到相同词元）的倍数。";
        megatron_beside: "Megatron-Core's training beside this {key}",
            "与此 {key} 同时使用的 Megatron-Core 训练";
        megatron_modules: "Megatron-Core's training of a model that is not made of RMSNorm, rotary embeddings and gated MLPs without biases, or of experts alone,",
            " Megatron-Core 对此类模型（并非由 RMSNorm、旋转位置编码与无偏置的门控 MLP 或纯专家层构成）的训练";
        megatron_window: "Megatron-Core's training of a model whose window is shorter than a sample",
            "窗口短于样本的模型的 Megatron-Core 训练";
        megatron_own: "Megatron-Core's models are divided by Megatron-Core's own modules and schedules: {key} is another library's.",
            "Megatron-Core 的模型由其自带的模块与调度划分：{key} 属于其他库。";
        megatron_overlap: "Megatron-Core overlaps sends and receives in its interleaved schedule only.",
            "Megatron-Core 仅在交错调度中重叠收发与计算。";
        megatron_mixture: "Megatron-Core trains experts on several tensor parallel ranks only with sequence parallelism.",
            "在多个张量并行进程上，Megatron-Core 仅在使用序列并行时训练专家。";
        megatron_recompute: "Without TransformerEngine Megatron-Core computes core_attn, mlp and moe again; {module} is none of them.",
            "不使用 TransformerEngine 时，Megatron-Core 可重新计算 core_attn、mlp 与 moe；{module} 不在其中。";
        megatron_micro_batches: "Megatron-Core accumulates gradients over the micro-batches of parallelism.pp.microbatches.",
            "Megatron-Core 在 parallelism.pp.microbatches 个微批次上累积梯度。";
        parameters_before_stage_3: "DeepSpeed offloads parameters in stage 3 only.",
            "DeepSpeed 仅在阶段 3 卸载参数。";
        autocast: "DeepSpeed's 16-bit training casts the model and keeps fp32 weights in its optimizer: bf16 or fp16 here, not autocast.",
            "DeepSpeed 的 16 位训练会转换模型，并在优化器中保留 fp32 权重：此处应为 bf16 或 fp16，而非自动混合精度。";
        bf16: "DeepSpeed's bf16 and the precision contradict each other; leave it out for what the precision says.",
            "DeepSpeed 的 bf16 与 precision 不一致；去掉它即按 precision 处理。";
        own_offload: "FSDP and DeepSpeed offload gradients and optimizer themselves, without CPUOffloadOptimizer.",
            "FSDP 与 DeepSpeed 自行卸载梯度与优化器，不使用 CPUOffloadOptimizer。";
        optimizer: "Offload by FSDP and DeepSpeed is estimated for AdamW and Adam.",
            "FSDP 与 DeepSpeed 的卸载目前支持 AdamW 和 Adam。";
        own_master_weights: "FSDP and DeepSpeed keep the fp32 weights that they offload themselves.",
            "FSDP 与 DeepSpeed 自行保存所卸载的 fp32 权重。";
        quantized: "Offload of quantized weights is estimated with FSDP1, not with FSDP2 and DeepSpeed.",
            "量化权重的卸载目前只支持 FSDP1，不支持 FSDP2 与 DeepSpeed。";
    }
    lengths {
        steps_differ: "What a step of this run leaves behind depends on its length, or on the step before: many steps of differing length are not estimated for it.",
            "该训练每一步遗留的内容取决于其长度或前一步：暂不支持估算多个不同长度的步骤。";
        no_such_shape: "No log-normal distribution that ends at its longest has these three numbers; the nearest has mean {mean}, p95 {high} and longest {longest}. Where samples pile up at a length, paste the lengths themselves.",
            "没有在最长处截断的对数正态分布符合这三个数；最接近的是均值 {mean}、p95 {high}、最长 {longest}。若样本集中在某一长度，请直接粘贴各长度。";
        none_so_long: "No sample is longer than {longest} tokens: estimated are batches of {seq_len}.",
            "没有样本超过 {longest} 个词元，而估算的批次长度为 {seq_len}。";
    }
    training {
        one_token: "A sample of one token has no next token to predict; at least 2 are needed.",
            "只有一个词元的样本没有可预测的下一个词元；至少需要 2 个。";
        target_without_effect: "target_seq_len has no effect: the model has no decoder of its own.",
            "target_seq_len 不起作用：该模型不是编码器-解码器结构。";
        beyond_table: "The model has a table of {positions} positions; {seq_len} tokens do not fit.",
            "模型只有 {positions} 个位置嵌入；序列长度 {seq_len} 超出范围。";
        beyond_positions: "{seq_len} tokens are more than the {positions} positions the model was made for.",
            "序列长度 {seq_len} 超过模型设计的 {positions} 个位置。";
        no_sdpa: "transformers has no sdpa for this model: told to use it, it fails; told nothing, it runs its eager attention, which is estimated.",
            "transformers 没有为该模型实现 sdpa：明确指定会报错，不指定则运行 eager 注意力；此处按 eager 估算。";
        backend_without_effect: "sdpa_backend has no effect: attention is not sdpa.",
            "sdpa_backend 不起作用：attention 不是 sdpa。";
        disks: "No machine has disks for more.",
            "没有机器的磁盘能容纳更多数据。";
        workers: "Each is a process of its own, and PyTorch warns of more than there are processor cores.",
            "每个都是独立进程；超过处理器核数时 PyTorch 会发出警告。";
        no_cache: "This model keeps no key-value cache while it trains; use_cache acts in an evaluation only.",
            "该模型在训练时不保存键值缓存；use_cache 只在评估时起作用。";
        cache_turned_off: "Activation checkpointing and a key-value cache exclude each other; transformers turns the cache off.",
            "激活重计算与键值缓存互斥；transformers 会关闭缓存。";
        flash_not_written: "FlashAttention is not written for this model in this version of transformers.",
            "FlashAttention ：该版本的 transformers 未为此模型实现。";
        flash_over_quantized: "FlashAttention computes in float16 and bfloat16 only: the layers of this quantized model, whose norms are in float32, give float32 without autocast.",
            "FlashAttention 只支持 float16 和 bfloat16：该量化模型的归一化层为 float32，不用自动混合精度时各层输出 float32。";
        flash_in_fp32: "FlashAttention computes in float16 and bfloat16 only, not in fp32.",
            "FlashAttention 只支持 float16 和 bfloat16，不支持 fp32。";
        flash_before_ampere: "FlashAttention needs an Ampere GPU (compute capability 8.0) or newer.",
            "FlashAttention 需要 Ampere（计算能力 8.0）或更新的 GPU。";
        flash_wide_heads: "FlashAttention takes heads of at most 256 columns.",
            "FlashAttention 的注意力头最多 256 列。";
        flash_unequal_heads: "FlashAttention takes no values in sdpa whose heads are not as wide as those of the keys, which are qk_nope_head_dim + qk_rope_head_dim wide (v_head_dim).",
            "FlashAttention 在 sdpa 中要求值与键的注意力头等宽（v_head_dim 等于 qk_nope_head_dim + qk_rope_head_dim）。";
    }
}

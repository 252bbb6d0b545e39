//! The settings of the model, of its training and of its evaluation.

use super::{Name, SettingHelp, settings};

settings! {
    "model": "Model", "模型";
        "A published model, or the config.json of your own.",
        "已发布的模型，或您自己的 config.json。"; "N, L, H, F, A, K, D, V", "config.json, transformers";
    "model.linear.in_features": "in_features", "in_features";
        "Columns of the layer's input.",
        "该层输入的列数。"; "", "torch.nn.Linear";
    "model.linear.out_features": "out_features", "out_features";
        "Columns of the layer's output.",
        "该层输出的列数。"; "", "torch.nn.Linear";
    "model_overrides": "Changed config fields", "修改的配置字段";
        "Fields that replace those of the model's config, as num_hidden_layers:2,vocab_size:32000.",
        "替换模型配置中的字段，例如 num_hidden_layers:2,vocab_size:32000。"; "", "AutoConfig.from_pretrained(..., num_hidden_layers=2)";
    "symbols": "Sizes of the graph", "计算图的尺寸";
        "Sizes that an exported graph leaves open, by their names or by an input with a dimension, as x.2:640.",
        "导出的计算图中可变的尺寸，用名称或“输入.维度”表示，例如 x.2:640。"; "", "dynamic_shapes of torch.export.export";
    "layer_modules": "Layers of the graph", "计算图的层";
        "Modules of an exported graph that count as layers, by class or path: activation checkpointing runs them again, FSDP shards them one by one. The elements of lists of modules when empty.",
        "导出的计算图中作为“层”的模块，用类名或路径表示：激活检查点按层重算，FSDP 按层分片。为空时取模块列表的各元素。"; "", "transformer_layer_cls_to_wrap, fully_shard, checkpoint_wrapper";
    "convolutions": "Convolutions", "卷积";
        "Which kernels convolutions of an exported graph run by: cuDNN's, whose workspaces are not estimated, or PyTorch's own.",
        "导出的计算图的卷积使用的内核：cuDNN（不估算其工作区）或 PyTorch 自带。"; "", "torch.backends.cudnn.enabled";
    "cublas_workspace_config": "CUBLAS_WORKSPACE_CONFIG", "CUBLAS_WORKSPACE_CONFIG";
        "The environment variable that says how much cuBLAS takes for a product, as :4096:8.",
        "决定 cuBLAS 每次矩阵乘所用工作区大小的环境变量，例如 :4096:8。"; "", "CUBLAS_WORKSPACE_CONFIG";
    "tied_embeddings": "Embeddings tied to the head", "嵌入与输出头共享";
        "Whether embedding and head are one parameter; as the config says unless it is said.",
        "嵌入与输出头是否为同一参数；未指定时按 config。"; "V H", "tie_word_embeddings of the config, --untie-embeddings-and-output-weights";
    "task": "Task", "任务";
        "It decides the model's head and its labels.",
        "决定模型的输出头与标签。"; "", "AutoModelFor..., transformers";
    "micro_batch_size": "Micro-batch size", "微批次大小（micro-batch）";
        "Samples per forward pass on one GPU (B).",
        "每个 GPU 每次前向的样本数（B）。"; "B", "TrainingArguments.per_device_train_batch_size";
    "seq_len": "Sequence length", "序列长度";
        "Tokens per sample, padding included (S).",
        "每个样本的词元数，含填充（S）。"; "S", "max_length of the tokenizer or the collator";
    "target_seq_len": "Target length", "目标序列长度";
        "Tokens per target of an encoder-decoder (T).",
        "编码器-解码器模型每个目标序列的词元数（T）。"; "T", "max_target_length of the collator";
    "images": "Images per sample", "每个样本的图像数";
        "Images among the tokens of each sample; their tokens are part of the sequence length.",
        "每个样本词元中的图像数；图像的词元计入序列长度。"; "", "AutoProcessor, pixel_values";
    "image_size": "Image size", "图像尺寸";
        "Pixels along both sides of an image, or width x height; the processor rounds them to whole tokens.",
        "图像边长的像素数，或宽x高；处理器会将其取整为完整的词元。"; "", "AutoProcessor, image_grid_thw";
    "min_pixels": "Fewest pixels of an image", "图像的最少像素数";
        "Smaller images are enlarged by the processor of Qwen2-VL, Qwen2.5-VL or Qwen3-VL.",
        "更小的图像会被 Qwen2-VL、Qwen2.5-VL 或 Qwen3-VL 的处理器放大。"; "", "AutoProcessor.from_pretrained(min_pixels=), size[\"shortest_edge\"]";
    "max_pixels": "Most pixels of an image", "图像的最多像素数";
        "Larger images are made smaller by the processor. Without an image size, images are taken to be as large as this.",
        "更大的图像会被处理器缩小。未给出图像尺寸时，按此大小估算。"; "", "AutoProcessor.from_pretrained(max_pixels=), size[\"longest_edge\"]";
    "pad_to_multiple_of": "Pad to a multiple of", "填充到其倍数";
        "pad_to_multiple_of of the data collator; 1 pads no further.",
        "data collator 的 pad_to_multiple_of；1 表示不再填充。"; "\u{2308}S / n\u{2309} n", "DataCollatorForSeq2Seq(pad_to_multiple_of=n)";
    "objective.kind": "Objective", "训练目标";
        "Which of TRL's trainers makes the steps: what else runs in a step, and of what the loss is made.",
        "由 TRL 的哪个训练器执行：每步还运行什么，损失由什么计算。"; "+ a forward pass of the reference", "SFTTrainer, DPOTrainer, GRPOTrainer, KTOTrainer, ORPOTrainer, CPOTrainer, RewardTrainer, DistillationTrainer, trl";
    "objective.completion_tokens": "Completion length", "补全长度";
        "The last tokens of each sequence, its completion; all but the first when absent.",
        "每个序列末尾的词元，即其补全；未给出时为除第一个之外的全部。"; "N = B C", "max_completion_length, labels != -100";
    "objective.loss_type": "Loss of the objective", "训练目标的损失";
        "How TRL's trainer computes its loss; KTO's apo_zero_unpaired needs no completions of other prompts.",
        "TRL 的训练器如何计算损失；KTO 的 apo_zero_unpaired 不需要其他提示的补全。"; "", "loss_type";
    "objective.beta": "Beta", "Beta";
        "How much the reference counts; GRPO keeps no reference with 0, its default. Of distillation: 0 forward, 1 reverse, else a mixed divergence.",
        "参考模型的权重；GRPO 默认 0，即没有参考模型。蒸馏时：0 为前向散度，1 为反向散度，其间为混合散度。"; "", "beta";
    "objective.log_probs": "Log-probabilities", "对数概率";
        "DPO and KTO score tokens in the head since TRL 1.15; before, and in axolotl and LLaMA-Factory, from all logits in fp32.",
        "自 TRL 1.15 起 DPO 与 KTO 在输出层内计算；更早版本以及 axolotl、LLaMA-Factory 由全部 fp32 logits 计算。"; "+ 8 to 20 B S V", "selective_log_softmax, trl";
    "objective.precompute_ref_log_probs": "Reference before training", "训练前计算参考";
        "The reference's log-probabilities are computed before training; it is not kept.",
        "参考模型的对数概率在训练之前算好，之后不再保留参考模型。"; "\u{2212} the reference's weights", "precompute_ref_log_probs";
    "objective.teacher": "Teacher", "教师模型";
        "The model whose probabilities the trained one learns; both have the same vocabulary.",
        "被训练模型所学习的模型；两者词表相同。"; "+ the teacher's weights and a forward pass", "teacher_model";
    "objective.teacher_dtype": "The teacher's dtype", "教师模型的数据类型";
        "In which dtype the teacher is loaded; TRL loads one that is named in that of its checkpoint, mostly bfloat16.",
        "以何种数据类型加载教师模型；若只给出名称，TRL 用检查点的数据类型，多为 bfloat16。"; "", "teacher_model_init_kwargs={\"dtype\": ...}";
    "objective.generation": "Generation", "生成";
        "Who generates the completions that GRPO and distillation train on, as a phase of the step.",
        "由谁生成 GRPO 和蒸馏训练所用的补全，作为步骤中的一个阶段。"; "a cache of keys and values", "use_vllm, model.generate";
    "objective.num_iterations": "Steps per generation", "每次生成的步数";
        "Steps that train on the same completions; with more than one the model's own log-probabilities are kept from before.",
        "用同一批补全训练的步数；多于一步时需保存此前模型自身的对数概率。"; "+ a forward pass", "num_iterations";
    "objective.vllm_gpu_memory_utilization": "vLLM's share", "vLLM 的份额";
        "How much of the GPU vLLM takes: its weights, CUDA graphs, and keys and values in what is left.",
        "vLLM 占用的显存比例：自己的权重、CUDA 图，余下的用于键值缓存。"; "share \u{d7} GPU memory", "vllm_gpu_memory_utilization";
    "neftune_noise_alpha": "NEFTune noise", "NEFTune 噪声";
        "Noise that is added to what the input embedding gives while training; its amount takes no memory, its tensors do.",
        "训练时加到输入嵌入结果上的噪声；其大小不影响内存，但噪声张量会占用内存。"; "B S H", "TrainingArguments.neftune_noise_alpha";
    "around.loading": "Loading to the GPU", "加载到显存";
        "How the model comes from its checkpoint to the GPU, as a phase before the first step. bitsandbytes' bases always come straight to it.",
        "模型如何从检查点到达显存，作为第一步之前的阶段。bitsandbytes 的量化模型总是直接载入显存。"; "device_map: the weights at once, kept reserved", "from_pretrained(device_map=)";
    "around.saving": "Saving after the step", "每步之后保存";
        "A checkpoint is saved after the step.",
        "在每步之后保存检查点。"; "", "save_strategy, save_pretrained";
    "packing.kind": "Packing", "打包（packing）";
        "Several sequences in each row of S tokens, and how they are told apart.",
        "每行 S 个词元中放入多个序列，以及如何区分它们。"; "sdpa: B S\u{b2} more per layer", "SFTConfig(packing=, padding_free=), sample_packing";
    "packing.sequences": "Sequences per row", "每行序列数";
        "Sequences in a row, all of the same length.",
        "一行中的序列数，长度相同。"; "", "cu_seq_lens";
    "dataset.length_mean": "Length of usual batches", "常见批次的长度";
        "Batches are padded to their longest sample: most to this length, the longest to the sequence length.",
        "批次按其最长样本填充：多数批次填充到此长度，最长的填充到序列长度。"; "S of the first steps", "padding=\"longest\" of the data collator";
    "dataset.lengths": "Lengths of samples", "样本长度";
        "Mean, p95 and longest, or the lengths themselves with their counts (128:40, 512:3); longer samples are cut to the sequence length. They say how often a batch comes that does not fit, under What fits.",
        "均值、p95 与最长；或带样本数的各长度（128:40, 512:3）。超出序列长度的样本会被截断。由此得知放不下的批次多久出现一次，见“能放下多少”。"; "", "[len(sample[\"input_ids\"]) for sample in dataset]";
    "dataloader.group_by_length": "Group by length", "按长度分组";
        "Batches of samples of like length, the longest batch first.",
        "每批由长度相近的样本组成，最长的批次最先。"; "", "TrainingArguments(train_sampling_strategy=\"group_by_length\")";
    "gradient_accumulation_steps": "Gradient accumulation", "梯度累积（gradient accumulation）";
        "Micro-batches per optimizer step; more of them do not need more memory.",
        "每次优化器更新的微批次数；增加它不会增加内存。"; "", "TrainingArguments.gradient_accumulation_steps";
    "precision": "Precision", "精度";
        "Types of weights, activations and optimizer states.",
        "权重、激活值和优化器状态的数据类型。"; "P bytes a number", "torch.autocast, torch_dtype, TrainingArguments.bf16 / fp16";
    "weights": "Weight dtype", "权重的数据类型";
        "The type that the model is loaded in under autocast.",
        "自动混合精度下加载模型所用的类型。"; "N P bytes", "dtype= of from_pretrained";
    "autocast_style": "Autocast around the model", "自动混合精度的包装";
        "accelerate, and with it the Trainer, turns the outputs into fp32.",
        "accelerate（以及 Trainer）会把输出转换为 fp32。"; "4 B S V bytes more", "accelerate, convert_outputs_to_fp32";
    "optimizer.name": "Optimizer", "优化器";
        "It decides the states kept for each parameter.",
        "决定每个参数保存的状态。"; "Adam: 2 N P bytes", "torch.optim, TrainingArguments.optim";
    "optimizer.impl": "Implementation", "实现方式";
        "How the step is run: foreach is PyTorch's default and needs temporaries, fused needs none.",
        "更新的执行方式：foreach 是 PyTorch 的默认值，需要临时张量；fused 不需要。"; "foreach: + N P bytes", "foreach= and fused= of torch.optim";
    "optimizer.master_weights": "Master weights", "主权重（master weights）";
        "Full-precision copies of half-precision weights that the optimizer steps over.",
        "优化器实际更新的半精度权重的全精度副本。"; "4 P; DeepSpeed: 8 P more in the step; Megatron: gradients 4 P", "bf16 or fp16 of a DeepSpeed config, stage 0; Megatron without --use-distributed-optimizer";
    "optimizer.in_backward": "Step inside backward", "在反向中更新";
        "Each parameter is updated as soon as its gradient is there, which is then dropped.",
        "每个参数一得到梯度就更新，随后释放该梯度。"; "gradients of one parameter", "register_post_accumulate_grad_hook";
    "optimizer.momentum": "Momentum", "动量（momentum）";
        "Above 0 one more state is kept for each parameter.",
        "大于 0 时每个参数多保存一个状态。"; "+ N P bytes", "torch.optim.SGD(momentum=)";
    "optimizer.amsgrad": "amsgrad", "amsgrad";
        "A third state of Adam.",
        "Adam 的第三个状态。"; "3 N P bytes", "torch.optim.AdamW(amsgrad=)";
    "optimizer.weight_decay": "L2 weight decay", "L2 权重衰减";
        "Adds to the gradients in a temporary; AdamW decays without one.",
        "在临时张量中加到梯度上；AdamW 的衰减不需要临时张量。"; "", "weight_decay= of torch.optim";
    "optimizer.relative_step": "Relative step", "相对步长";
        "transformers' Adafactor takes its learning rate from the step and the parameter.",
        "transformers 的 Adafactor 由步数与参数决定学习率。"; "", "Adafactor(relative_step=), transformers";
    "optimizer.rank": "Projection rank", "投影秩（rank）";
        "Rank of APOLLO's states; 128, of its mini form 1, unless it is said.",
        "APOLLO 状态的秩；默认 128，Mini 为 1。"; "2 r (in or out)", "rank of apollo_torch's groups";
    "optimizer.bf16_stochastic_round": "Stochastic rounding", "随机舍入";
        "torchao's optimizers round weights in bf16 at random.",
        "torchao 的优化器对 bf16 权重随机舍入。"; "", "bf16_stochastic_round=";
    "optimizer.by_trainer": "Made by Trainer", "由 Trainer 创建";
        "transformers' Trainer makes it: weights and the rest as two groups, states of embeddings in 32 bits beside 8-bit optimizers.",
        "由 transformers 的 Trainer 创建：参数分为两组（有无权重衰减）；8 位优化器中嵌入的状态保持 32 位。"; "embeddings: 8 V H bytes", "Trainer.create_optimizer, transformers";
    "attention": "Attention", "注意力实现";
        "transformers' attn_implementation.",
        "transformers 的 attn_implementation。"; "eager: B A S\u{b2} scores", "attn_implementation of from_pretrained";
    "sdpa_backend": "Kernel of sdpa", "sdpa 的内核";
        "The kernel behind scaled_dot_product_attention.",
        "scaled_dot_product_attention 背后的内核。"; "math: B A S\u{b2} scores", "torch.nn.attention.sdpa_kernel";
    "padding_mask": "Padding mask", "填充掩码";
        "Whether batches come with an attention_mask that hides padding.",
        "批次是否带有遮盖填充的 attention_mask。"; "B S\u{b2} where it is expanded", "attention_mask= of the model's forward";
    "use_cache": "KV cache while training", "训练时的 KV 缓存";
        "The model keeps keys and values that training does not need.",
        "模型保留训练并不需要的键和值。"; "2 L K D B S", "use_cache of the config";
    "activation_checkpointing": "Activation checkpointing", "激活重计算（activation checkpointing）";
        "Recompute activations in backward instead of keeping them; known as gradient checkpointing.",
        "反向时重新计算激活值而不保存，也称 gradient checkpointing。"; "keeps L B S H", "torch.utils.checkpoint, gradient_checkpointing_enable()";
    "checkpoint_every": "Checkpoint every n-th layer", "每 n 层重计算一层";
        "1 checkpoints every layer; 2 every second one from the first on, which recomputes less and keeps more.",
        "1 表示每一层都重计算；2 表示从第一层起每两层重计算一层，重计算更少但保存更多。"; "L / n layers", "every_n_layers of gradient_checkpointing_kwargs";
    "selective.save": "Operations kept", "保留结果的运算";
        "Operations whose results selectively checkpointed layers keep: mm, attention.",
        "选择性重计算的层保留哪些运算的结果：mm、attention。"; "", "create_selective_checkpoint_contexts";
    "selective.every_second_mm": "Recompute every 2nd matmul", "每两个矩阵乘重算一个";
        "Of matrix products only the first of every two is kept, as torchtitan does it.",
        "每两个矩阵乘只保留第一个的结果（torchtitan 的做法）。"; "", "torchtitan, selective_ac_option";
    "lora": "LoRA adapters", "LoRA 适配器";
        "Trains small matrices beside frozen layers: gradients and optimizer states are of those only.",
        "在冻结层旁训练小矩阵：只有它们有梯度和优化器状态。"; "", "peft.LoraConfig";
    "lora.r": "Rank", "秩（rank）";
        "Width of the adapters.",
        "适配器的宽度。"; "r (in + out) per layer", "LoraConfig.r";
    "lora.target_modules": "Target modules", "目标模块（target_modules）";
        "Names of the linear layers that get adapters; also a decoder's token embedding.",
        "加上适配器的线性层的名称；也可以是解码器的词嵌入。"; "", "LoraConfig.target_modules";
    "lora.target_pattern": "Target modules by an expression", "目标模块（正则表达式）";
        "A regular expression that whole paths of layers match, in the place of names.",
        "代替名称：层的完整路径须与该正则表达式匹配。"; "", "LoraConfig.target_modules, one text";
    "lora.dropout": "Dropout of the adapters", "适配器的 dropout";
        "Above 0 each adapter keeps a mask and its dropped input.",
        "大于 0 时每个适配器都保存掩码和丢弃后的输入。"; "B S in (P + 1) bytes", "LoraConfig.lora_dropout";
    "lora.use_dora": "DoRA", "DoRA";
        "The length of each row of the adapted weight is learnt, too; each layer is computed with copies of its weight.",
        "还学习所适配权重每一行的长度；每层计算时会复制其权重。"; "in (in + 4 out) numbers per layer", "LoraConfig.use_dora";
    "lora.modules_to_save": "Modules to save", "完整训练的模块（modules_to_save）";
        "Modules beside the adapters that are copied and trained in full, as embed_tokens and lm_head; heads for classes and answers always are.",
        "除适配器外复制并完整训练的模块，例如 embed_tokens 和 lm_head；分类与问答任务的输出头总会如此训练。"; "2 V H each", "LoraConfig.modules_to_save";
    "lora.target_parameters": "Target parameters", "目标参数（target_parameters）";
        "Stacked matrices of experts, or their routers' weights, that get adapters themselves: each forward pass makes a full copy of them, which is kept for backward.",
        "直接加上适配器的专家堆叠参数或路由器权重：每次前向传播都会生成一份完整副本，并保留到反向传播。"; "a copy of the experts per layer", "LoraConfig.target_parameters";
    "lora.adapter_dtype": "Adapter dtype", "适配器的数据类型";
        "Adapters over a base in 16 bits are in fp32 unless they take the base's type.",
        "16 位基座上的适配器默认为 fp32，也可与基座相同。"; "4 or 2 bytes a number", "get_peft_model(autocast_adapter_dtype=)";
    "lora.kernels": "Kernels of LoRA", "LoRA 内核";
        "Kernels that run layers with their adapters as one function and keep its input alone: mlp, qkv, o. axolotl has them on for LoRA and QLoRA.",
        "把带适配器的层作为一个函数运行、只保留其输入的内核：mlp、qkv、o。axolotl 对 LoRA 与 QLoRA 默认启用。"; "\u{2212} most of what adapted layers keep", "lora_mlp_kernel, lora_qkv_kernel, lora_o_kernel of axolotl";
    "lora.input_requires_grad": "Gradient of embeddings", "嵌入输出需要梯度";
        "The input embedding's result requires a gradient without checkpoints, too: the first layer keeps more.",
        "即使不重计算，嵌入的输出也需要梯度：第一层保存更多。"; "", "enable_input_require_grads()";
    "lora.convert_experts": "Experts by layer names", "按层名匹配专家";
        "Names of experts' layers in target_modules give the stacked parameters of experts adapters, as in PEFT 0.19 and later.",
        "target_modules 中的专家层名会为合并后的专家参数添加适配器（PEFT 0.19 起）。"; "", "_convert_peft_config_moe of PEFT";
    "quantization.type": "Quantization", "量化";
        "Weights of the frozen linear layers in 4 or 8 bits (QLoRA).",
        "冻结线性层的权重用 4 位或 8 位保存（QLoRA）。"; "4-bit: N/2 + N/16 bytes; int8: N", "transformers.BitsAndBytesConfig";
    "quantization.double": "Double quantization", "双重量化";
        "The scales of 4-bit blocks are quantized, too.",
        "4 位块的缩放系数也被量化。"; "N/64 instead of N/16 bytes", "bnb_4bit_use_double_quant";
    "quantization.compute_dtype": "Compute dtype (bnb)", "计算类型（bnb）";
        "The type that quantized layers compute in.",
        "量化层计算时使用的类型。"; "", "bnb_4bit_compute_dtype";
    "quantization.prepare_for_kbit_training": "Rest of the base in fp32", "基座的其余部分用 fp32";
        "What is not quantized (embeddings, norms, output) becomes fp32.",
        "未量化的部分（嵌入、归一化、输出层）转换为 fp32。"; "4 bytes a number", "peft.prepare_model_for_kbit_training";
    "quantization.cast_back": "Norms and embeddings cast back", "归一化与嵌入转换回来";
        "Norms, token embeddings and the output layer return from fp32 to the type that quantized layers compute in, as axolotl does; biases and experts stay in fp32.",
        "归一化、词嵌入和输出层从 fp32 转换回量化层的计算类型（axolotl 的做法）；偏置和专家仍为 fp32。"; "2 bytes a number", "axolotl: _configure_embedding_dtypes";
    "quantization.experts": "Experts quantized", "专家也量化";
        "Stacked weights of experts are held in 4 bits, too, and a layer's are unpacked whenever it runs; transformers quantizes linear layers alone.",
        "专家的堆叠权重也用 4 位保存，每层运行时解压该层的专家；transformers 只量化线性层。"; "N/2 + N/16 bytes; 2 bytes a number of one layer meanwhile", "axolotl: quantize_moe_experts";
    "quantization.storage": "Quant storage (bnb)", "量化权重的存储类型（bnb）";
        "The type of the tensors that hold 4-bit weights; FSDP wants that of the other parameters.",
        "存放 4 位权重的张量类型；FSDP 要求与其他参数一致。"; "", "bnb_4bit_quant_storage";
    "wide_embeddings": "Norms and embeddings in fp32", "归一化与嵌入为 fp32";
        "Norms, embeddings and the output layer are in fp32 beside weights in half precision, as axolotl has them in full training; what they give stays fp32.",
        "归一化、嵌入与输出层保持 fp32，其余权重为半精度：axolotl 全量训练时如此，其输出也为 fp32。"; "4 V H bytes and their states", "_convert_embedding_modules_dtype of axolotl";
    "liger_version": "Version of Liger", "Liger 版本";
        "Versions 0.6 to 0.8.2 hold a piece of the head's gradient in 16 and 32 bits in the fused loss.",
        "0.6 至 0.8.2 版的融合损失还会保存输出层梯度的一块（16 位与 32 位）。"; "+ 6 V H bytes", "liger-kernel";
    "implementation": "Modules of", "模块来自";
        "The library whose modules the model is built of: torchtune has its own for Llama, Qwen2, Gemma, Mistral and Phi, torchtitan for Llama 3, which keep other tensors for backward.",
        "模型所用模块的来源库：torchtune 对 Llama、Qwen2、Gemma、Mistral 与 Phi、torchtitan 对 Llama 3 有自己的模块，为反向保存的张量不同。"; "", "torchtune.models.*";
    "liger_kernel": "Liger kernels", "Liger 内核";
        "Fused kernels that keep less for backward; the fused loss never holds all logits.",
        "为反向保存更少内容的融合内核；融合损失从不保存全部 logits。"; "no B S V logits", "apply_liger_kernel_to_*, liger_kernel";
    "frozen": "Frozen modules", "冻结的模块";
        "Parameters whose names contain one of these are not trained: no gradients, no optimizer states.",
        "名称含有其中之一的参数不训练：没有梯度和优化器状态。"; "", "parameter.requires_grad_(False)";
    "clip_grad_norm": "Clip gradients by norm", "按范数裁剪梯度";
        "torch.nn.utils.clip_grad_norm_ before each step.",
        "每次更新前调用 torch.nn.utils.clip_grad_norm_。"; "", "torch.nn.utils.clip_grad_norm_, TrainingArguments.max_grad_norm";
    "zero_grad_set_to_none": "zero_grad drops gradients", "zero_grad 释放梯度";
        "PyTorch's default; otherwise gradients stay as zeros through the next forward.",
        "PyTorch 的默认行为；否则梯度以零值保留到下一次前向。"; "off: + N P bytes in forward", "zero_grad(set_to_none=True)";
    "loss": "Loss", "损失";
        "Where the loss comes from; Cut Cross-Entropy has no logits; in chunks, logits become fp32 one eighth of the sequence at a time.",
        "损失的来源；Cut Cross-Entropy 不产生 logits；分块时，logits 每次只把序列的八分之一转换为 fp32。"; "4 B S V bytes less, in chunks", "labels= of the model's forward; torchtune, CEWithChunkedOutputLoss";
    "keep_outputs": "Outputs held into the next step", "输出保留到下一步";
        "A loop that still names outputs keeps the logits while the next step runs.",
        "循环中仍引用 outputs 时，下一步运行期间 logits 仍被保留。"; "+ B S V", "outputs = model(**batch)";
    "offload.optimizer_states": "Optimizer offloading", "优化器卸载";
        "Optimizer states in host RAM and the step on the CPU, as torchao's CPUOffloadOptimizer does.",
        "优化器状态放在主机内存，更新在 CPU 上进行（torchao 的 CPUOffloadOptimizer）。"; "Adam: 2 N P bytes to the host", "torchao.optim.CPUOffloadOptimizer";
    "offload.gradients": "Gradient offloading", "梯度卸载";
        "Each gradient leaves the GPU during backward (offload_gradients); not with accumulation.",
        "每个梯度在反向传播中即离开 GPU（offload_gradients）；不能与梯度累积同用。"; "N P bytes to the host", "CPUOffloadOptimizer(offload_gradients=True)";
    "offload.activations": "Activation offloading (save_on_cpu)", "激活值卸载（save_on_cpu）";
        "What is kept for backward waits in pinned host RAM (save_on_cpu with pin_memory).",
        "为反向保存的张量存放在主机锁页内存中（save_on_cpu，pin_memory）。"; "", "torch.autograd.graph.save_on_cpu(pin_memory=True)";
    "activation_offload.kind": "Activation offloading (TRL, Unsloth)", "激活值卸载（TRL、Unsloth）";
        "What waits in host RAM for backward, and which library takes it there.",
        "哪些内容在主机内存中等待反向传播，以及由哪个库执行。"; "", "SFTConfig(activation_offloading=), gradient_checkpointing: offload";
    "activation_offload.streams": "On a stream of its own", "使用独立的流";
        "TRL copies saved tensors beside the computation; what is saved twice stays.",
        "TRL 在计算之外的流上复制保存的张量；重复保存的留在显存。"; "", "use_streams= of OffloadActivations";
    "program": "Program", "程序";
        "Training steps, forward passes without gradients, or an evaluation alone.",
        "训练步、不求梯度的前向，或单独的评估。"; "", "Trainer.train, torch.no_grad, Trainer.evaluate";
    "evaluation.kind": "Evaluation", "评估";
        "What is asked of the model after each training step, or alone: it can need more than training.",
        "每个训练步之后（或单独）对模型的评估；所需显存可能超过训练。"; "", "Trainer.evaluate, generate()";
    "evaluation.micro_batch_size": "Evaluation batch size", "评估批次大小";
        "Samples per forward pass of the evaluation.",
        "评估时每次前向的样本数。"; "B", "TrainingArguments.per_device_eval_batch_size";
    "evaluation.batches": "Evaluation batches", "评估批次数";
        "Batches whose predictions come together.",
        "预测结果累积的批次数。"; "n", "len(eval_dataloader)";
    "evaluation.keep_predictions": "Keep predictions on the GPU", "在 GPU 上保留预测";
        "Trainer keeps the logits of all batches until the end, unless prediction_loss_only is set.",
        "除非设置 prediction_loss_only，Trainer 会把所有批次的 logits 保留到最后。"; "n B S V", "TrainingArguments.prediction_loss_only";
    "evaluation.accumulation_steps": "Predictions to the host after", "预测移到主机的间隔";
        "After so many batches kept predictions leave the GPU.",
        "每隔多少批次把保留的预测移出显存。"; "batches", "TrainingArguments.eval_accumulation_steps";
    "evaluation.logits_to_keep": "Logits of the last", "保留末尾 logits 的位置数";
        "Of how many last positions there are logits.",
        "只为末尾多少个位置计算 logits。"; "B n V", "logits_to_keep= of the model's forward";
    "evaluation.max_new_tokens": "New tokens", "新生成词元数";
        "Tokens that generate adds; the KV cache grows with them.",
        "generate 追加的词元数，KV 缓存随之增长。"; "2 L K D B (S + n)", "generate(max_new_tokens=n)";
    "evaluation.num_beams": "Beams", "束宽（beams）";
        "Beams that generate searches with; 1 means none.",
        "generate 的搜索束宽；1 表示不用束搜索。"; "B \u{d7} beams", "generate(num_beams=)";
    "evaluation.do_sample": "Draw tokens at random", "随机采样词元";
        "Sampling needs the probabilities of the last position.",
        "采样需要最后一个位置的概率。"; "B V", "generate(do_sample=True)";
    "evaluation.use_cache": "KV cache in the evaluation", "评估时的 KV 缓存";
        "Keys and values are kept; by itself as in training, and generate does so.",
        "保存键和值；默认与训练相同，generate 总会保存。"; "2 L K D B S", "use_cache= of the model's forward";
}

//! What is said about each setting: its name, what it does, its symbol in formulas, its source.

use super::Language;

/// The scenario key of a setting, and what it is called.
struct Name {
    key: &'static str,
    name: (&'static str, &'static str),
}

/// What is said about a setting to who asks.
#[derive(Clone, Copy, Debug)]
pub struct SettingHelp {
    key: &'static str,
    sentence: (&'static str, &'static str),
    /// Its symbol or size in formulas; may be empty.
    pub symbol: &'static str,
    /// What it is called where people set it.
    pub source: &'static str,
}

impl SettingHelp {
    /// One sentence on what it does.
    pub const fn sentence(&self, language: Language) -> &'static str {
        language.of(self.sentence)
    }
}

/// What the setting with a scenario key is called; the key itself when nothing is said about it.
pub fn setting_name(key: &'static str, language: Language) -> &'static str {
    let known = NAMES.iter().find(|setting| setting.key == key);
    known.map_or(key, |setting| language.of(setting.name))
}

/// What is said about the setting with a scenario key.
pub fn setting_help(key: &str) -> Option<&'static SettingHelp> {
    HELP.iter().find(|setting| setting.key == key)
}

/// Declares settings: the key with its name in both languages, what it does, its symbol or size in
/// formulas (may be empty) and what it is called where people set it.
macro_rules! settings {
    ($($key:literal: $english:literal, $chinese:literal; $help:literal, $help_zh:literal; $symbol:literal, $source:literal;)+) => {
        /// Every setting.
        static NAMES: &[Name] = &[$(Name { key: $key, name: ($english, $chinese) }),+];
        static HELP: &[SettingHelp] = &[$(SettingHelp {
            key: $key,
            sentence: ($help, $help_zh),
            symbol: $symbol,
            source: $source,
        }),+];
    };
}

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
    "pad_to_multiple_of": "Pad to a multiple of", "填充到其倍数";
        "pad_to_multiple_of of the data collator; 1 pads no further.",
        "data collator 的 pad_to_multiple_of；1 表示不再填充。"; "\u{2308}S / n\u{2309} n", "DataCollatorForSeq2Seq(pad_to_multiple_of=n)";
    "dataset.length_mean": "Length of usual batches", "常见批次的长度";
        "Batches are padded to their longest sample: most to this length, the longest to the sequence length.",
        "批次按其最长样本填充：多数批次填充到此长度，最长的填充到序列长度。"; "S of the first steps", "padding=\"longest\" of the data collator";
    "gradient_accumulation_steps": "Gradient accumulation", "梯度累积（gradient accumulation）";
        "Micro-batches per optimizer step; more of them do not need more memory.",
        "每次优化器更新的微批次数；增加它不会增加内存。"; "", "TrainingArguments.gradient_accumulation_steps";
    "precision": "Precision", "精度";
        "Types of weights, activations and optimizer states.",
        "权重、激活值和优化器状态的数据类型。"; "P bytes a number", "torch.autocast, torch_dtype, TrainingArguments.bf16 / fp16";
    "weights": "Type of the weights", "权重的类型";
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
    "checkpoint_every": "One layer checkpointed of", "每几层重计算一层";
        "1 checkpoints every layer; 2 every second one from the first on, which recomputes less and keeps more.",
        "1 表示每一层都重计算；2 表示从第一层起每两层重计算一层，重计算更少但保存更多。"; "L / n layers", "every_n_layers of gradient_checkpointing_kwargs";
    "lora": "LoRA adapters", "LoRA 适配器";
        "Trains small matrices beside frozen layers: gradients and optimizer states are of those only.",
        "在冻结层旁训练小矩阵：只有它们有梯度和优化器状态。"; "", "peft.LoraConfig";
    "lora.r": "Rank", "秩（rank）";
        "Width of the adapters.",
        "适配器的宽度。"; "r (in + out) per layer", "LoraConfig.r";
    "lora.target_modules": "Adapted layers", "适配的层";
        "Names of the linear layers that get adapters; also a decoder's token embedding.",
        "加上适配器的线性层的名称；也可以是解码器的词嵌入。"; "", "LoraConfig.target_modules";
    "lora.dropout": "Dropout of the adapters", "适配器的 dropout";
        "Above 0 each adapter keeps a mask and its dropped input.",
        "大于 0 时每个适配器都保存掩码和丢弃后的输入。"; "B S in (P + 1) bytes", "LoraConfig.lora_dropout";
    "lora.use_dora": "DoRA", "DoRA";
        "The length of each row of the adapted weight is learnt, too; each layer is computed with copies of its weight.",
        "还学习所适配权重每一行的长度；每层计算时会复制其权重。"; "in (in + 4 out) numbers per layer", "LoraConfig.use_dora";
    "lora.modules_to_save": "Trained as a whole", "整体训练的模块";
        "Modules beside the adapters that are copied and trained in full, as embed_tokens and lm_head; heads for classes and answers always are.",
        "除适配器外复制并完整训练的模块，例如 embed_tokens 和 lm_head；分类与问答任务的输出头总会如此训练。"; "2 V H each", "LoraConfig.modules_to_save";
    "lora.target_parameters": "Adapted parameters", "适配的参数";
        "Stacked matrices of experts, or their routers' weights, that get adapters themselves: each forward pass makes a full copy of them, which is kept for backward.",
        "直接加上适配器的专家堆叠参数或路由器权重：每次前向传播都会生成一份完整副本，并保留到反向传播。"; "a copy of the experts per layer", "LoraConfig.target_parameters";
    "quantization.type": "Base model in", "基座模型的精度";
        "Weights of the frozen linear layers in 4 or 8 bits (QLoRA).",
        "冻结线性层的权重用 4 位或 8 位保存（QLoRA）。"; "4-bit: N/2 + N/16 bytes; int8: N", "transformers.BitsAndBytesConfig";
    "quantization.double": "Double quantization", "双重量化";
        "The scales of 4-bit blocks are quantized, too.",
        "4 位块的缩放系数也被量化。"; "N/64 instead of N/16 bytes", "bnb_4bit_use_double_quant";
    "quantization.compute_dtype": "Computes in", "计算类型";
        "The type that quantized layers compute in.",
        "量化层计算时使用的类型。"; "", "bnb_4bit_compute_dtype";
    "quantization.prepare_for_kbit_training": "Rest of the base in fp32", "基座的其余部分用 fp32";
        "What is not quantized (embeddings, norms, output) becomes fp32.",
        "未量化的部分（嵌入、归一化、输出层）转换为 fp32。"; "4 bytes a number", "peft.prepare_model_for_kbit_training";
    "liger_kernel": "Liger kernels", "Liger 内核";
        "Fused kernels that keep less for backward; the fused loss never holds all logits.",
        "为反向保存更少内容的融合内核；融合损失从不保存全部 logits。"; "no B S V logits", "apply_liger_kernel_to_*, liger_kernel";
    "frozen": "Frozen parts", "冻结的部分";
        "Parameters whose names contain one of these are not trained: no gradients, no optimizer states.",
        "名称含有其中之一的参数不训练：没有梯度和优化器状态。"; "", "parameter.requires_grad_(False)";
    "clip_grad_norm": "Clip gradients by norm", "按范数裁剪梯度";
        "torch.nn.utils.clip_grad_norm_ before each step.",
        "每次更新前调用 torch.nn.utils.clip_grad_norm_。"; "", "torch.nn.utils.clip_grad_norm_, TrainingArguments.max_grad_norm";
    "zero_grad_set_to_none": "zero_grad drops gradients", "zero_grad 释放梯度";
        "PyTorch's default; otherwise gradients stay as zeros through the next forward.",
        "PyTorch 的默认行为；否则梯度以零值保留到下一次前向。"; "off: + N P bytes in forward", "zero_grad(set_to_none=True)";
    "loss": "Loss", "损失";
        "Where the loss comes from; in chunks, logits become fp32 one eighth of the sequence at a time.",
        "损失的来源；分块时，logits 每次只把序列的八分之一转换为 fp32。"; "4 B S V bytes less, in chunks", "labels= of the model's forward; torchtune, CEWithChunkedOutputLoss";
    "keep_outputs": "Outputs held into the next step", "输出保留到下一步";
        "A loop that still names outputs keeps the logits while the next step runs.",
        "循环中仍引用 outputs 时，下一步运行期间 logits 仍被保留。"; "+ B S V", "outputs = model(**batch)";
    "offload.optimizer_states": "Optimizer on the CPU", "优化器放在 CPU";
        "Optimizer states in host RAM and the step on the CPU, as torchao's CPUOffloadOptimizer does.",
        "优化器状态放在主机内存，更新在 CPU 上进行（torchao 的 CPUOffloadOptimizer）。"; "Adam: 2 N P bytes to the host", "torchao.optim.CPUOffloadOptimizer";
    "offload.gradients": "Gradients to the CPU at once", "梯度立即移到 CPU";
        "Each gradient leaves the GPU during backward (offload_gradients); not with accumulation.",
        "每个梯度在反向传播中即离开 GPU（offload_gradients）；不能与梯度累积同用。"; "N P bytes to the host", "CPUOffloadOptimizer(offload_gradients=True)";
    "offload.activations": "Activations on the CPU", "激活值放在 CPU";
        "What is kept for backward waits in pinned host RAM (save_on_cpu with pin_memory).",
        "为反向保存的张量存放在主机锁页内存中（save_on_cpu，pin_memory）。"; "", "torch.autograd.graph.save_on_cpu(pin_memory=True)";
    "parallelism.dp.kind": "Divided by", "切分方式";
        "Who divides parameters, gradients and optimizer states between the ranks.",
        "由谁在各进程间切分参数、梯度和优化器状态。"; "N / ranks", "FSDP, fully_shard, DeepSpeed ZeRO";
    "parallelism.dp.size": "Ranks", "进程数（ranks）";
        "Data-parallel ranks; as many as there are GPUs unless it is said.",
        "数据并行的进程数；未指定时等于 GPU 数。"; "", "world_size";
    "parallelism.dp.stage": "ZeRO stage", "ZeRO 阶段";
        "1 divides optimizer states, 2 gradients, too, 3 parameters, too.",
        "1 切分优化器状态，2 还切分梯度，3 还切分参数。"; "", "zero_optimization.stage";
    "parallelism.dp.offload_optimizer": "ZeRO: optimizer on", "ZeRO：优化器放在";
        "Optimizer states, fp32 weights and gradients on the host.",
        "优化器状态、fp32 权重和梯度放在主机。"; "", "offload_optimizer.device";
    "parallelism.dp.offload_param": "ZeRO: parameters on", "ZeRO：参数放在";
        "Parameters on the host, with stage 3.",
        "参数放在主机，需要阶段 3。"; "", "offload_param.device";
    "parallelism.dp.reduce_bucket_size": "Reduce bucket", "归约桶大小";
        "Elements of the buffers in which ZeRO-1 and 2 reduce gradients.",
        "ZeRO-1 和 2 归约梯度所用缓冲区的元素数。"; "", "reduce_bucket_size";
    "parallelism.dp.cpu_offload": "FSDP on the CPU", "FSDP 卸载到 CPU";
        "Parameters, gradients and optimizer states on the host.",
        "参数、梯度和优化器状态放在主机。"; "", "CPUOffload(offload_params=True), CPUOffloadPolicy()";
    "parallelism.dp.pin_memory": "Pinned offload", "卸载用锁页内存";
        "Whether what is offloaded lies in pinned memory; it does unless it is said.",
        "卸载的内容是否位于锁页内存；默认是。"; "", "pin_memory";
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
    "dataset.mode": "Dataset is", "数据集的加载方式";
        "How the data set is held by the training process.",
        "训练进程如何持有数据集。"; "", "datasets, pandas, pyarrow";
    "dataset.raw_bytes": "Dataset size", "数据集大小";
        "Raw UTF-8 text of the data set.",
        "数据集的原始 UTF-8 文本。"; "", "size of the files";
    "dataset.rows": "Samples", "样本数";
        "Python objects cost memory for each sample.",
        "每个样本的 Python 对象都占内存。"; "", "len(dataset)";
    "dataset.columns": "Text columns", "文本列数";
        "Texts in each sample.",
        "每个样本的文本数。"; "", "dataset.column_names";
    "dataset.file_bytes": "File size", "文件大小";
        "The data set's file, which the page cache can hold.",
        "数据集文件的大小，可留在页缓存中。"; "", "ls -l";
    "dataset.row_group_bytes": "Row group", "行组大小";
        "Raw text of one Parquet row group, which re-opening reads whole.",
        "一个 Parquet 行组的原始文本，重新打开时整组读入。"; "", "row_group_size of pyarrow.parquet.write_table";
    "dataset.epochs": "Epochs", "轮数";
        "Passes over the data; workers copy more pages in each.",
        "遍历数据的次数；每一轮工作进程都会复制更多内存页。"; "", "TrainingArguments.num_train_epochs";
    "dataset.arrow_pool": "Arrow's memory pool", "Arrow 内存池";
        "What becomes of the memory that Arrow used while it read a file.",
        "Arrow 读取文件所用内存的去向。"; "", "ARROW_DEFAULT_MEMORY_POOL";
    "dataloader.num_workers": "DataLoader workers", "DataLoader 工作进程";
        "Processes that prepare batches.",
        "准备批次的进程数。"; "", "torch.utils.data.DataLoader(num_workers=)";
    "dataloader.prefetch_factor": "Prefetched batches", "预取批次数";
        "Batches that each worker fetches ahead.",
        "每个工作进程预取的批次数。"; "workers \u{d7} n batches", "DataLoader(prefetch_factor=n)";
    "dataloader.pin_memory": "Pin memory", "锁页内存（pin_memory）";
        "Copies batches to page-locked memory.",
        "把批次复制到锁页内存。"; "", "torch.utils.data.DataLoader(pin_memory=)";
    "dataloader.persistent_workers": "Workers stay between epochs", "工作进程跨轮保留";
        "They keep the pages that they copied.",
        "它们会保留已复制的内存页。"; "", "DataLoader(persistent_workers=True)";
    "dataloader.shuffle": "Shuffle", "打乱顺序";
        "Each epoch in a new order, so that workers touch all pages.",
        "每轮使用新的顺序，工作进程会触及所有内存页。"; "", "DataLoader(shuffle=True)";
    "dataloader.multiprocessing_context": "Workers start by", "工作进程的启动方式";
        "fork shares the parent's pages until they are written; spawn imports anew.",
        "fork 与父进程共享内存页直到写入；spawn 会重新导入。"; "", "DataLoader(multiprocessing_context=)";
    "host.libraries": "Imported libraries", "导入的库";
        "What each training process imports.",
        "每个训练进程导入的内容。"; "", "import";
    "host.tokenizer": "Tokenizer", "分词器";
        "The tokenizer that each process holds.",
        "每个进程持有的分词器。"; "", "AutoTokenizer.from_pretrained";
    "host.checkpoint": "Weights come from", "权重的来源";
        "How the weights enter the process; it decides the peak while loading.",
        "权重进入进程的方式，决定加载时的峰值。"; "", "from_pretrained, torch.load";
    "host.saving": "Checkpoint is saved by", "保存检查点的方式";
        "How the weights leave the process; it decides the peak while saving.",
        "权重离开进程的方式，决定保存时的峰值。"; "", "save_pretrained, torch.save";
    "host.cuda": "CUDA context", "CUDA 上下文";
        "Its host side; off for training on the CPU.",
        "其主机侧内存；在 CPU 上训练时关闭。"; "", "torch.cuda.init";
    "host.launcher": "Launcher stays", "启动器常驻";
        "torchrun or accelerate launch beside the training processes.",
        "torchrun 或 accelerate launch 与训练进程并存。"; "", "torchrun";
    "host.other_memory": "RAM used by others", "其他程序占用的内存";
        "What the system and other programs of the node use.",
        "系统和该机器上其他程序占用的内存。"; "", "free -h";
    "hardware.gpu": "GPU", "GPU";
        "The accelerator; its usable memory is less than its label says.",
        "加速卡；可用显存小于标称值。"; "", "nvidia-smi, torch.cuda.mem_get_info()";
    "hardware.gpu_memory": "GPU memory", "显存大小";
        "Where it differs from the catalog's.",
        "与目录中的数值不同时填写。"; "", "nvidia-smi";
    "hardware.gpus_per_node": "GPUs per node", "每节点 GPU 数";
        "Data-parallel training processes on one machine.",
        "一台机器上的数据并行训练进程数。"; "", "torchrun --nproc-per-node";
    "hardware.nodes": "Nodes", "节点数";
        "Machines of the run.",
        "训练所用的机器数。"; "", "torchrun --nnodes";
    "hardware.processes_per_gpu": "Processes per GPU", "每 GPU 进程数";
        "Training processes sharing one GPU, each with its own CUDA context.",
        "共享一个 GPU 的训练进程数，每个进程有自己的 CUDA 上下文。"; "", "nvidia-smi";
    "hardware.host_ram": "Host RAM", "主机内存";
        "Memory of one machine.",
        "一台机器的内存。"; "", "free -h";
    "hardware.swap": "Swap", "交换空间";
        "Swap space of one machine. Training that swaps is many times slower.",
        "一台机器的交换空间。使用交换空间会使训练慢很多倍。"; "", "free -h";
    "other_device_memory": "GPU memory held beside", "其他张量占用的显存";
        "Tensors of the process beside the model: another model, a library's tables.",
        "同一进程中模型以外的张量：另一个模型、库的表。"; "", "torch.cuda.memory_allocated()";
    "memory_limit": "Limit of the allocator", "分配器上限";
        "What PyTorch's allocator may hold.",
        "PyTorch 分配器最多可占用的显存。"; "", "torch.cuda.set_per_process_memory_fraction";
    "allocator.expandable_segments": "expandable_segments", "expandable_segments";
        "Segments grow instead of new ones being taken: less fragmentation.",
        "段可以增长而不必另取新段：碎片更少。"; "", "PYTORCH_CUDA_ALLOC_CONF";
    "allocator.max_split_size_mb": "max_split_size_mb", "max_split_size_mb";
        "Larger blocks are never split.",
        "更大的块不会被拆分。"; "MiB", "PYTORCH_CUDA_ALLOC_CONF";
    "allocator.roundup_power2_divisions": "roundup_power2_divisions", "roundup_power2_divisions";
        "Sizes are rounded up to so many steps between powers of two; also as [256:1,>:8].",
        "大小向上取整到 2 的幂之间的若干等分；也可写作 [256:1,>:8]。"; "", "PYTORCH_CUDA_ALLOC_CONF";
    "allocator.garbage_collection_threshold": "garbage_collection_threshold", "garbage_collection_threshold";
        "Above this share of the limit unused blocks are given back first.",
        "超过上限的这一比例时先归还未用的块。"; "0 to 1", "PYTORCH_CUDA_ALLOC_CONF";
    "allocator.empty_cache_after_loading": "empty_cache after loading", "加载后 empty_cache";
        "Gives cached blocks back between building the model and the first step.",
        "在构建模型与第一步之间归还缓存的块。"; "", "torch.cuda.empty_cache()";
    "framework": "Versions", "版本";
        "Framework versions differ in what they keep; by up to 16 %.",
        "不同框架版本保存的内容不同，最多相差 16%。"; "", "pip show torch transformers";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_said_once_in_both_languages() {
        for (at, setting) in HELP.iter().enumerate() {
            let again = HELP[..at].iter().any(|other| other.key == setting.key);
            assert!(!again, "{} is there twice", setting.key);
            for &language in Language::ALL {
                let name = setting_name(setting.key, language);
                assert!(!name.is_empty(), "{} has no name", setting.key);
                assert!(setting.sentence(language).ends_with(['.', '。']), "{name}");
            }
            assert!(!setting.source.is_empty(), "{}", setting.key);
        }
    }
}

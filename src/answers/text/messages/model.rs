//! Messages of `resolve` about models and about their trained parameters.

use super::group::groups;

groups! {
    adapters {
        kernel: "{shown} is no kernel of LoRA; there are {names}.",
            "{shown} 不是 LoRA 内核；可选：{names}。";
        kernels_without_effect: "lora.kernels has no effect: kernels that run layers with their adapters are estimated on one GPU or under DDP, not beside DoRA or int8.",
            "lora.kernels 不起作用：这些内核只在单卡或 DDP 下估算，且不支持 DoRA 与 int8。";
        head_trained_whole: "PEFT trains {head} with its head as a whole for this task, beside which adapters of it fail or are not estimated; name the other layers.",
            "PEFT 在该任务中会整体训练 {head} 所在的输出头，不能再为其添加适配器，或暂不支持估算；请写出其他层的名称。";
        frozen_unknown: "No parameter's name contains {shown:?}; names look like {example}.",
            "没有参数名包含 {shown:?}；参数名形如 {example}。";
        dropout: "The adapters' dropout is {dropout}; it must be at least 0 and below 1.",
            "LoRA 的 dropout 为 {dropout}；必须不小于 0 且小于 1。";
        out_proj_refused: "PEFT refuses adapters on out_proj of this model, whose kernels would leave them out; name the other layers.",
            "PEFT 拒绝在该模型的 out_proj 上加 LoRA（其内核会忽略它们）；请指定其他层。";
        routers_refused: "With all-linear PEFT takes this model's routers, too, which return several tensors, and fails; name the other layers.",
            "使用 all-linear 时 PEFT 也会适配该模型的路由器，其返回多个张量而出错；请写出其他层。";
        linear_layer: "Adapters for a single linear layer are not supported yet.",
            "暂不支持单个线性层的 LoRA。";
        no_whole_modules: "Modules that are trained as a whole beside adapters are estimated for decoders and for encoders that classify only.",
            "目前只支持解码器和带分类头的编码器在适配器之外整体训练模块。";
        unknown_whole_module: "{shown} is no module that is estimated as trained as a whole; there are {all}.",
            "{shown} 不是可整体训练的模块；可选：{all}。";
        no_linear_layer: "{shown} is no linear layer. Beside those ({all}) adapters are estimated on the token embeddings of decoders, in transformers 5.23, unless the model scales them.",
            "{shown} 不是线性层。除线性层（{all}）外，仅支持解码器词嵌入的 LoRA（transformers 5.23，且模型不对其缩放）。";
        pattern_wrong: "{shown} is no regular expression of Python's, as PEFT takes one text for targets.",
            "{shown} 不是有效的 Python 正则表达式；PEFT 把单个文本的目标当作正则表达式。";
        pattern_not_modelled: "The regular expression {shown} has what is not read here (back-references, flags and the like), or takes too many steps.",
            "正则表达式 {shown} 含有此处不支持的内容（反向引用、标志等），或匹配步骤过多。";
        pattern_container: "The regular expression {shown} also matches {container}, which is no layer: PEFT stops there.",
            "正则表达式 {shown} 也匹配了 {container}，它不是层：PEFT 会在此报错。";
        pattern_of_whole: "The regular expression {shown} matches paths of a model that sees images or hears, of which this is the part for texts.",
            "正则表达式 {shown} 匹配的是多模态模型中的路径，这里估算的是其文本部分。";
        pattern_matches_nothing: "The regular expression {shown} matches the whole path of no layer, as PEFT asks for.",
            "正则表达式 {shown} 没有与任何层的完整路径匹配（PEFT 要求完整匹配）。";
        no_such_layer: "The adapters' target {shown} matches no linear layer; there are {all}.",
            "LoRA 目标 {shown} 没有匹配的线性层；可选：{all}。";
    }
    attention {
        flash_with_mask: "FlashAttention takes no mask in sdpa, and layers of this run have one (of padding, a window or biases of scores): PyTorch fails. Left to itself it uses another kernel.",
            "sdpa 中的 FlashAttention 不接受掩码，而此处有的层带有掩码（填充、窗口或分数偏置），PyTorch 会报错；不指定时 PyTorch 会用其他内核。";
        efficient_alignment: "Memory-efficient attention takes heads of a multiple of 16 bytes, 8 columns in 16 bits or 4 in float32, which those of this model are not: PyTorch fails. Left to itself it uses another kernel.",
            "memory-efficient 内核要求每个注意力头的宽度为 16 字节的倍数（16 位为 8 列，float32 为 4 列），该模型不满足，PyTorch 会报错；不指定时 PyTorch 会用其他内核。";
        math_only: "torch 2.6 broadcasts heads of keys and values, of which Falcon has fewer than of queries, in the math kernel alone.",
            "Falcon 的键值头少于查询头，torch 2.6 只有 math 内核会广播它们。";
        uneven_mask: "With activations on the host the backward pass of torch 2.6's memory-efficient attention takes masks of lengths only that 4 divides.",
            "激活值卸载到主机时，torch 2.6 的 memory-efficient 注意力在反向传播中只接受长度为 4 的倍数的掩码。";
        no_checkpoints: "transformers has no activation checkpointing for {name}.",
            "transformers 的 {name} 不支持激活重计算。";
        misplaced_mask: "With as many tokens in all transformers 4.51 gives PyTorch's memory-efficient attention a mask that begins at an address which it refuses (attn_bias_ptr is not correctly aligned); with one more it does not.",
            "在此总词元数下，transformers 4.51 传给 PyTorch 内存高效注意力的掩码起始地址未对齐，会报错（attn_bias_ptr is not correctly aligned）；多生成一个词元则不会。";
        one_way: "transformers writes the attention of {name} in one way only; attention must be eager.",
            "transformers 中的 {name} 只有一种注意力实现；attention 必须为 eager。";
        stands_in: "The flash-attn package is not estimated for this model yet: {instead} is estimated in its place, which takes as much or more.",
            "暂不支持估算该模型使用 flash-attn 包的情形：以 {instead} 代替估算，所需显存相同或更多。";
        sinks: "The flash-attn package has no attention sinks, which this model has: transformers takes vllm-flash-attn3 of the Hub instead, which is estimated as the flash-attn package is.",
            "flash-attn 包不支持该模型所需的 attention sinks：transformers 会改用 Hub 上的 vllm-flash-attn3，此处按 flash-attn 包估算。";
        chosen_keys: "transformers does not run the flash-attn package for attention that chooses its keys; attention must be sdpa or eager.",
            "transformers 不支持对自行选择键的注意力使用 flash-attn 包；attention 必须为 sdpa 或 eager。";
    }
    classifier {
        head_quantized: "PEFT trains the head that classifies as a whole, and transformers quantizes it, or a layer of it: such weights take no gradients, and it fails. Of most encoders transformers 4 leaves the last layer whole.",
            "PEFT 会完整训练分类头，而 transformers 会量化它或其中的层：量化权重无法求梯度，会报错。对多数编码器，transformers 4 会保留最后一层不量化。";
        liger: "Liger in a decoder with a classification head is not estimated yet.",
            "暂不支持估算带分类头的解码器使用 Liger。";
        generation: "Generation by a decoder with a classification head is not estimated yet.",
            "暂不支持估算带分类头的解码器生成文本。";
    }
    experts {
        gate_and_input: "Gates and inputs of the experts are one parameter, which PEFT adapts for both only: {missing} must be named, too.",
            "专家的门控层与输入层是同一个参数，PEFT 只能同时适配两者：还需写出 {missing}。";
        path_left_out: "PEFT 0.21 looks at the last part of {target} alone: it gives the parameters of all experts adapters, and none to the layers with this path.",
            "PEFT 0.21 只看 {target} 的最后一部分：会为所有专家的参数添加 LoRA，而带有该路径的层没有。";
        packed_router: "PEFT would adapt the packed bytes of the router's quantized layer, which is not estimated; name the other layers.",
            "PEFT 会适配路由器量化层的压缩字节，暂不支持估算；请写出其他层。";
        adapter_dropout: "PEFT refuses dropout where parameters of experts or routers get adapters.",
            "为专家或路由器的参数添加 LoRA 时，PEFT 不支持 dropout。";
        adapters_not_prefetched: "Under ZeRO-3 DeepSpeed stops in the second step (\"tracing error\", run with 0.19.8) where parameters of experts or routers have adapters and it does not gather ahead of them.",
            "ZeRO-3 下为专家或路由器的参数添加 LoRA 时，如果不提前收集参数，DeepSpeed 会在第二步报错（\"tracing error\"，0.19.8 实测）。";
        dora: "PEFT refuses DoRA where parameters of experts or routers get adapters.",
            "为专家或路由器的参数添加 LoRA 时，PEFT 不支持 DoRA。";
        run_in_turn: "The experts of this model run one after the other over the tokens that its router sends there; they are taken to be spread evenly. A router that prefers some experts takes a little more.",
            "该模型逐个专家计算其路由到的词元；此处假定词元在各专家间均匀分配，路由不均时占用略多。";
        run_in_turn_in_4: "transformers 4 runs one expert after the other over the tokens that its router sends there; they are taken to be spread evenly. A router that prefers some experts takes a little more.",
            "transformers 4 逐个专家计算其路由到的词元；此处假定词元在各专家间均匀分配，路由不均时占用略多。";
        uneven_rows: "PyTorch's grouped_mm, which runs the experts, takes rows of a multiple of 16 bytes: {field} is {columns} and must be a multiple of {step} with weights in this dtype.",
            "运行专家的 grouped_mm 要求每行为 16 字节的倍数：在此权重类型下 {field}（现为 {columns}）必须是 {step} 的倍数。";
        no_parameters: "Adapters of parameters are estimated for stacked experts and their routers in transformers 5 only; this model has none here.",
            "目前只支持为 transformers 5 中堆叠的专家参数及其路由器添加参数级 LoRA；此处该模型没有这样的参数。";
        unknown_parameter: "{shown} is no parameter whose adapters are estimated; there are {names}.",
            "{shown} 不是支持估算 LoRA 的参数；可选：{names}。";
    }
    images {
        pixels_without_effect: "{key} has no effect: only the processors of Qwen2-VL, Qwen2.5-VL and Qwen3-VL have such limits.",
            "{key} 不起作用：只有 Qwen2-VL、Qwen2.5-VL 与 Qwen3-VL 的处理器有此限制。";
        image_size_without_effect: "image_size has no effect: the model sees no images, or images of one size only.",
            "image_size 不起作用：该模型不读取图像，或只读取固定尺寸的图像。";
        without_effect: "images has no effect: the model reads no images among its tokens.",
            "images 不起作用：该模型不读取夹在文本中的图像。";
        sequence_too_short: "Images take {tokens} tokens each, {needed} in each sample, which {key} counts; with one of text it must be at least {wanted}.",
            "{images} 张图像各占 {tokens} 个词元，共 {needed} 个，都计入序列长度；再加至少 1 个文本词元，{key} 不得小于 {wanted}。";
    }
    quantization {
        linear_layer: "A single linear layer is not estimated with quantized weights yet.",
            "暂不支持单个线性层的量化权重。";
        without_adapters: "Quantized weights cannot be trained; a quantized base needs adapters (lora).",
            "量化后的权重无法训练；量化的基座模型需要 LoRA 适配器。";
        experts_stay_unpacked: "With axolotl 0.19 unpacked experts in 8 bits stay on the device, 4 bytes a number, where a checkpointed layer ends with its experts: then the estimate is too low by them. Reentrant checkpoints do without.",
            "axolotl 0.19 的 8 位专家：若检查点层以专家结尾，解压后的专家会一直留在显存中（每个数 4 字节），估算因此偏低；可重入检查点没有这一问题。";
    }
    refused {
        whole_modules_in_16_bits: "Modules trained as a whole beside adapters have gradients in 16 bits here, which a gradient scaler refuses; prepared for training they are in float32.",
            "此处与适配器一同完整训练的模块其梯度为 16 位，梯度缩放（GradScaler）会拒绝；经 prepare_model_for_kbit_training 后为 float32。";
        gradients_in_16_bits: "Weights in {name} have gradients in {name}, which a gradient scaler refuses; only adapters over them can be trained so.",
            "{name} 权重的梯度也是 {name}，梯度缩放（GradScaler）会拒绝；只能在其上训练 LoRA 适配器。";
        nobody_attends: "transformers asks the attention layers how many tokens the cache holds, and none of this model's layers attends: it fails.",
            "transformers 通过注意力层得知缓存的长度，而该模型没有注意力层，运行会报错。";
        cache_not_kept: "Trainer.evaluate takes Mamba's cache for a prediction, and fails; without a cache it does not.",
            "Trainer.evaluate 会把 Mamba 的缓存当作预测结果而报错；不使用缓存则不会。";
        int8_adapters_in_448: "PEFT 0.13, with which transformers 4.48 is estimated, fails to put adapters on layers of 8 bits of bitsandbytes 0.45; transformers 4.51 comes with a PEFT that does.",
            "与 transformers 4.48 搭配估算的 PEFT 0.13 无法在 bitsandbytes 0.45 的 8 位层上添加适配器，会报错；transformers 4.51 搭配的 PEFT 可以。";
        latent_in_8_bits: "transformers 5 gives the layer kv_b_proj of latent attention four dimensions, which layers of 8 bits of bitsandbytes refuse; those of 4 bits do not.",
            "transformers 5 向潜在注意力的 kv_b_proj 层输入四维张量，bitsandbytes 的 8 位层会拒绝；4 位层可以。";
        clamped_weights_quantized: "Gemma 3n cuts the weights of its layers prediction_coefs and correction_coefs to a range in training, which fails where they are quantized.",
            "Gemma 3n 在训练时将 prediction_coefs 和 correction_coefs 层的权重截断到一定范围，权重量化后会报错。";
        features_not_cast: "Whisper of transformers 4 does not cast what it hears: features in {given} fail in its convolutions, which the quantized model has in {fitting}.",
            "transformers 4 的 Whisper 不转换输入特征的类型：{given} 的特征无法通过其卷积层（量化模型中为 {fitting}）。";
    }
    sizes {
        weight: "The model's largest weight exceeds 16 TiB; its sizes must be smaller.",
            "模型的最大权重超过 16 TiB；请减小其尺寸。";
        micro_batch: "The largest tensor of a micro-batch would exceed 16 TiB; use fewer or shorter samples.",
            "一个微批次的最大张量会超过 16 TiB；请减小微批次或序列长度。";
    }
    task {
        not_supported: "The task {asked} is not supported for this model; supported: {names}.",
            "该模型暂不支持任务 {asked}；目前支持：{names}。";
        two_labels: "An answer has a beginning and an end: num_labels is {labels} and must be 2.",
            "答案由起点和终点标出：num_labels 为 {labels}，必须为 2。";
        mean_of_two_logits: "The mean of logits is not estimated for question_answering, which has two of them; the loss from labels is.",
            "question_answering 有两组 logits，暂不支持以其均值为损失；支持由标签计算的损失。";
        no_evaluation: "Evaluation is not estimated for question_answering yet.",
            "暂不支持估算 question_answering 的评估。";
    }
    versions {
        not_there: "{name} does not have this model; {needed} does.",
            "{name} 尚无该模型；{needed} 才有。";
        as_transformers_5: "Models of this type are estimated as transformers 5 writes them; older versions do not have them or are not supported yet.",
            "此类模型按 transformers 5 的实现估算；更早的版本没有该模型，或暂不支持。";
    }
    weights {
        quantized: "Weights are {name} and quantized; quantization.compute_dtype says what the rest is loaded in.",
            "权重设为 {name} 又被量化；其余部分的类型由 quantization.compute_dtype 决定。";
        without_autocast: "Weights are {name} in precision {precision}; only autocast (amp_bf16, amp_fp16) leaves a choice.",
            "精度为 {precision} 时不能另设权重类型 {name}；只有自动混合精度（amp_bf16、amp_fp16）可以。";
    }
}

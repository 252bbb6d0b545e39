//! Messages about families of decoders, by their folders in `families`.

use super::group::groups;

groups! {
    bloom {
        one_way: "transformers writes the attention of BLOOM and MPT in one way only; attention must be eager.",
            "transformers 中的 BLOOM 和 MPT 只有一种注意力实现；attention 必须为 eager。";
    }
    deepseek {
        indexer_too_narrow: "{rotated} columns of an indexer's head are turned, but it has only {columns}.",
            "索引器的每个头有 {rotated} 列参与旋转，但它只有 {columns} 列。";
        first_layer_without_indexer: "The first layer must have an indexer of its own: there is none before it whose choice it could share.",
            "第一层必须有自己的索引器：它之前没有可共享的选择。";
        query_rank_null: "q_lora_rank is null, which transformers refuses for this model: it must be a number.",
            "q_lora_rank 为 null；transformers 中该模型要求它是一个数。";
        odd_rotary: "{rotated} columns of a head are turned; rotary position embeddings need an even number.",
            "每个注意力头有 {rotated} 列参与旋转；旋转位置编码要求偶数。";
    }
    doge {
        experts: "Doge's mixture of experts, which are rows of tables, is not estimated; its MLP is.",
            "暂不支持估算 Doge 以嵌入表各行为专家的混合专家；支持其 MLP。";
        window: "Doge is estimated without a sliding window.",
            "仅支持估算不带滑动窗口的 Doge。";
        keys_chosen: "Beyond {kept} tokens (keep_window_size) Doge chooses the keys that a token sees, which is not estimated.",
            "超过 {kept} 个词元（keep_window_size）时 Doge 会为每个词元选择可见的键，暂不支持估算。";
    }
    kimi_linear {
        listed_layers: "full_attn_layers and kda_layers name {places} layers, but there are {layers}: transformers refuses that.",
            "full_attn_layers 与 kda_layers 共列出 {places} 层，而模型有 {layers} 层：transformers 会报错。";
    }
    falcon {
        two_norms: "Falcon's new architecture with two norms has attention and MLP beside each other: transformers fails where parallel_attn is false.",
            "Falcon 新架构的两个归一化层要求注意力与 MLP 并行：parallel_attn 为 false 时 transformers 会报错。";
        flash_biases: "The flash-attn package takes no biases on scores, which tell this model's positions.",
            "flash-attn 包不接受注意力分数偏置，而该模型用它表示位置。";
    }
    fla {
        attention_layers: "attn.layers is {shown}; it must list layers from 0 to {last}, each for one attention.",
            "attn.layers 为 {shown}；必须列出 0 到 {last} 的层号，且每层只能出现一次。";
        reentrant_shared_bounds: "The forget gates of the layers of HGRN and HGRN2 share their bounds: gradients cannot go back through them from each re-entrant checkpoint. Use full.",
            "HGRN 与 HGRN2 各层的遗忘门共用下界，可重入的激活重计算无法逐层反向传播；请使用 full。";
        two_losses: "fuse_cross_entropy and fuse_linear_cross_entropy exclude each other.",
            "fuse_cross_entropy 与 fuse_linear_cross_entropy 不能同时启用。";
        unknown_value: "{field} is {given:?}; supported: {all}.",
            "{field} 为 {given:?}；目前支持：{all}。";
        not_supported: "{field} is not supported yet.",
            "暂不支持 {field}。";
        expansion: "{field} must make {width} columns a number that {heads} heads divide evenly.",
            "{field} 乘以 {width} 后必须能被 {heads} 个头整除。";
        shared_heads: "{field} other than num_heads is not supported yet: {given} and {heads}.",
            "暂不支持 {field} 与 num_heads 不同：{given} 与 {heads}。";
        norm_too_wide: "Norms of flash-linear-attention's Mamba 2 take groups of up to {norm_width} columns.",
            "flash-linear-attention 的 Mamba 2 归一化每组最多 {norm_width} 列。";
        quantized_mamba: "Quantized models of flash-linear-attention's Mamba and Mamba 2 are not estimated yet.",
            "暂不支持估算 flash-linear-attention 的 Mamba 与 Mamba 2 量化模型。";
        quantized: "Models of flash-linear-attention read their weights directly and cannot be quantized.",
            "flash-linear-attention 的模型直接读取权重，无法量化。";
        old_mamba2_width: "Mamba 2 of flash-linear-attention 0.2.2 normalizes up to 16384 columns; use {recent}, with which 0.6.0 goes.",
            "flash-linear-attention 0.2.2 的 Mamba 2 最多归一化 16384 列；请使用搭配 0.6.0 的 {recent}。";
        old_retnet_generation: "RetNet of flash-linear-attention 0.2.2 generates from the last token of a prompt alone; use {recent}, with which 0.6.0 goes.",
            "flash-linear-attention 0.2.2 的 RetNet 生成时只读取提示的最后一个词元；请使用搭配 0.6.0 的 {recent}。";
        old_retnet_mask: "RetNet of flash-linear-attention 0.2.2 fails where several samples have a mask; use {recent}, with which 0.6.0 goes.",
            "flash-linear-attention 0.2.2 的 RetNet 在多个样本带掩码时会报错；请使用搭配 0.6.0 的 {recent}。";
        old_gated_deltanet_short: "Gated DeltaNet of flash-linear-attention 0.2.2 trains on more than 64 tokens only; use {recent}, with which 0.6.0 goes.",
            "flash-linear-attention 0.2.2 的 Gated DeltaNet 只能在超过 64 个词元的序列上训练；请使用搭配 0.6.0 的 {recent}。";
        flash_float32: "The kernels of flash-attn take no float32; use bf16 or amp_bf16.",
            "flash-attn 的内核不支持 float32；请使用 bf16 或 amp_bf16。";
        deltanet_float32: "The kernels of DeltaNet take no float32; use bf16 or amp_bf16.",
            "DeltaNet 的内核不支持 float32；请使用 bf16 或 amp_bf16。";
    }
    gemma {
        clip_null: "altup_coef_clip is null, which transformers refuses; it must be a number.",
            "altup_coef_clip 为 null，transformers 会拒绝；它必须是数字。";
        too_many_share: "Before the last {asked} layers, which share keys and values, there must be a layer of each of layer_types; at most {most} can share.",
            "最后 {asked} 层共享键和值，其前必须有 layer_types 中每一种的层；最多可共享 {most} 层。";
    }
    gpt2 {
        codegen_heads: "CodeGen puts its heads into four blocks: {heads} is no multiple of 4.",
            "CodeGen 把注意力头分成四块：{heads} 不是 4 的倍数。";
        bigcode_eager: "In 16 bits the eager attention of GPTBigCode runs a softmax that TorchScript fuses as it likes (transformers 4); sdpa is estimated.",
            "16 位精度下，transformers 4 的 GPTBigCode eager 注意力使用由 TorchScript 自行融合的 softmax；支持 sdpa。";
        eager_only: "transformers has no flash_attention_2 for CodeGen and XGLM; eager is there.",
            "transformers 的 CodeGen 和 XGLM 没有 flash_attention_2；支持 eager。";
        neo_attention_types: "attention_types says how {count} layers attend, but there are {layers}: transformers refuses that.",
            "attention_types 描述了 {count} 层的注意力，而模型有 {layers} 层：transformers 会报错。";
    }
    granite {
        too_few_bases: "{field} has {count} entries, but there are {layers} layers: transformers fails at that.",
            "{field} 有 {count} 项，而模型有 {layers} 层：transformers 会报错。";
    }
    hybrid {
        lfm2_multiplier: "block_ffn_dim_multiplier other than 1 is not supported yet.",
            "暂不支持 block_ffn_dim_multiplier 不为 1 的情形。";
        nemotron_layers: "Each layer must be a state space (M, linear_attention), attention (*, full_attention) an MLP (-, mlp) or experts (E, moe).",
            "每层必须是状态空间（M、linear_attention）、注意力（*、full_attention）、MLP（-、mlp）或专家（E、moe）。";
        not_supported: "{field} is not supported yet for this type of model; it must be false.",
            "暂不支持此类模型的 {field}；必须为 false。";
        delta_rule_float32: "flash-linear-attention's kernels of the delta rule take no float32; use bf16 or amp_bf16.",
            "flash-linear-attention 的 delta 规则内核不支持 float32；请使用 bf16 或 amp_bf16。";
    }
    llama {
        diffllama_dropout: "transformers refuses dropout on the attention of DiffLlama, which is the difference of two.",
            "transformers 不允许 DiffLlama 的注意力（两个注意力之差）使用 dropout。";
        diffllama_odd_heads: "DiffLlama parts its key-value heads in halves, and {shared} is odd.",
            "DiffLlama 把键值头分为两半，而 {shared} 是奇数。";
        shared_heads: "{heads} attention heads cannot share {kv_heads} key-value heads: num_key_value_heads must divide num_attention_heads.",
            "{heads} 个注意力头无法均分 {kv_heads} 个键值头：num_key_value_heads 必须整除 num_attention_heads。";
        divided_heads: "A hidden size of {hidden} cannot be divided among {heads} attention heads: num_attention_heads must divide hidden_size, or head_dim must be given.",
            "隐藏维度 {hidden} 无法均分给 {heads} 个注意力头：num_attention_heads 必须整除 hidden_size，或者给出 head_dim。";
        odd_head: "A head has {dim} columns; rotary position embeddings need an even number.",
            "每个注意力头有 {dim} 列；旋转位置编码要求偶数。";
        starcoder2_checkpoints: "transformers 4 does not checkpoint the layers of StarCoder2, whatever is asked for.",
            "transformers 4 不会对 StarCoder2 的各层做激活重计算，设置无效。";
    }
    mamba {
        head_widths: "num_heads times head_dim ({count} x {columns}) must be hidden_size times expand ({inner}).",
            "num_heads 乘以 head_dim（{count} x {columns}）必须等于 hidden_size 乘以 expand（{inner}）。";
        groups: "{groups} ({given}) must divide the number of heads ({count}).",
            "{groups}（{given}）必须整除头数（{count}）。";
        quantized: "transformers 5 fails with quantized weights of Mamba (dt_proj's weight is multiplied as it is); use 16 bits.",
            "transformers 5 无法运行量化的 Mamba（它直接与 dt_proj 的权重相乘）；请使用 16 位权重。";
    }
    olmo {
        one_kind_of_layers: "OLMo Hybrid has layers of both kinds, full_attention and linear_attention.",
            "OLMo Hybrid 必须同时含有 full_attention 和 linear_attention 两种层。";
    }
    opt {
        layerdrop: "Layers that are left out by chance (layerdrop) is not estimated for {name} yet; it must be 0.",
            "暂不支持 {name} 的 layerdrop；必须为 0。";
        activation_dropout: "Dropout behind the activation (activation_dropout) is not estimated for {name} yet; it must be 0.",
            "暂不支持 {name} 的 activation_dropout；必须为 0。";
    }
    torchtune {
        no_such_model: "torchtune has no modules of its own for this model; it has them for Llama, Mistral, Qwen2, Gemma, Gemma 2 and Phi-3.",
            "torchtune 没有该模型的模块；它有 Llama、Mistral、Qwen2、Gemma、Gemma 2 与 Phi-3 的模块。";
        no_titan_model: "torchtitan's own modules are estimated for Llama 3 alone.",
            "torchtitan 的模块仅支持 Llama 3。";
        packed_gemma2: "torchtune's Gemma 2 takes no packed samples (Block masks are not implemented).",
            "torchtune 的 Gemma 2 不接受打包样本（Block masks are not implemented）。";
        sdpa_alone: "torchtune's modules attend by sdpa alone.",
            "torchtune 的模块只使用 sdpa 注意力。";
    }
}

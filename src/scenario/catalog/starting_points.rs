//! Common starting points, as scenarios.

use super::situation::{Situation, SituationGroup};

/// Runs that people begin with.
pub static STARTING_POINTS: &[Situation] = &[
    Situation {
        group: SituationGroup::FineTuning,
        id: "full-1b-24",
        scenario: r#"{"model": "llama-3.2-1b", "micro_batch_size": 2, "seq_len": 2048, "precision":
            "bf16", "activation_checkpointing": "full", "optimizer": {"name": "adamw", "impl":
            "fused"}, "hardware": {"gpu": "rtx-4090"}}"#,
        against: None,
        question: ("A 1B model on one 24 GB GPU", "一块 24 GB 显卡上的 1B 模型"),
        look_at: (
            "logits of 128,256 entries are the peak, not the layers",
            "峰值来自 128,256 个词条的 logits，而不是各层",
        ),
    },
    Situation {
        group: SituationGroup::FineTuning,
        id: "full-8b-8x80",
        scenario: r#"{"model": "llama-3.1-8b", "micro_batch_size": 1, "seq_len": 8192, "precision":
            "amp_bf16", "activation_checkpointing": "full", "clip_grad_norm": true,
            "parallelism": {"dp": {"kind": "fsdp2"}}, "hardware": {"gpu": "h100-80gb",
            "gpus_per_node": 8, "host_ram": 1099511627776}}"#,
        against: None,
        question: (
            "An 8B model on eight 80 GB GPUs, FSDP2",
            "八块 80 GB 显卡上的 8B 模型，FSDP2",
        ),
        look_at: (
            "what sharding divides, and what stays: activations and logits",
            "切分能分摊什么，什么不变：激活值与 logits",
        ),
    },
    Situation {
        group: SituationGroup::FineTuning,
        id: "full-8b-zero3",
        scenario: r#"{"model": "llama-3.1-8b", "micro_batch_size": 1, "seq_len": 4096, "precision":
            "bf16", "activation_checkpointing": "full", "parallelism": {"dp": {"kind":
            "deepspeed_zero", "stage": 3, "offload_optimizer": "cpu"}}, "hardware": {"gpu":
            "rtx-4090", "gpus_per_node": 4, "host_ram": 274877906944}}"#,
        against: None,
        question: (
            "An 8B model on four 24 GB GPUs, ZeRO-3 with offload",
            "四块 24 GB 显卡上的 8B 模型，ZeRO-3 加卸载",
        ),
        look_at: (
            "optimizer states in host RAM: the node's bar",
            "优化器状态位于主机内存：看整机内存条",
        ),
    },
    Situation {
        group: SituationGroup::Adapters,
        id: "lora-8b-24",
        scenario: r#"{"model": "llama-3.1-8b", "micro_batch_size": 1, "seq_len": 2048, "precision":
            "bf16", "activation_checkpointing": "full", "lora": {"r": 16, "target_modules":
            ["all-linear"]}, "hardware": {"gpu": "rtx-4090"}}"#,
        against: None,
        question: (
            "LoRA of an 8B model on 24 GB",
            "24 GB 显卡上 8B 模型的 LoRA",
        ),
        look_at: (
            "frozen weights take most; gradients and states hardly anything",
            "冻结的权重占大头，梯度与状态几乎不占",
        ),
    },
    Situation {
        group: SituationGroup::Adapters,
        id: "qlora-8b-24",
        scenario: r#"{"model": "llama-3.1-8b", "micro_batch_size": 2, "seq_len": 2048, "precision":
            "bf16", "activation_checkpointing": "full", "lora": {"r": 16, "target_modules":
            ["all-linear"]}, "quantization": {"type": "nf4", "double": true}, "optimizer":
            {"name": "paged_adamw_8bit", "impl": "fused"}, "hardware": {"gpu": "rtx-4090"}}"#,
        against: None,
        question: (
            "QLoRA of an 8B model on 24 GB",
            "24 GB 显卡上 8B 模型的 QLoRA",
        ),
        look_at: (
            "layers' weights are a quarter, embeddings and head are in fp32; logits and activations are left to save",
            "各层权重为四分之一，嵌入与输出层为 fp32；剩下可省的是 logits 与激活值",
        ),
    },
    Situation {
        group: SituationGroup::Adapters,
        id: "qlora-70b-80",
        scenario: r#"{"model": "llama-3.1-70b", "micro_batch_size": 1, "seq_len": 2048, "precision":
            "bf16", "activation_checkpointing": "full", "lora": {"r": 16, "target_modules":
            ["all-linear"]}, "quantization": {"type": "nf4", "double": true}, "optimizer":
            {"name": "paged_adamw_8bit", "impl": "fused"}, "hardware": {"gpu": "h100-80gb",
            "host_ram": 274877906944}}"#,
        against: None,
        question: (
            "QLoRA of a 70B model on 80 GB",
            "80 GB 显卡上 70B 模型的 QLoRA",
        ),
        look_at: (
            "how long sequences can be: the limits below",
            "序列最长可到多少：见下方上限",
        ),
    },
    Situation {
        group: SituationGroup::Adapters,
        id: "qlora-70b-2x24",
        scenario: r#"{"model": "llama-3.1-70b", "micro_batch_size": 1, "seq_len": 512, "precision":
            "bf16", "activation_checkpointing": "full", "lora": {"r": 16, "target_modules":
            ["all-linear"], "adapter_dtype": "base"}, "quantization": {"type": "nf4", "double":
            true, "storage": "bfloat16"}, "parallelism": {"dp": {"kind": "fsdp1", "cpu_offload": true,
            "built_on_cpu": true, "wrap_trainable_leaves": true}}, "hardware":
            {"gpu": "rtx-4090", "gpus_per_node": 2, "host_ram": 137438953472}}"#,
        against: None,
        question: (
            "QLoRA of a 70B model on two 24 GB GPUs",
            "两块 24 GB 显卡上 70B 模型的 QLoRA",
        ),
        look_at: (
            "four-bit weights wait in host RAM, divided between both ranks, and come to the GPU a layer at a time",
            "四位权重由两个进程切分、存放在主机内存，逐层取到 GPU",
        ),
    },
    Situation {
        group: SituationGroup::Pretraining,
        id: "pretrain-8b-8",
        scenario: r#"{"model": "llama-3.1-8b", "micro_batch_size": 1, "seq_len": 8192, "precision":
            "amp_bf16", "activation_checkpointing": "full", "clip_grad_norm": true,
            "gradient_accumulation_steps": 4, "parallelism": {"dp": {"kind": "fsdp2", "no_sync":
            false}}, "hardware": {"gpu": "h100-80gb", "gpus_per_node": 8, "host_ram": 2199023255552}}"#,
        against: None,
        question: ("Pre-training 8B on eight GPUs", "在八块 GPU 上预训练 8B"),
        look_at: (
            "the search for plans: what each way to divide the job costs",
            "方案搜索：各种切分方式的代价",
        ),
    },
    Situation {
        group: SituationGroup::Pretraining,
        id: "pretrain-70b-512",
        scenario: r#"{"model": "llama-3.1-70b", "micro_batch_size": 1, "seq_len": 8192, "precision":
            "bf16", "activation_checkpointing": "full", "parallelism": {"tp": {"size": 8}, "pp":
            {"size": 4, "microbatches": 8}, "dp": {"kind": "fsdp2", "size": 16}}, "hardware":
            {"gpu": "h100-80gb", "gpus_per_node": 8, "nodes": 64, "host_ram": 2199023255552}}"#,
        against: None,
        question: ("Pre-training 70B on 512 GPUs", "在 512 块 GPU 上预训练 70B"),
        look_at: (
            "the ranks: the first stage holds most micro-batches, the last one the logits",
            "各进程：第一级持有最多微批次，最后一级持有 logits",
        ),
    },
    Situation {
        group: SituationGroup::Others,
        id: "t5-base",
        scenario: r#"{"model": "t5-base", "task": "seq2seq_lm", "micro_batch_size": 16, "seq_len": 512,
            "precision": "amp_bf16", "hardware": {"gpu": "rtx-4090"}}"#,
        against: None,
        question: ("T5, whose attention keeps its scores", "T5：注意力保存分数"),
        look_at: (
            "scores of three attentions grow with the square of the length",
            "三种注意力的分数随长度平方增长",
        ),
    },
    Situation {
        group: SituationGroup::Others,
        id: "bert-base",
        scenario: r#"{"model": "bert-base", "micro_batch_size": 32, "seq_len": 512, "precision":
            "amp_bf16", "hardware": {"gpu": "rtx-4090"}}"#,
        against: None,
        question: ("BERT", "BERT"),
        look_at: (
            "the picture by micro-batch: almost all grows with it",
            "按微批次的图：几乎全部随之增长",
        ),
    },
    Situation {
        group: SituationGroup::Others,
        id: "llava-7b",
        scenario: r#"{"model": "llava-1.5-7b-hf", "micro_batch_size": 1, "seq_len": 1024, "images": 1,
            "precision": "bf16", "activation_checkpointing": "full", "lora": {"r": 16,
            "target_modules": ["q_proj", "v_proj"]}}"#,
        against: None,
        question: ("A vision-language model with LoRA", "视觉语言模型加 LoRA"),
        look_at: (
            "tokens of images within the sequence, and the vision tower's activations",
            "序列中的图像词元，以及视觉塔的激活值",
        ),
    },
];

//! Situations that people ask about, as scenarios.

use super::situation::{Situation, SituationGroup};

/// The T5 trainer of situations 1 to 3, with what follows it.
macro_rules! t5 {
    ($($more:literal),+) => {
        concat!(
            r#"{"model": {"hf_config": {"model_type": "t5", "d_model": 768, "d_kv": 64,
            "d_ff": 3072, "num_layers": 10, "num_decoder_layers": 10, "num_heads": 12,
            "vocab_size": 40304, "feed_forward_proj": "relu", "dropout_rate": 0.1,
            "tie_word_embeddings": true}}, "task": "seq2seq_lm", "precision": "amp_bf16",
            "attention": "eager", "padding_mask": true,
            "optimizer": {"name": "adafactor_transformers", "impl": "for_loop"},
            "clip_grad_norm": true, "keep_outputs": true,
            "framework": "torch-2.6/transformers-4.51", "#,
            $($more),+,
            "}"
        )
    };
}

/// The LoRA jobs of situation 4, with what follows them.
macro_rules! lora_jobs {
    ($more:literal) => {
        concat!(
            r#"{"model": "gla-1.3b", "seq_len": 1024, "precision": "bf16", "padding_mask": true,
            "lora": {"r": 16, "target_modules": ["q_proj", "k_proj", "v_proj", "o_proj",
            "g_proj"]}, "framework": "torch-2.6/transformers-4.51",
            "evaluation": {"kind": "generate", "max_new_tokens": 16}, "#,
            $more,
            "}"
        )
    };
}

/// The situations, the most asked first.
pub static SITUATIONS: &[Situation] = &[
    Situation {
        group: SituationGroup::Peak,
        id: "peak-in-the-optimizer",
        scenario: r#"{"model": "qwen2.5-1.5b", "micro_batch_size": 2, "seq_len": 256}"#,
        against: None,
        question: (
            "Where is the peak? 2 samples: in the optimizer",
            "峰值在哪里？2 个样本：在优化器更新",
        ),
        look_at: (
            "the phases side by side: the optimizer's temporaries stand on states and gradients",
            "各阶段并排：优化器临时张量叠加在状态与梯度之上",
        ),
    },
    Situation {
        group: SituationGroup::Peak,
        id: "peak-in-backward",
        scenario: r#"{"model": "qwen2.5-1.5b", "micro_batch_size": 16, "seq_len": 256}"#,
        against: None,
        question: (
            "Where is the peak? 16 samples: in backward",
            "峰值在哪里？16 个样本：在反向",
        ),
        look_at: (
            "activations and logits have overtaken the optimizer; the picture by micro-batch says where",
            "激活值与 logits 已超过优化器；按微批次的图显示转折点",
        ),
    },
    Situation {
        group: SituationGroup::Peak,
        id: "one-layer",
        scenario: r#"{"model": {"linear": {"in_features": 10000, "out_features": 50000}},
            "micro_batch_size": 5000, "optimizer": {"name": "none", "impl": "none"},
            "loss": "none", "keep_outputs": true}"#,
        against: None,
        question: (
            "One linear layer, three forward passes",
            "单个线性层，前向三次",
        ),
        look_at: (
            "the timeline: outputs that the caller keeps while the next forward pass runs",
            "时间线：下一次前向时仍保留着上一次的输出",
        ),
    },
    Situation {
        group: SituationGroup::Host,
        id: "t5-batch-8",
        scenario: t5!(
            r#""micro_batch_size": 8, "seq_len": 304, "#,
            r#""dataset": {"mode": "reopened", "raw_bytes": 4000000000, "rows": 4000000},
            "dataloader": {"num_workers": 0, "pin_memory": false},
            "host": {"tokenizer": "unigram", "checkpoint": "random_init"},
            "hardware": {"gpu": "rtx-4000-ada", "host_ram": 16000000000}"#
        ),
        against: None,
        question: ("T5 on 20 GB: batch 8", "20 GB 显卡上的 T5：批次 8"),
        look_at: (
            "the GPU is less than half full; compare with batch 24",
            "显存用不到一半；可与批次 24 对比",
        ),
    },
    Situation {
        group: SituationGroup::Host,
        id: "t5-batch-24",
        scenario: t5!(
            r#""micro_batch_size": 24, "seq_len": 304, "#,
            r#""dataset": {"mode": "reopened", "raw_bytes": 4000000000, "rows": 4000000},
            "dataloader": {"num_workers": 0, "pin_memory": false},
            "host": {"tokenizer": "unigram", "checkpoint": "random_init"},
            "hardware": {"gpu": "rtx-4000-ada", "host_ram": 16000000000}"#
        ),
        against: None,
        question: (
            "T5 on 20 GB: batch 24 fills the GPU, not the RAM",
            "20 GB 显卡上的 T5：批次 24 占满显存，内存不变",
        ),
        look_at: (
            "activations have tripled, host RAM has not moved",
            "激活值增至三倍，主机内存不变",
        ),
    },
    Situation {
        group: SituationGroup::Host,
        id: "ram-full",
        scenario: t5!(
            r#""micro_batch_size": 32, "gradient_accumulation_steps": 2, "seq_len": 128, "#,
            r#""dataset": {"mode": "arrow_table", "raw_bytes": 5800000000, "rows": 5800000},
            "dataloader": {"num_workers": 8, "pin_memory": true},
            "host": {"tokenizer": "unigram", "checkpoint": "random_init"},
            "parallelism": {"dp": {"kind": "ddp", "size": 3}},
            "hardware": {"gpu": "rtx-4000-ada", "gpus_per_node": 3,
            "host_ram": 32000000000, "swap": 4000000000}"#
        ),
        against: None,
        question: (
            "RAM is full and swapping, three GPUs half empty",
            "内存已满并开始交换，三块显卡却半空",
        ),
        look_at: (
            "the node: three ranks and their workers against 32 GB, and what goes to swap",
            "整台机器：三个进程及其工作进程共用 32 GB，以及换出的部分",
        ),
    },
    Situation {
        group: SituationGroup::Host,
        id: "in-memory",
        scenario: t5!(
            r#""micro_batch_size": 8, "seq_len": 192, "#,
            r#""dataset": {"mode": "pandas", "raw_bytes": 4000000000, "rows": 4000000},
            "dataloader": {"num_workers": 4, "pin_memory": true},
            "host": {"tokenizer": "unigram", "checkpoint": "random_init"},
            "parallelism": {"dp": {"kind": "ddp", "size": 2}},
            "hardware": {"gpu": "rtx-4000-ada", "gpus_per_node": 2,
            "host_ram": 16000000000}"#
        ),
        against: None,
        question: (
            "Into 16 GB of RAM: everything in memory",
            "放进 16 GB 内存：数据全部载入",
        ),
        look_at: (
            "host RAM by part: the data set is held once by each rank and copied by workers",
            "主机内存构成：每个进程各持一份数据集，工作进程再复制",
        ),
    },
    Situation {
        group: SituationGroup::Host,
        id: "on-demand",
        scenario: t5!(
            r#""micro_batch_size": 1, "gradient_accumulation_steps": 8, "seq_len": 192, "#,
            r#""dataset": {"mode": "reopened", "raw_bytes": 4000000000, "rows": 4000000},
            "dataloader": {"num_workers": 0, "pin_memory": false},
            "host": {"tokenizer": "unigram", "checkpoint": "random_init"},
            "parallelism": {"dp": {"kind": "ddp", "size": 2}},
            "hardware": {"gpu": "rtx-4000-ada", "gpus_per_node": 2,
            "host_ram": 16000000000}"#
        ),
        against: Some("in-memory"),
        question: (
            "Into 16 GB of RAM: in memory (A) beside read on demand (B)",
            "放进 16 GB 内存：全部载入（A）与按需读取（B）对比",
        ),
        look_at: (
            "where each GB of A went in B",
            "A 中的每一 GB 在 B 中去了哪里",
        ),
    },
    Situation {
        group: SituationGroup::Host,
        id: "two-lora-jobs",
        scenario: lora_jobs!(
            r#""micro_batch_size": 4, "dataloader": {"num_workers": 8},
            "hardware": {"gpu": "rtx-4090", "gpus_per_node": 7, "processes_per_gpu": 2,
            "host_ram": 269500000000}"#
        ),
        against: None,
        question: (
            "Two LoRA jobs on one GPU run out of memory",
            "一块 GPU 上的两个 LoRA 任务显存不足",
        ),
        look_at: (
            "two contexts and two allocators share a GPU; forward binds, evaluation needs far less",
            "两个上下文与两个分配器共用一块 GPU；瓶颈为前向，评估所需少得多",
        ),
    },
    Situation {
        group: SituationGroup::Host,
        id: "lora-jobs-spread",
        scenario: lora_jobs!(
            r#""micro_batch_size": 2, "dataloader": {"num_workers": 2},
            "allocator": {"expandable_segments": true},
            "hardware": {"gpu": "rtx-4090", "gpus_per_node": 7,
            "processes_by_gpu": "2,2,2,2,1,1,1", "host_ram": 269500000000}"#
        ),
        against: Some("two-lora-jobs"),
        question: (
            "Fourteen LoRA jobs on seven GPUs (A) beside eleven of half the batch (B)",
            "七块 GPU 上十四个 LoRA 任务（A）与十一个半批次任务（B）对比",
        ),
        look_at: (
            "what fewer jobs and smaller batches bring on GPU and host",
            "减少任务与批次在显存和内存上的效果",
        ),
    },
    Situation {
        group: SituationGroup::FineTuning,
        id: "8b-bf16",
        scenario: r#"{"model": "llama-3.1-8b", "micro_batch_size": 1, "seq_len": 4096,
            "precision": "bf16", "activation_checkpointing": "full"}"#,
        against: None,
        question: (
            "An 8B model in pure bf16 on one 80 GB GPU",
            "80 GB 显卡上的 8B 模型，纯 bf16",
        ),
        look_at: (
            "states in bf16 leave room for activations of 4,096 tokens",
            "bf16 的优化器状态为 4,096 个词元的激活值留出空间",
        ),
    },
];

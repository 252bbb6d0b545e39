//! Arguments of Megatron-LM's training scripts.

use super::format::{Format, Phrases, Syntax};
use super::job::{Assumed, Job, Matters, Wrapper};
use super::row::As::{Count, Flag, List, Name, Not, Positive, Real};
use super::row::Does::{Decides, Lacks, Reads, Sets};
use super::row::{Lack, Row};
use super::said::Said;
use super::without_memory;
use serde_json::{Map, Value};

const SOURCE: &str = "megatron/training/arguments.py, megatron-core 0.16.1";
const GPT2_WORDS: u64 = 50_257;
const KEPT: &str = "fused attention keeps no scores, as where they are computed again";

const GRANULARITIES: &[(&str, &str)] = &[("full", "full"), ("selective", "selective")];
const METHODS: &[(&str, &str)] = &[("uniform", "uniform"), ("block", "block")];
const DISPATCHERS: &[(&str, &str)] = &[("alltoall", "alltoall"), ("allgather", "allgather")];

/// `megatron/training/arguments.py` (megatron-core 0.16.1).
const ROWS: &[Row] = &[
    ("num_layers", Decides("model")),
    ("hidden_size", Decides("model")),
    ("ffn_hidden_size", Decides("model")),
    ("num_attention_heads", Decides("model")),
    ("group_query_attention", Decides("model")),
    ("num_query_groups", Decides("model")),
    ("kv_channels", Decides("model")),
    ("max_position_embeddings", Decides("model")),
    ("vocab_size", Decides("model")),
    ("make_vocab_size_divisible_by", Decides("model")),
    ("tokenizer_type", Decides("model")),
    ("tokenizer_model", Decides("model")),
    ("swiglu", Decides("model")),
    ("normalization", Decides("model")),
    ("position_embedding_type", Decides("model")),
    ("use_rotary_position_embeddings", Decides("model")),
    ("untie_embeddings_and_output_weights", Decides("model")),
    ("disable_bias_linear", Decides("model")),
    ("add_qkv_bias", Decides("model")),
    ("qk_layernorm", Decides("model")),
    ("num_experts", Decides("model")),
    ("moe_ffn_hidden_size", Decides("model")),
    ("moe_router_topk", Decides("model")),
    ("moe_layer_freq", Decides("model")),
    ("moe_shared_expert_intermediate_size", Lacks(Lack::Model)),
    ("multi_latent_attention", Lacks(Lack::Model)),
    ("mtp_num_layers", Lacks(Lack::Model)),
    ("window_size", Lacks(Lack::Attention)),
    ("squared_relu", Lacks(Lack::Model)),
    ("hidden_dropout", Lacks(Lack::Model)),
    ("attention_dropout", Lacks(Lack::Model)),
    ("seq_length", Sets("seq_len", Count)),
    ("encoder_seq_length", Sets("seq_len", Count)),
    ("decoder_seq_length", Lacks(Lack::Data)),
    ("language_model_type", Lacks(Lack::Model)),
    ("vision_model_type", Lacks(Lack::Model)),
    ("hybrid_layer_pattern", Lacks(Lack::Model)),
    ("spec", Lacks(Lack::Model)),
    ("freeze_LM", Lacks(Lack::Frozen)),
    ("freeze_ViT", Lacks(Lack::Frozen)),
    ("micro_batch_size", Sets("micro_batch_size", Count)),
    ("global_batch_size", Decides("parallelism.pp.microbatches")),
    ("rampup_batch_size", Lacks(Lack::Data)),
    ("bf16", Decides("precision")),
    ("fp16", Lacks(Lack::Data)),
    ("fp8*", Lacks(Lack::Fp8)),
    ("fp4*", Lacks(Lack::Fp8)),
    (
        "attention_softmax_in_fp32",
        Sets("attention_softmax_in_fp32", Flag),
    ),
    ("transformer_impl", Decides("attention")),
    ("attention_backend", Decides("attention")),
    ("use_flash_attn", Decides("attention")),
    (
        "tensor_model_parallel_size",
        Reads("parallelism.tp.size", Count),
    ),
    (
        "sequence_parallel",
        Decides("parallelism.tp.sequence_parallel"),
    ),
    (
        "pipeline_model_parallel_size",
        Reads("parallelism.pp.size", Count),
    ),
    (
        "num_layers_per_virtual_pipeline_stage",
        Decides("parallelism.pp.stages_per_rank"),
    ),
    (
        "num_virtual_stages_per_pipeline_rank",
        Reads("parallelism.pp.stages_per_rank", Count),
    ),
    (
        "no_overlap_p2p_communication",
        Reads("parallelism.pp.overlap_p2p", Not),
    ),
    (
        "overlap_p2p_communication",
        Decides("parallelism.pp.overlap_p2p"),
    ),
    ("context_parallel_size", Reads("parallelism.cp.size", Count)),
    ("cp_comm_type", Decides("parallelism.cp.kind")),
    (
        "expert_model_parallel_size",
        Reads("parallelism.ep.size", Count),
    ),
    ("expert_tensor_parallel_size", Lacks(Lack::Parallelism)),
    (
        "moe_token_dispatcher_type",
        Sets("parallelism.ep.dispatcher", Name(DISPATCHERS)),
    ),
    (
        "moe_expert_capacity_factor",
        Sets("parallelism.ep.capacity_factor", Real),
    ),
    (
        "moe_pad_expert_input_to_capacity",
        Decides("parallelism.ep.capacity_factor"),
    ),
    ("moe_grouped_gemm", Lacks(Lack::Kernel)),
    ("moe_permute_fusion", Lacks(Lack::Kernel)),
    ("moe_router_fusion", Lacks(Lack::Kernel)),
    ("moe_flex_dispatcher_backend", Lacks(Lack::Parallelism)),
    ("moe_enable_deepep", Lacks(Lack::Parallelism)),
    ("moe_shared_expert_overlap", Lacks(Lack::Parallelism)),
    (
        "use_distributed_optimizer",
        Sets("parallelism.dp.distributed_optimizer", Flag),
    ),
    (
        "overlap_grad_reduce",
        Sets("parallelism.dp.overlap_grad_reduce", Flag),
    ),
    (
        "overlap_param_gather",
        Sets("parallelism.dp.overlap_param_gather", Flag),
    ),
    ("ddp_bucket_size", Sets("parallelism.dp.bucket_size", Count)),
    (
        "accumulate_allreduce_grads_in_fp32",
        Decides("parallelism.dp.grad_reduce_in_fp32"),
    ),
    (
        "grad_reduce_in_bf16",
        Sets("parallelism.dp.grad_reduce_in_fp32", Not),
    ),
    ("use_megatron_fsdp", Lacks(Lack::Parallelism)),
    ("use_custom_fsdp", Lacks(Lack::Parallelism)),
    ("use_torch_fsdp2", Lacks(Lack::Parallelism)),
    ("data_parallel_sharding_strategy", Lacks(Lack::Parallelism)),
    ("use_precision_aware_optimizer", Lacks(Lack::Optimizer)),
    ("optimizer", Decides("optimizer.name")),
    ("optimizer_cpu_offload", Lacks(Lack::Offload)),
    ("optimizer_offload_fraction", Lacks(Lack::Offload)),
    ("cpu_offloading*", Lacks(Lack::Offload)),
    ("fine_grained_activation_offloading", Lacks(Lack::Offload)),
    ("recompute_activations", Decides("recompute.granularity")),
    ("checkpoint_activations", Decides("recompute.granularity")),
    (
        "recompute_granularity",
        Sets("recompute.granularity", Name(GRANULARITIES)),
    ),
    ("recompute_method", Sets("recompute.method", Name(METHODS))),
    ("recompute_num_layers", Sets("recompute.num_layers", Count)),
    ("recompute_modules", Sets("recompute.modules", List)),
    ("distribute_saved_activations", Lacks(Lack::Checkpointing)),
    ("cross_entropy_loss_fusion", Lacks(Lack::Loss)),
    ("clip_grad", Sets("clip_grad_norm", Positive)),
    ("enable_cuda_graph", Lacks(Lack::Compile)),
    ("cuda_graph_*", Lacks(Lack::Compile)),
    ("external_cuda_graph", Lacks(Lack::Compile)),
    ("num_workers", Sets("dataloader.num_workers", Count)),
];

const PHRASES: &[Phrases] = &[
    Phrases {
        about: &["precision"],
        ways: &[r#"{"bf16": true}"#, "{}"],
    },
    Phrases {
        about: &["parallelism.tp.sequence_parallel"],
        ways: &["{}", r#"{"sequence_parallel": true}"#],
    },
    Phrases {
        about: &["optimizer.impl"],
        ways: &["{}"],
    },
    Phrases {
        about: &["recompute.granularity"],
        ways: &["{}", r#"{"transformer_impl": "local"}"#],
    },
];

pub(super) const FORMAT: Format = Format {
    name: "megatron",
    rows: &[ROWS],
    without_memory: &[without_memory::MEGATRON],
    telling: &[
        "tensor_model_parallel_size",
        "pipeline_model_parallel_size",
        "num_layers",
        "num_attention_heads",
        "hidden_size",
        "seq_length",
        "global_batch_size",
        "train_iters",
        "use_distributed_optimizer",
    ],
    finish,
    syntax: Syntax::Arguments,
    phrases: &[PHRASES],
};

fn finish(said: &Said, job: &mut Job) {
    job.wrapper = Some(Wrapper::Megatron);
    job.set("framework", "torch-2.15/megatron-core-0.16");
    job.set("attention", "eager");
    if let Some(config) = config(said) {
        job.set(
            "model",
            Map::from_iter([("hf_config".to_owned(), Value::Object(config))]),
        );
    }
    if said.has("num_layers") && !said.has("vocab_size") {
        job.assumed.push(Assumed {
            key: "model.hf_config.vocab_size".to_owned(),
            value: GPT2_WORDS.into(),
            source: "GPT-2's, as no file says vocab_size",
        });
    }
    if said
        .word("moe_layer_freq")
        .is_some_and(|every| every != "1")
    {
        job.give_up(said, "moe_layer_freq", Matters::Yes(Lack::Model));
    }
    job.loaded = Some(if said.is_on("bf16") { "bf16" } else { "fp32" });
    if said.word("optimizer").is_some_and(|name| name != "adam") {
        job.give_up(said, "optimizer", Matters::Yes(Lack::Optimizer));
    }
    job.assume("optimizer.name", "adamw", SOURCE);
    job.assume("optimizer.impl", "fused", SOURCE);
    job.assume("clip_grad_norm", true, SOURCE);
    job.assume("dataloader.num_workers", 2, SOURCE);
    let sizes = ["tp", "pp", "cp", "ep"].map(|axis| {
        let key = match axis {
            "tp" => "tensor_model_parallel_size",
            "pp" => "pipeline_model_parallel_size",
            "cp" => "context_parallel_size",
            _ => "expert_model_parallel_size",
        };
        let size = said.count(key).unwrap_or(1).max(1);
        if size > 1 {
            job.set(&format!("parallelism.{axis}.size"), size);
        } else {
            job.remove(&format!("parallelism.{axis}.size"));
        }
        size
    });
    let [tp, pp, cp, ep] = sizes;
    if tp > 1 {
        job.set("parallelism.tp.kind", "megatron");
        job.set("parallelism.tp.loss_parallel", true);
        job.set(
            "parallelism.tp.sequence_parallel",
            said.is_on("sequence_parallel"),
        );
    }
    if ep > 1 {
        job.set("parallelism.ep.kind", "megatron");
    }
    pipeline(said, pp, job);
    job.global_batch = said
        .count("global_batch_size")
        .map(|all| (all, tp * pp * cp));
    recompute(said, job);
    job.set("host.libraries", "torch");
    job.set("host.checkpoint", "random_init");
}

fn pipeline(said: &Said, size: u64, job: &mut Job) {
    if size <= 1 {
        job.remove("parallelism.pp");
        return;
    }
    job.set("parallelism.pp.schedule", "1f1b");
    let by_layers = said
        .count("num_layers_per_virtual_pipeline_stage")
        .filter(|n| *n > 0);
    let by_layers = by_layers
        .zip(said.count("num_layers"))
        .map(|(each, all)| all / size / each);
    let stages = by_layers.or(said.count("num_virtual_stages_per_pipeline_rank"));
    if let Some(stages) = stages.filter(|stages| *stages > 1) {
        job.set("parallelism.pp.schedule", "interleaved");
        job.set("parallelism.pp.stages_per_rank", stages);
        job.set(
            "parallelism.pp.overlap_p2p",
            !said.is_on("no_overlap_p2p_communication"),
        );
    }
}

fn recompute(said: &Said, job: &mut Job) {
    if said.is_on("recompute_activations") {
        job.set("recompute.granularity", "selective");
    }
    let local = said.word("transformer_impl").as_deref() == Some("local");
    let unfused = said.word("attention_backend").as_deref() == Some("unfused");
    let plain = (local && !said.is_on("use_flash_attn")) || unfused;
    if job.get("recompute.granularity").is_none() && !plain {
        job.assume("recompute.granularity", "selective", KEPT);
    }
}

/// A model's config by its arguments: layers like Llama's, with experts in the place of MLPs where there are any.
fn config(said: &Said) -> Option<Map<String, Value>> {
    let hidden = said.count("hidden_size")?;
    let heads = said.count("num_attention_heads")?;
    let layers = said.count("num_layers")?;
    let mut config = Map::new();
    let mut put = |key: &str, value: Value| _ = config.insert(key.to_owned(), value);
    let width = said.count("kv_channels").unwrap_or(hidden / heads.max(1));
    let groups = said
        .count("num_query_groups")
        .filter(|_| said.is_on("group_query_attention"));
    let inner = said.count("ffn_hidden_size").unwrap_or_else(|| {
        // Four times the hidden size, and two thirds of that, rounded to 64, where it is gated.
        let whole = hidden.saturating_mul(4);
        if said.is_on("swiglu") {
            whole.saturating_mul(2) / 3 / 64 * 64
        } else {
            whole
        }
    });
    let divisor = said.count("make_vocab_size_divisible_by").unwrap_or(128);
    let divisor = divisor
        .saturating_mul(said.count("tensor_model_parallel_size").unwrap_or(1))
        .max(1);
    let vocabulary = said.count("vocab_size").unwrap_or(GPT2_WORDS);
    let vocabulary = vocabulary
        .checked_next_multiple_of(divisor)
        .unwrap_or(vocabulary);
    let experts = said.count("num_experts").filter(|experts| *experts > 0);
    let kind = match (experts, said.is_on("qk_layernorm"), said.is_on("swiglu")) {
        (Some(_), true, _) => "qwen3_moe",
        (Some(_), false, _) => "mixtral",
        (None, true, _) => "qwen3",
        (None, false, true) => "llama",
        (None, false, false) => "gpt2",
    };
    put("model_type", kind.into());
    if kind == "gpt2" {
        for (key, value) in [
            ("n_embd", hidden),
            ("n_head", heads),
            ("n_layer", layers),
            ("n_inner", inner),
        ] {
            put(key, value.into());
        }
        put(
            "n_positions",
            said.count("max_position_embeddings").unwrap_or(1024).into(),
        );
    } else {
        for (key, value) in [
            ("hidden_size", hidden),
            ("num_attention_heads", heads),
            ("num_key_value_heads", groups.unwrap_or(heads)),
            ("num_hidden_layers", layers),
            ("intermediate_size", inner),
            ("head_dim", width),
        ] {
            put(key, value.into());
        }
        if let Some(positions) = said.count("max_position_embeddings") {
            put("max_position_embeddings", positions.into());
        }
    }
    put("vocab_size", vocabulary.into());
    put(
        "tie_word_embeddings",
        (!said.is_on("untie_embeddings_and_output_weights")).into(),
    );
    if let Some(experts) = experts {
        let name = if kind == "mixtral" {
            "num_local_experts"
        } else {
            "num_experts"
        };
        put(name, experts.into());
        put(
            "num_experts_per_tok",
            said.count("moe_router_topk").unwrap_or(2).into(),
        );
        if let Some(own) = said.count("moe_ffn_hidden_size") {
            let name = if kind == "mixtral" {
                "intermediate_size"
            } else {
                "moe_intermediate_size"
            };
            put(name, own.into());
        }
    }
    Some(config)
}

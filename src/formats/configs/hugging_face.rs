//! Common parts of the formats over Hugging Face's libraries: names of optimizers and attention, gradient
//! checkpointing, evaluation, FSDP's options.

use super::hub;
use super::job::{Half, Job, Matters, Wrapper};
use super::row::As::{Count, Flag, Name, Positive};
use super::row::Does::{Decides, Lacks, Sets};
use super::row::{Lack, Row};
use super::said::Said;
use super::value;
use serde_json::Value;

/// `OptimizerNames` (`training_args.py`, transformers 5.24) with an optimizer's name and implementation; where that
/// is empty there is one only.
const OPTIMIZERS: &[(&str, &str, &str)] = &[
    ("adamw_torch", "adamw", "foreach"),
    ("adamw_torch_fused", "adamw", "fused"),
    ("adafactor", "adafactor_transformers", ""),
    ("sgd", "sgd", ""),
    ("adagrad", "adagrad", ""),
    ("rmsprop", "rmsprop", ""),
    ("adamw_bnb_8bit", "adamw_8bit", ""),
    ("adamw_8bit", "adamw_8bit", ""),
    ("paged_adamw", "paged_adamw_32bit", ""),
    ("paged_adamw_32bit", "paged_adamw_32bit", ""),
    ("paged_adamw_8bit", "paged_adamw_8bit", ""),
    ("lion_8bit", "lion_8bit", ""),
    ("adamw_torch_4bit", "torchao_adamw_4bit", ""),
    ("adamw_torch_8bit", "torchao_adamw_8bit", ""),
    // axolotl's names for them (0.19, `core/builders/base.py`).
    ("ao_adamw_4bit", "torchao_adamw_4bit", ""),
    ("ao_adamw_8bit", "torchao_adamw_8bit", ""),
    ("ao_adamw_fp8", "torchao_adamw_fp8", ""),
    ("lomo", "lomo", ""),
    ("adalomo", "adalomo", ""),
    ("schedule_free_adamw", "schedule_free_adamw", ""),
    ("schedule_free_sgd", "schedule_free_sgd", ""),
    ("apollo_adamw", "apollo_adamw", ""),
    // axolotl's until 0.9.
    ("lion_pytorch", "lion", ""),
];

/// Optimizers whose memory is not known here yet; a line above takes one away from them.
const LATER: &[&str] = &[
    "adamw_anyprecision",
    "adamw_torch_fp8",
    "ademamix",
    "ademamix_8bit",
    "paged_ademamix_32bit",
    "paged_ademamix_8bit",
    "lion_32bit",
    "paged_lion_32bit",
    "paged_lion_8bit",
    "rmsprop_bnb",
    "rmsprop_bnb_8bit",
    "rmsprop_bnb_32bit",
    "grokadamw",
    "schedule_free_radam",
    "apollo_adamw_layerwise",
    "stable_adamw",
    "optimi_adamw",
    "adopt_adamw",
    "came_pytorch",
    "muon",
    "dion",
    "flash_adamw",
    "polora",
    "sinkgd",
    "adamw_apex_fused",
    "adamw_hf",
];

/// The optimizer that a key names.
pub(super) fn optimizer(said: &Said, key: &str, job: &mut Job) {
    let Some(name) = said.word(key) else { return };
    match OPTIMIZERS.iter().find(|(own, ..)| *own == name) {
        Some((_, optimizer, implementation)) => {
            job.set("optimizer.name", *optimizer);
            if !implementation.is_empty() {
                job.set("optimizer.impl", *implementation);
            }
        }
        // GaLore, of any kind: ATen asks cuSOLVER how much it wants (`gesvdj_buffersize`,
        // `aten/src/ATen/native/cuda/linalg/BatchLinearAlgebraLib.cpp`, torch 2.15).
        None if name.contains("galore_ada") => {
            job.give_up(said, key, Matters::Yes(Lack::Decomposition));
        }
        None if LATER.contains(&name.as_str()) => {
            job.give_up(said, key, Matters::Yes(Lack::Optimizer));
        }
        None => job.give_up(said, key, Matters::Value),
    }
    decay(said, job);
    if job.get("optimizer.name") == Some(&"apollo_adamw".into()) {
        low_rank(said, job);
    } else {
        // GaLore's, which is given up as a whole.
        job.give_up(said, "optim_target_modules", Matters::No);
    }
}

/// Weight decay that is added to gradients in a tensor of its own (`torch.optim`, torch 2.15): AdamW's is not.
fn decay(said: &Said, job: &mut Job) {
    let adds = ["sgd", "adagrad", "rmsprop"];
    let name = job.get("optimizer.name").and_then(Value::as_str);
    let decays = said.get("weight_decay").and_then(value::real);
    if name.is_some_and(|name| adds.contains(&name)) && decays.is_some_and(|share| share > 0.0) {
        job.set("optimizer.weight_decay", true);
    }
}

/// APOLLO's options in `optim_args` (`_get_apollo_optimizer`, `trainer_optimizer.py`, transformers 5.24): a random
/// projection of every matrix of the layers is estimated.
fn low_rank(said: &Said, job: &mut Job) {
    let within = |name: &str| {
        said.get(&format!("optim_args.{name}"))
            .and_then(value::text)
    };
    let option = |name: &str| within(name).or_else(|| value::option(said.get("optim_args")?, name));
    if option("proj").is_some_and(|kind| kind != "random") {
        job.give_up(said, "optim_args", Matters::Yes(Lack::Optimizer));
    }
    let by_tensor = option("scale_type").as_deref() == Some("tensor");
    let rank = option("rank").and_then(|rank| value::count(&rank.into()));
    apollo(rank.unwrap_or(128), by_tensor, job);
    let targets = said
        .list("optim_target_modules")
        .join(" ")
        .replace('_', "-");
    let all = targets.contains("all-linear") || targets.contains("attn") && targets.contains("mlp");
    if !all {
        job.give_up(said, "optim_target_modules", Matters::Yes(Lack::Optimizer));
    }
}

/// APOLLO with a rank, or its mini form, which scales tensors as a whole.
pub(super) fn apollo(rank: u64, by_tensor: bool, job: &mut Job) {
    let (name, usual) = if by_tensor {
        ("apollo_mini", 1)
    } else {
        ("apollo_adamw", 128)
    };
    job.set("optimizer.name", name);
    if rank != usual {
        job.set("optimizer.rank", rank);
    }
}

/// The ways to say an optimizer under `optim`.
pub(super) const OPTIM: &[&str] = &[
    r#"{"optim": "adamw_torch"}"#,
    r#"{"optim": "adamw_torch_fused"}"#,
    r#"{"optim": "adafactor"}"#,
    r#"{"optim": "sgd"}"#,
    r#"{"optim": "adagrad"}"#,
    r#"{"optim": "rmsprop"}"#,
    r#"{"optim": "adamw_bnb_8bit"}"#,
    r#"{"optim": "paged_adamw_32bit"}"#,
    r#"{"optim": "paged_adamw_8bit"}"#,
    r#"{"optim": "lion_8bit"}"#,
    r#"{"optim": "adamw_torch_4bit"}"#,
    r#"{"optim": "adamw_torch_8bit"}"#,
    r#"{"optim": "lomo"}"#,
    r#"{"optim": "adalomo"}"#,
    r#"{"optim": "schedule_free_adamw"}"#,
    r#"{"optim": "schedule_free_sgd"}"#,
    r#"{"optim": "apollo_adamw", "optim_target_modules": "all-linear"}"#,
    r#"{"optim": "apollo_adamw", "optim_target_modules": "all-linear", "optim_args": "rank=1,scale_type=tensor"}"#,
    "{}",
];

/// The attention that a key names. Kernels of the hub and other packages are not known.
pub(super) fn attention(said: &Said, key: &str, job: &mut Job) {
    match said.word(key).as_deref() {
        None | Some("" | "auto" | "none") => {}
        Some("sdpa" | "sdp") => job.set("attention", "sdpa"),
        Some("eager" | "disabled") => job.set("attention", "eager"),
        Some("flash_attention_2" | "fa2") => job.set("attention", "flash_attention_2"),
        Some(_) => {
            // Kernels like these save what flash-attn saves.
            job.set("attention", "flash_attention_2");
            job.give_up(said, key, Matters::Yes(Lack::Attention));
        }
    }
}

/// The ways to say an attention implementation.
pub(super) const ATTENTION: &[&str] = &[
    r#"{"attn_implementation": "sdpa"}"#,
    r#"{"attn_implementation": "eager"}"#,
    r#"{"attn_implementation": "flash_attention_2"}"#,
    "{}",
];

/// Checkpointing of each layer, on or off by a key; `kwargs` holds how.
pub(super) fn checkpointing(said: &Said, keys: [&str; 2], default: bool, job: &mut Job) {
    let [key, kwargs] = keys;
    let on = said.flag(key).unwrap_or(default);
    // A script that turns it on itself, with its own way to keep what waits.
    let done = job.get("activation_checkpointing").is_some();
    if done && (!on || job.get("activation_offload.kind").is_some()) {
        return;
    }
    if !on {
        if said.has(key) {
            job.set("activation_checkpointing", "none");
        }
        return;
    }
    let within = |name: &str| format!("{kwargs}.{name}");
    let kind = if said.is_on(&within("use_reentrant")) {
        "full_reentrant"
    } else {
        "full"
    };
    job.set("activation_checkpointing", kind);
    if let Some(every) = said.count(&within("every_n_layers")) {
        job.set("checkpoint_every", every);
    }
}

/// Half precision by the flags `bf16` and `fp16`.
pub(super) fn mixed(said: &Said, job: &mut Job) {
    if said.is_on("fp16") {
        job.mixed = Some(Half::Fp16);
    } else if said.is_on("bf16") {
        job.mixed = Some(Half::Bf16);
    }
}

/// The dtype that a model is loaded in.
pub(super) fn dtype(said: &Said, keys: &[&str], job: &mut Job) {
    let given = keys.iter().find_map(|key| said.word(key));
    job.loaded = match given.as_deref() {
        Some("bfloat16" | "bf16") => Some("bf16"),
        Some("auto") => Some(hub::dtype_of(job)),
        Some("float16" | "fp16" | "half") => Some("fp16"),
        Some("float32" | "fp32" | "float") => Some("fp32"),
        _ => return,
    };
}

/// An evaluation between steps, as `Trainer.evaluate` runs it: losses alone are kept where nothing computes
/// metrics (`trainer.py`, transformers 5.24), and what a function makes of logits before they are kept is taken
/// for as little as the most likely tokens.
pub(super) fn evaluation(said: &Said, strategy: Option<String>, batch: Option<u64>, job: &mut Job) {
    if strategy.is_none_or(|strategy| strategy == "no" || strategy == "false") {
        return;
    }
    job.set("evaluation.kind", "trainer");
    let computes = said.is_on("compute_metrics") && !said.is_on("prediction_loss_only");
    predictions(computes, said.is_on("preprocess_logits_for_metrics"), job);
    if let Some(Value::String(model)) = job.get("model") {
        let name = model.rsplit('/').next().unwrap_or(model);
        if name.to_ascii_lowercase().contains("t5-") {
            // `Trainer` turns the cache off in the model's config, of which the decoder has a copy
            // (`modeling_t5.py`, transformers 5.23).
            job.set("evaluation.use_cache", true);
        }
    }
    if let Some(batch) = batch {
        job.set("evaluation.micro_batch_size", batch);
    }
    if let Some(steps) = said.count("eval_accumulation_steps") {
        job.set("evaluation.accumulation_steps", steps);
    }
}

/// Sets what `Trainer` keeps of each batch of an evaluation: predictions that metrics are computed of, unless they
/// are `reduced` before. Then they are next to nothing; but Liger's loss leaves out logits only where nothing computes
/// metrics (`prediction_step`, `trainer.py`, transformers 5.23), so that beside it they are kept until the batch ends.
pub(super) fn predictions(computes: bool, reduced: bool, job: &mut Job) {
    let made = computes && reduced && job.get("liger_kernel").is_some();
    job.set(
        "evaluation.keep_predictions",
        computes && (!reduced || made),
    );
    if made {
        job.set("evaluation.accumulation_steps", 1);
    }
}

/// Names of FSDP's strategies; accelerate's configurations of old have their numbers.
const STRATEGIES: &[(&str, &str)] = &[
    ("FULL_SHARD", "FULL_SHARD"),
    ("SHARD_GRAD_OP", "SHARD_GRAD_OP"),
    ("NO_SHARD", "NO_SHARD"),
    ("HYBRID_SHARD", "HYBRID_SHARD"),
    ("HYBRID_SHARD_ZERO2", "HYBRID_SHARD_ZERO2"),
    ("1", "FULL_SHARD"),
    ("2", "SHARD_GRAD_OP"),
    ("3", "NO_SHARD"),
    ("4", "HYBRID_SHARD"),
    ("5", "HYBRID_SHARD_ZERO2"),
];

const PREFETCH: &[(&str, &str)] = &[
    ("BACKWARD_PRE", "pre"),
    ("BACKWARD_POST", "post"),
    ("NO_PREFETCH", "none"),
    ("None", "none"),
];

const STATE_DICTS: &[(&str, &str)] = &[
    ("FULL_STATE_DICT", "full_state"),
    ("SHARDED_STATE_DICT", "shards"),
    ("LOCAL_STATE_DICT", "shards"),
];

/// FSDP's options under `fsdp_config`, with `fsdp_` before or without (`FullyShardedDataParallelPlugin`,
/// accelerate 1.15).
pub(super) const FSDP: &[Row] = &[
    ("fsdp_config.version", Decides("parallelism.dp.kind")),
    (
        "fsdp_config.offload_params",
        Sets("parallelism.dp.cpu_offload", Flag),
    ),
    (
        "fsdp_config.cpu_offload",
        Sets("parallelism.dp.cpu_offload", Flag),
    ),
    (
        "fsdp_config.cpu_offload_pin_memory",
        Sets("parallelism.dp.pin_memory", Flag),
    ),
    (
        "fsdp_config.reshard_after_forward",
        Decides("parallelism.dp.reshard_after_forward parallelism.dp.sharding_strategy"),
    ),
    (
        "fsdp_config.sharding_strategy",
        Decides("parallelism.dp.sharding_strategy"),
    ),
    (
        "fsdp_config.backward_prefetch",
        Sets("parallelism.dp.backward_prefetch", Name(PREFETCH)),
    ),
    (
        "fsdp_config.forward_prefetch",
        Sets("parallelism.dp.forward_prefetch", Flag),
    ),
    (
        "fsdp_config.use_orig_params",
        Sets("parallelism.dp.use_orig_params", Flag),
    ),
    (
        "fsdp_config.limit_all_gathers",
        Sets("parallelism.dp.limit_all_gathers", Flag),
    ),
    (
        "fsdp_config.state_dict_type",
        Sets("host.saving", Name(STATE_DICTS)),
    ),
    (
        "fsdp_config.cpu_ram_efficient_loading",
        Sets("parallelism.dp.cpu_ram_efficient_loading", Flag),
    ),
    (
        "fsdp_config.activation_checkpointing",
        Decides("activation_checkpointing"),
    ),
    (
        "fsdp_config.auto_wrap_policy",
        Decides("parallelism.dp.kind"),
    ),
    (
        "fsdp_config.transformer_layer_cls_to_wrap",
        Decides("parallelism.dp.kind"),
    ),
    ("fsdp_config.min_num_params", Lacks(Lack::Parallelism)),
    (
        "fsdp_config.mixed_precision_policy",
        Lacks(Lack::Parallelism),
    ),
    ("fsdp_config.xla", Lacks(Lack::Parallelism)),
];

pub(super) const FSDP_WITHOUT_MEMORY: &[&str] = &[
    "fsdp_config.sync_module_states",
    "fsdp_config.final_state_dict_type",
    "fsdp_config.xla_fsdp_v2",
    "fsdp_config.xla_fsdp_grad_ckpt",
];

/// Reads FSDP's options together, once it is on.
pub(super) fn fsdp(said: &Said, job: &mut Job) {
    let version = said.first(&["fsdp_config.version"]).and_then(value::count);
    let version = version.unwrap_or(job.fsdp_version);
    let strategy = |word: String| {
        let mut names = STRATEGIES.iter();
        names
            .find(|(name, _)| name.eq_ignore_ascii_case(&word))
            .map(|(_, own)| *own)
    };
    let resharding = said.word("fsdp_config.reshard_after_forward");
    if version == 2 {
        job.wrapper = Some(Wrapper::Fsdp2);
        job.groups_by_accelerate = true;
        let by_strategy = said
            .word("fsdp_config.sharding_strategy")
            .and_then(strategy);
        let reshards = match resharding.as_deref() {
            Some("true" | "full_shard" | "hybrid_shard" | "1") => Some(true),
            Some("false" | "shard_grad_op" | "no_shard" | "2") => Some(false),
            _ => by_strategy.map(|name| name.contains("FULL") || name == "HYBRID_SHARD"),
        };
        if let Some(reshards) = reshards {
            job.set("parallelism.dp.reshard_after_forward", reshards);
        }
        for path in [
            "backward_prefetch",
            "forward_prefetch",
            "use_orig_params",
            "limit_all_gathers",
        ] {
            job.remove(&format!("parallelism.dp.{path}"));
        }
    } else {
        job.wrapper = Some(Wrapper::Fsdp1);
        // Its fallback to `reshard_after_forward` comes after `FULL_SHARD` is set (`FullyShardedDataParallelPlugin`,
        // accelerate 1.15).
        job.give_up(said, "fsdp_config.reshard_after_forward", Matters::No);
        let strategy = said
            .word("fsdp_config.sharding_strategy")
            .and_then(strategy);
        if let Some(strategy) = strategy {
            job.set("parallelism.dp.sharding_strategy", strategy);
        }
        // `device_id`: built where the weights are read, then moved unit by unit (`prepare_model`, accelerate).
        job.set("parallelism.dp.built_on_cpu", true);
    }
    let policy = said.word("fsdp_config.auto_wrap_policy");
    if policy.is_some_and(|policy| policy != "transformer_based_wrap") {
        job.give_up(
            said,
            "fsdp_config.auto_wrap_policy",
            Matters::Yes(Lack::Parallelism),
        );
    }
    if said.is_on("fsdp_config.activation_checkpointing") {
        job.set("activation_checkpointing", "full");
    }
}

/// Numbers that are counts of the same name everywhere in Trainer's family.
pub(super) const LOADER: &[Row] = &[
    (
        "dataloader_num_workers",
        Sets("dataloader.num_workers", Count),
    ),
    (
        "dataloader_prefetch_factor",
        Sets("dataloader.prefetch_factor", Count),
    ),
    ("dataloader_pin_memory", Sets("dataloader.pin_memory", Flag)),
    (
        "dataloader_persistent_workers",
        Sets("dataloader.persistent_workers", Flag),
    ),
    ("max_grad_norm", Sets("clip_grad_norm", Positive)),
    (
        "ddp_find_unused_parameters",
        Sets("parallelism.dp.find_unused_parameters", Flag),
    ),
    (
        "ddp_bucket_cap_mb",
        Sets("parallelism.dp.bucket_cap_mb", Count),
    ),
    (
        "ddp_static_graph",
        Sets("parallelism.dp.static_graph", Flag),
    ),
    ("torch_compile", Lacks(Lack::Compile)),
];

/// A key that freezes a part, whether it does unless it is said, and the part's parameters.
pub(super) type Part = (&'static str, bool, &'static [&'static str]);

/// Parts of a model with images that stay as they are where all else is trained: Qwen's are known by their names.
pub(super) fn frozen(said: &Said, model: &str, full: bool, parts: &[Part], job: &mut Job) {
    let known = full && model.contains("qwen") && model.contains("-vl");
    let mut names: Vec<&str> = Vec::new();
    for (key, usual, own) in parts {
        if said.flag(key).unwrap_or(*usual) && known {
            names.extend(*own);
        } else if said.has(key) && said.flag(key) != Some(*usual) && !known {
            job.give_up(said, key, Matters::Yes(Lack::Frozen));
        }
    }
    if !names.is_empty() {
        job.set("frozen", names);
    }
}

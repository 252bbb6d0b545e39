//! `OpenRLHF`'s arguments: `openrlhf.cli.train_sft`, `train_dpo`, `train_rm` and `train_ppo_ray`, by the dotted names of
//! 0.10 and later and the flat ones before.

mod rows;

use super::format::{Format, Syntax};
use super::hugging_face;
use super::job::{Differs, Half, Job, Matters, Note, Wrapper};
use super::row::Lack;
use super::said::Said;
use super::value;
use serde_json::Value;

const SOURCE: &str = "openrlhf/cli, openrlhf 0.11.2";
const FRAMEWORK: &str = "OpenRLHF";

pub(super) const FORMAT: Format = Format {
    name: "openrlhf",
    rows: &[rows::ROWS],
    without_memory: &[rows::WITHOUT_MEMORY],
    telling: &[
        "pretrain",
        "micro_train_batch_size",
        "zero_stage",
        "adam_offload",
        "packing_samples",
        "zpg",
        "micro_rollout_batch_size",
        "actor_num_gpus_per_node",
        "colocate_all_models",
        "vllm_num_engines",
        "ds.*",
        "algo.*",
        "ckpt.*",
    ],
    finish,
    syntax: Syntax::Arguments,
    phrases: &[],
};

/// Whether one of two spellings of a flag is on.
fn on(said: &Said, names: [&str; 2]) -> bool {
    names.iter().any(|name| said.is_on(name))
}

fn count(said: &Said, names: [&str; 2]) -> Option<u64> {
    names.iter().find_map(|name| said.count(name))
}

fn finish(said: &Said, job: &mut Job) {
    let names = [
        "pretrain",
        "model.model_name_or_path",
        "actor.model_name_or_path",
    ];
    if let Some(model) = said.first(&names) {
        job.set("model", model.clone());
    }
    let trainer = said.word("trainer").unwrap_or_default();
    let generates =
        trainer.contains("ppo") || said.has("rollout_batch_size") || said.has_within("rollout.");
    engine(said, job);
    checkpointing(said, job);
    attention(said, job);
    adapters(said, job);
    let each = if generates { 1 } else { 8 };
    job.assume("micro_batch_size", each, SOURCE);
    job.assume("clip_grad_norm", true, SOURCE);
    job.assume("dataloader.num_workers", 0, SOURCE);
    let all = count(said, ["train.batch_size", "train_batch_size"]);
    job.global_batch = Some((all.unwrap_or(128), 1));
    if on(said, ["ds.use_liger_kernel", "use_liger_kernel"]) {
        job.set("liger_kernel", vec!["rope", "rms_norm", "swiglu"]);
    }
    for key in ["optim", "actor.optim"] {
        if said.word(key).is_some_and(|name| name != "adam") {
            job.give_up(said, key, Matters::Yes(Lack::Optimizer));
        }
    }
    let packs = on(said, ["ds.packing_samples", "packing_samples"]);
    if generates {
        generated(said, job);
    } else {
        pairs(said, &trainer, job);
        let usual = if trainer.contains("dpo") { 512 } else { 2048 };
        match count(said, ["data.max_len", "max_len"]) {
            Some(longest) => job.set("seq_len", longest),
            None => job.assume("seq_len", usual, SOURCE),
        }
    }
    let supervised = job.get("objective.kind").is_none();
    let how = match (supervised, packs) {
        (true, true) => {
            job.flatten("position_ids");
            Differs::OtherLoss
        }
        (true, false) => Differs::OtherLoss,
        (false, true) => {
            let (framework, how) = (FRAMEWORK, Differs::Unpadded);
            job.notes.push(Note::Differs { framework, how });
            Differs::AllInFp32
        }
        (false, false) => Differs::AllInFp32,
    };
    let framework = FRAMEWORK;
    job.notes.push(Note::Differs { framework, how });
}

/// `get_train_ds_config` (`utils/deepspeed/deepspeed_utils.py`): what it calls auto is `DeepSpeed`'s own default.
fn engine(said: &Said, job: &mut Job) {
    job.wrapper = Some(Wrapper::Zero);
    job.needs_gpus = true;
    job.assume("parallelism.dp.stage", 2, SOURCE);
    let dtype = said
        .first(&["ds.param_dtype", "param_dtype"])
        .and_then(value::text);
    job.mixed = Some(match dtype.as_deref() {
        Some("fp16") => Half::Fp16,
        _ => Half::Bf16,
    });
    job.loaded = job.mixed.map(Half::name);
    if on(said, ["ds.adam_offload", "adam_offload"]) {
        job.set("parallelism.dp.offload_optimizer", "cpu");
    }
    // `FusedAdam`, or the CPU's.
    job.assume("optimizer.name", "adamw", SOURCE);
    job.assume("optimizer.impl", "fused", SOURCE);
}

fn checkpointing(said: &Said, job: &mut Job) {
    let any = |names: [&str; 3]| names.iter().any(|name| said.is_on(name));
    let is_on = any([
        "gradient_checkpointing",
        "model.gradient_checkpointing_enable",
        "actor.gradient_checkpointing_enable",
    ]);
    let reentrant = any([
        "gradient_checkpointing_use_reentrant",
        "model.gradient_checkpointing_reentrant",
        "actor.gradient_checkpointing_reentrant",
    ]);
    match (is_on, reentrant) {
        (true, true) => job.set("activation_checkpointing", "full_reentrant"),
        (true, false) => job.set("activation_checkpointing", "full"),
        (false, _) => job.assume("activation_checkpointing", "none", SOURCE),
    }
}

/// The package of flash-attn, by a flag until 0.8 and unless another is said since.
fn attention(said: &Said, job: &mut Job) {
    if said.is_on("flash_attn") {
        job.set("attention", "flash_attention_2");
    }
    for key in ["attn_implementation", "ds.attn_implementation"] {
        hugging_face::attention(said, key, job);
    }
    let flat = said.has("pretrain") || said.has("zero_stage");
    if !flat {
        job.assume("attention", "flash_attention_2", SOURCE);
    }
}

/// `Actor.__init__` (`models/actor.py`).
fn adapters(said: &Said, job: &mut Job) {
    let rank = count(said, ["ds.lora.rank", "lora_rank"]).filter(|rank| *rank > 0);
    let Some(rank) = rank else {
        job.remove("lora");
        return;
    };
    job.set("lora.r", rank);
    let targets = ["ds.lora.target_modules", "target_modules"];
    let targets = targets.iter().map(|key| said.list(key));
    let targets = targets.into_iter().find(|targets| !targets.is_empty());
    let targets = targets.unwrap_or_else(|| vec!["all-linear".to_owned()]);
    job.set("lora.target_modules", targets);
    if on(said, ["ds.load_in_4bit", "load_in_4bit"]) {
        job.set("quantization.type", "nf4");
        job.set("quantization.double", true);
        job.set("quantization.compute_dtype", "bf16");
        job.set("quantization.prepare_for_kbit_training", false);
        job.set("lora.adapter_dtype", "base");
    }
}

/// `train_dpo`, `train_rm` and `train_kto`.
fn pairs(said: &Said, trainer: &str, job: &mut Job) {
    let pairs = said.has("ref_pretrain") || said.has("ref.model_name_or_path");
    let kind = match trainer {
        _ if trainer.contains("dpo") => "dpo",
        _ if trainer.contains("kto") => "kto",
        _ if trainer.contains("_rm") => "reward",
        _ if trainer.is_empty() && pairs => "dpo",
        _ => return,
    };
    job.set("objective.kind", kind);
    if kind == "reward" {
        job.set("task", "sequence_classification");
    }
    if on(said, ["model.ipo_enable", "ipo"]) {
        job.set("objective.loss_type", "ipo");
    }
}

/// `train_ppo_ray`, whatever it estimates advantages by: GRPO's step is that of all without a critic.
fn generated(said: &Said, job: &mut Job) {
    job.set("objective.kind", "grpo");
    let estimator = said.first(&["algo.advantage.estimator", "advantage_estimator"]);
    let estimator = estimator.and_then(value::text);
    if estimator.is_none_or(|name| name == "gae") {
        let (framework, how) = (FRAMEWORK, Differs::Critic);
        job.notes.push(Note::Differs { framework, how });
    }
    let asked = count(said, ["rollout.max_new_tokens", "generate_max_len"]);
    let longest = count(said, ["data.max_len", "max_len"]);
    let prompt = said.count("prompt_max_len");
    let completion = asked.unwrap_or(1024).max(1);
    match (prompt, longest) {
        (Some(prompt), _) => job.set("seq_len", prompt.saturating_add(completion)),
        (None, Some(longest)) => job.set("seq_len", longest.max(completion.saturating_add(1))),
        (None, None) => {
            let longest = completion.saturating_add(1).max(2048);
            job.assume("seq_len", longest, SOURCE);
        }
    }
    job.set("objective.completion_tokens", completion);
    for (path, names) in [
        (
            "hardware.gpus_per_node",
            ["actor.num_gpus_per_node", "actor_num_gpus_per_node"],
        ),
        ("hardware.nodes", ["actor.num_nodes", "actor_num_nodes"]),
    ] {
        let usual = if path == "hardware.nodes" { 1 } else { 8 };
        match count(said, names) {
            Some(count) => job.set(path, count),
            None => job.assume(path, usual, SOURCE),
        }
    }
    let together = on(said, ["train.colocate_all", "colocate_all_models"]);
    let beside = together || on(said, ["train.colocate_actor_ref", "colocate_actor_ref"]);
    let coefficient = said.first(&["algo.kl.init_coef", "init_kl_coef"]);
    let coefficient = coefficient.and_then(value::real).unwrap_or(0.01);
    let beta = if beside { coefficient } else { 0.0 };
    job.set("objective.beta", beta);
    let sleeps = on(said, ["vllm.enable_sleep", "vllm_enable_sleep"]);
    let generation = match (together, sleeps) {
        (true, true) => "vllm_sleep",
        (true, false) => "vllm",
        (false, _) => "none",
    };
    job.set("objective.generation", generation);
    if together {
        let share = said.first(&["vllm.gpu_memory_utilization", "vllm_gpu_memory_utilization"]);
        let share: Option<Value> = share.and_then(value::real).map(Value::from);
        let path = "objective.vllm_gpu_memory_utilization";
        job.set(path, share.unwrap_or_else(|| 0.95.into()));
    }
    job.generates_beside = Some(FRAMEWORK);
}

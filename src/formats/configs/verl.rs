//! verl's Hydra configurations over FSDP: `verl.trainer.main_ppo` and its trainers of supervised fine-tuning.

mod rows;

use super::format::{Format, Syntax};
use super::job::{Differs, Half, Job, Matters, Note, Wrapper};
use super::row::Lack;
use super::said::Said;
use super::value;

const SOURCE: &str = "verl/trainer/config, verl 0.9.1";
const FRAMEWORK: &str = "verl";

pub(super) const FORMAT: Format = Format {
    name: "verl",
    rows: &[rows::ROWS],
    without_memory: &[rows::WITHOUT_MEMORY],
    telling: &[
        "actor_rollout_ref.*",
        "algorithm.adv_estimator",
        "data.max_response_length",
        "data.micro_batch_size_per_gpu",
        "model.partial_pretrain",
        "trainer.n_gpus_per_node",
        "trainer.default_local_dir",
    ],
    finish,
    syntax: Syntax::Yaml,
    phrases: &[],
};

/// The keys of the model that is trained: where its settings, its engine's and its step's are.
struct Places {
    model: &'static str,
    engines: &'static [&'static str],
    step: &'static str,
}

const POLICY: Places = Places {
    model: "actor_rollout_ref.model.",
    engines: &[
        "actor_rollout_ref.actor.fsdp_config.",
        "actor_rollout_ref.actor.",
    ],
    step: "actor_rollout_ref.actor.",
};

const SUPERVISED: Places = Places {
    model: "model.",
    engines: &["engine.", "model.fsdp_config.", "model.", ""],
    step: "data.",
};

impl Places {
    fn of_model(&self, name: &str) -> String {
        format!("{}{name}", self.model)
    }

    /// The first of the engine's places where a key is.
    fn of_engine(&self, said: &Said, name: &str) -> Option<String> {
        let keys = self.engines.iter().map(|above| format!("{above}{name}"));
        keys.into_iter().find(|key| said.get(key).is_some())
    }

    fn engine_flag(&self, said: &Said, name: &str) -> Option<bool> {
        said.flag(&self.of_engine(said, name)?)
    }
}

fn finish(said: &Said, job: &mut Job) {
    let trainer = said.word("trainer").unwrap_or_default();
    let supervised = trainer.contains("sft")
        || said.has("model.partial_pretrain")
        || !said.has_within("actor_rollout_ref.") && said.has("data.max_length");
    let places = if supervised { &SUPERVISED } else { &POLICY };
    for name in ["path", "partial_pretrain"] {
        if let Some(model) = said.get(&places.of_model(name)) {
            job.set("model", model.clone());
        }
    }
    gpus(said, supervised, job);
    engine(said, places, job);
    model(said, places, job);
    if supervised {
        batches(said, &trainer, job);
    } else {
        policy(said, job);
    }
}

fn gpus(said: &Said, supervised: bool, job: &mut Job) {
    // `torchrun` says how many there are in supervised training.
    let usual = (!supervised).then_some(8);
    match (said.count("trainer.n_gpus_per_node"), usual) {
        (Some(count), _) => job.set("hardware.gpus_per_node", count),
        (None, Some(usual)) => job.assume("hardware.gpus_per_node", usual, SOURCE),
        (None, None) => {}
    }
    if let Some(nodes) = said.count("trainer.nnodes") {
        job.set("hardware.nodes", nodes);
    }
    job.needs_gpus = true;
}

/// `FSDPEngine` (`workers/engine/fsdp/transformer_impl.py`): float32 weights, half in each unit and under autocast,
/// gradients summed in float32.
fn engine(said: &Said, places: &Places, job: &mut Job) {
    let word = |name: &str| said.word(&places.of_engine(said, name)?);
    let second = word("strategy").as_deref() == Some("fsdp2");
    job.wrapper = Some(if second {
        Wrapper::Fsdp2
    } else {
        Wrapper::Fsdp1
    });
    let reshards = places
        .engine_flag(said, "reshard_after_forward")
        .unwrap_or(true);
    if second {
        job.set("parallelism.dp.reshard_after_forward", reshards);
        if places.engine_flag(said, "offload_policy") == Some(true) {
            job.set("parallelism.dp.cpu_offload", true);
        }
    } else {
        let strategy = if reshards {
            "FULL_SHARD"
        } else {
            "SHARD_GRAD_OP"
        };
        job.set("parallelism.dp.sharding_strategy", strategy);
        let original = places.engine_flag(said, "use_orig_params");
        job.set("parallelism.dp.use_orig_params", original.unwrap_or(false));
        let prefetches = places.engine_flag(said, "forward_prefetch");
        job.set(
            "parallelism.dp.forward_prefetch",
            prefetches.unwrap_or(false),
        );
    }
    job.set("parallelism.dp.built_on_cpu", true);
    // Gradients are reduced in each micro-batch unless this is on, for FSDP2.
    let waits = places.engine_flag(said, "use_no_sync_for_gradient_accumulation");
    job.set("parallelism.dp.no_sync", waits.unwrap_or(false));
    let half = match word("dtype").as_deref() {
        Some("float16" | "fp16") => Half::Fp16,
        _ => Half::Bf16,
    };
    job.mixed = Some(half);
    job.reduces_in = Some("fp32");
    job.loaded = Some(match word("model_dtype").as_deref() {
        Some("bf16" | "bfloat16") => "bf16",
        Some("fp16" | "float16") => "fp16",
        _ => "fp32",
    });
    let shard = places
        .of_engine(said, "fsdp_size")
        .and_then(|key| said.count(&key));
    if let Some(shard) = shard.filter(|size| *size > 0) {
        job.set("parallelism.dp.shard_size", shard);
    }
    job.saves = false;
    job.assume("optimizer.name", "adamw", SOURCE);
    job.assume("optimizer.impl", "foreach", SOURCE);
    job.assume("clip_grad_norm", true, SOURCE);
}

/// The model as it is loaded and wrapped: flash-attn unless `override_config` says otherwise, checkpoints, adapters.
fn model(said: &Said, places: &Places, job: &mut Job) {
    let key = places.of_model("override_config.attn_implementation");
    match said.word(&key).as_deref() {
        Some(name @ ("sdpa" | "eager")) => job.set("attention", name),
        Some(_) => job.set("attention", "flash_attention_2"),
        None => job.assume("attention", "flash_attention_2", SOURCE),
    }
    match said.flag(&places.of_model("enable_gradient_checkpointing")) {
        Some(false) => job.set("activation_checkpointing", "none"),
        Some(true) => job.set("activation_checkpointing", "full"),
        None => job.assume("activation_checkpointing", "full", SOURCE),
    }
    if said.is_on(&places.of_model("use_liger")) {
        job.set("liger_kernel", vec!["rope", "rms_norm", "swiglu"]);
    }
    let rank = ["lora_rank", "lora.rank"];
    let rank = rank
        .iter()
        .find_map(|name| said.count(&places.of_model(name)));
    match rank.filter(|rank| *rank > 0) {
        Some(rank) => {
            job.set("lora.r", rank);
            let targets = said.list(&places.of_model("target_modules"));
            if targets.is_empty() {
                job.set("lora.target_modules", vec!["all-linear"]);
            } else {
                job.set("lora.target_modules", targets);
            }
        }
        None => job.remove("lora"),
    }
}

/// Micro-batches of supervised training: of as many tokens as fit, unless it is the trainer before 0.6.
fn batches(said: &Said, trainer: &str, job: &mut Job) {
    let former = trainer.contains("fsdp_sft") || said.has("model.partial_pretrain");
    let each = said
        .count("data.micro_batch_size_per_gpu")
        .or(said.count("data.micro_batch_size"));
    match each {
        Some(each) => job.set("micro_batch_size", each),
        None => job.assume("micro_batch_size", 4, SOURCE),
    }
    match said.count("data.max_length") {
        Some(longest) => job.set("seq_len", longest),
        None => job.assume("seq_len", 1024, SOURCE),
    }
    job.global_batch = Some((said.count("data.train_batch_size").unwrap_or(256), 1));
    let dynamic = said.flag("data.use_dynamic_bsz").unwrap_or(!former);
    if dynamic {
        let tokens = said.count("data.max_token_len_per_gpu").unwrap_or(8192);
        let longest = job.count("seq_len").unwrap_or(1).max(1);
        job.set("micro_batch_size", (tokens / longest).max(1));
        job.flatten("position_ids");
    } else if said.is_on("use_remove_padding") || said.is_on("model.use_remove_padding") {
        job.flatten("position_ids");
    }
    let (framework, how) = (FRAMEWORK, Differs::OtherLoss);
    job.notes.push(Note::Differs { framework, how });
}

/// The update of the policy, whatever advantages are estimated by.
fn policy(said: &Said, job: &mut Job) {
    let actor = |name: &str| format!("{}{name}", POLICY.step);
    job.set("objective.kind", "grpo");
    let lengths = ["data.max_prompt_length", "data.max_response_length"];
    let [prompt, response] = lengths.map(|key| said.count(key));
    let tokens = prompt
        .unwrap_or(512)
        .saturating_add(response.unwrap_or(512));
    if prompt.is_none() && response.is_none() {
        job.assume("seq_len", tokens, SOURCE);
    } else {
        job.set("seq_len", tokens);
    }
    job.set("objective.completion_tokens", response.unwrap_or(512));
    let ranks = job.gpus().unwrap_or(1).max(1);
    let samples = said.count("actor_rollout_ref.rollout.n").unwrap_or(1);
    let each = said.count(&actor("ppo_micro_batch_size_per_gpu"));
    let shared = said
        .count(&actor("ppo_micro_batch_size"))
        .map(|all| (all / ranks).max(1));
    if said.is_on(&actor("use_dynamic_bsz")) {
        let budget = said
            .count(&actor("ppo_max_token_len_per_gpu"))
            .unwrap_or(16_384);
        job.set("micro_batch_size", (budget / tokens.max(1)).max(1));
    } else if let Some(each) = each.or(shared) {
        job.set("micro_batch_size", each);
    } else {
        job.assume(
            "micro_batch_size",
            1,
            "one sample, where no size of micro-batches is said",
        );
    }
    let prompts = said.count(&actor("ppo_mini_batch_size")).unwrap_or(256);
    job.global_batch = Some((prompts.saturating_mul(samples), 1));
    if let Some(epochs) = said.count(&actor("ppo_epochs")) {
        job.set("objective.num_iterations", epochs);
    }
    let with_reference =
        said.is_on(&actor("use_kl_loss")) || said.is_on("algorithm.use_kl_in_reward");
    // Kept on the host and moved unit by unit, whatever is said (`_build_fsdp_module`).
    job.set("objective.beta", 0.0);
    let estimator = said.word("algorithm.adv_estimator");
    let critic = estimator.is_none_or(|name| name == "gae");
    let mut tell = |how| {
        job.notes.push(Note::Differs {
            framework: FRAMEWORK,
            how,
        });
    };
    tell(Differs::AllIn16Bits);
    if with_reference {
        tell(Differs::HostReference);
    }
    if critic {
        tell(Differs::Critic);
    }
    job.set("objective.generation", "vllm_sleep");
    job.generates_beside = Some(FRAMEWORK);
    if said
        .word(&actor("strategy"))
        .is_some_and(|name| !name.starts_with("fsdp"))
    {
        job.give_up(said, &actor("strategy"), Matters::Yes(Lack::Parallelism));
    }
    let share = "actor_rollout_ref.rollout.gpu_memory_utilization";
    if let Some(share) = said.get(share).and_then(value::real) {
        job.set("objective.vllm_gpu_memory_utilization", share);
    }
}

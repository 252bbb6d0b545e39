//! The trainer of TRL that the keys of a configuration are of: the command that starts it says it mostly, not they.

use super::job::{Job, Matters, Note};
use super::row::Does::{Decides, Lacks};
use super::row::{Lack, Row};
use super::said::Said;
use super::value;

const SOURCE: &str = "DPOConfig, GRPOConfig and DistillationConfig, trl 1.16";

/// Options of TRL's trainers (trl 1.16, and spellings since 0.7); `trainer` is the word of the command.
pub(super) const ROWS: &[Row] = &[
    ("trainer", Decides("objective.kind")),
    ("max_prompt_length", Decides("seq_len objective.kind")),
    (
        "max_completion_length",
        Decides("seq_len objective.kind objective.completion_tokens"),
    ),
    ("num_generations", Decides("objective.kind")),
    ("beta", Decides("objective.kind objective.beta")),
    (
        "precompute_ref_log_probs",
        Decides("objective.kind objective.precompute_ref_log_probs"),
    ),
    ("precompute_ref_batch_size", Lacks(Lack::Preference)),
    ("loss_weights", Decides("objective.kind")),
    ("f_divergence_type", Decides("objective.kind")),
    ("rpo_alpha", Lacks(Lack::Preference)),
    ("ld_alpha", Decides("objective.kind")),
    ("use_weighting", Lacks(Lack::Preference)),
    ("desirable_weight", Decides("objective.kind")),
    ("undesirable_weight", Decides("objective.kind")),
    ("cpo_alpha", Decides("objective.kind")),
    ("simpo_gamma", Decides("objective.kind")),
    ("center_rewards_coefficient", Decides("objective.kind")),
    ("ref_model_init_kwargs*", Lacks(Lack::Preference)),
    (
        "teacher_model_name_or_path",
        Decides("objective.kind objective.teacher"),
    ),
    (
        "teacher_model_init_kwargs.dtype",
        Decides("objective.teacher_dtype"),
    ),
    (
        "teacher_model_init_kwargs.torch_dtype",
        Decides("objective.teacher_dtype"),
    ),
    ("use_vllm", Decides("objective.generation")),
    ("vllm_mode", Decides("objective.generation")),
    ("vllm_enable_sleep_mode", Decides("objective.generation")),
    (
        "vllm_gpu_memory_utilization",
        Decides("objective.vllm_gpu_memory_utilization"),
    ),
    ("num_iterations", Decides("objective.num_iterations")),
    ("vllm_*", Lacks(Lack::Generation)),
];

/// Keys that only one of the trainers has, and the trainer's name in a scenario.
const TELLING: &[(&str, &str)] = &[
    ("num_generations", "grpo"),
    ("teacher_model_name_or_path", "distillation"),
    ("desirable_weight", "kto"),
    ("undesirable_weight", "kto"),
    ("cpo_alpha", "cpo"),
    ("simpo_gamma", "cpo"),
    ("center_rewards_coefficient", "reward"),
    ("max_completion_length", "grpo"),
    ("precompute_ref_log_probs", "dpo"),
    ("ref_model_init_kwargs", "dpo"),
    ("f_divergence_type", "dpo"),
    ("loss_weights", "dpo"),
    ("ld_alpha", "dpo"),
];

/// Losses of each trainer, its default first (trl 1.16). A loss that several have is taken for the first one's.
const LOSSES: &[(&str, &[&str])] = &[
    ("sft", &["nll", "dft"]),
    (
        "dpo",
        &[
            "sigmoid",
            "hinge",
            "ipo",
            "exo_pair",
            "nca_pair",
            "robust",
            "bco_pair",
            "sppo_hard",
            "aot",
            "aot_unpaired",
            "apo_zero",
            "apo_down",
            "discopop",
            "sft",
            "sigmoid_norm",
        ],
    ),
    ("kto", &["kto", "apo_zero_unpaired"]),
    (
        "grpo",
        &[
            "dapo", "grpo", "dr_grpo", "bnpo", "cispo", "sapo", "luspo", "vespo",
        ],
    ),
    ("cpo", &["sigmoid", "hinge", "ipo", "simpo", "alphapo"]),
];

/// Another loss of CPO without the likelihood of the chosen completion, which no scenario says.
const WITHOUT_LIKELIHOOD: &str = "alphapo";

/// Commands and scripts by the trainer that they start.
const COMMANDS: &[(&str, &str)] = &[
    ("sft", "sft"),
    ("dpo", "dpo"),
    ("kto", "kto"),
    ("orpo", "orpo"),
    ("cpo", "cpo"),
    ("grpo", "grpo"),
    ("reward", "reward"),
    ("reward_modeling", "reward"),
    ("distillation", "distillation"),
];

/// Keys about the generation of completions, which trainers other than GRPO's may have, too.
const GENERATES: [&str; 4] = [
    "use_vllm",
    "vllm_mode",
    "vllm_enable_sleep_mode",
    "vllm_gpu_memory_utilization",
];

/// Keys of `SFTConfig` and of TRL's scripts, which other users of `Trainer` have not.
const SUPERVISED: &[&str] = &[
    "max_length",
    "max_seq_length",
    "packing",
    "padding_free",
    "use_peft",
    "completion_only_loss",
    "assistant_only_loss",
    "dataset_text_field",
    "trainer",
];

fn named(names: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    let found = names.iter().find(|(name, _)| *name == word);
    found.map(|(_, own)| *own)
}

/// The trainer that a command's word or a script's name starts.
pub(super) fn started(word: &str) -> Option<&'static str> {
    let file = word.rsplit('/').next().unwrap_or(word);
    let stem = file.strip_suffix(".py").unwrap_or(file);
    named(COMMANDS, stem.strip_prefix("run_").unwrap_or(stem))
}

/// Sets the objective that the keys tell. Where nothing but a `beta` or the length of prompts does, it is DPO's.
pub(super) fn told(said: &Said, job: &mut Job) -> Option<&'static str> {
    let command = said.word("trainer").and_then(|word| started(&word));
    let loss = said.list("loss_type").into_iter().next();
    let by_loss = loss.and_then(|loss| {
        let mut all = LOSSES.iter();
        let found = all.find(|(_, losses)| losses.contains(&loss.as_str()));
        found.map(|(kind, _)| *kind)
    });
    let has = |key: &str| said.get(key).is_some();
    let telling = TELLING.iter().find(|(key, _)| has(key));
    if said.has("trainer") && command.is_none() {
        job.give_up(said, "trainer", Matters::Yes(Lack::Preference));
    }
    let kind = command.or(telling.map(|(_, kind)| *kind)).or(by_loss);
    match kind {
        Some("sft") => return None,
        Some(kind) => job.set("objective.kind", kind),
        None if has("beta") || has("max_prompt_length") => {
            job.assume("objective.kind", "dpo", SOURCE);
        }
        None => return None,
    }
    let kind = kind.unwrap_or("dpo");
    if !["grpo", "distillation"].contains(&kind) {
        for key in GENERATES {
            job.give_up(said, key, Matters::Yes(Lack::Generation));
        }
    }
    match kind {
        "grpo" => generated(said, job),
        "distillation" => {
            generated(said, job);
            teacher(said, job);
        }
        "dpo" | "kto" => {
            if let Some(before) = said.flag("precompute_ref_log_probs") {
                job.set("objective.precompute_ref_log_probs", before);
            }
            if FORMER.iter().any(|key| said.has(key)) {
                job.assume("objective.log_probs", "selective", FORMERLY);
            } else {
                job.notes.push(Note::Earlier {
                    framework: "TRL",
                    since: "1.15",
                    key: "objective.log_probs",
                    value: "selective".into(),
                });
            }
        }
        "reward" => job.set("task", "sequence_classification"),
        _ => {}
    }
    Some(kind)
}

/// Options of `DPOConfig` and `KTOConfig` of trl 0.24 that later ones do not have.
const FORMER: [&str; 8] = [
    "max_prompt_length",
    "generate_during_eval",
    "reference_free",
    "rpo_alpha",
    "use_logits_to_keep",
    "force_use_ref_model",
    "model_adapter_name",
    "ref_adapter_name",
];

/// The source of defaults that are taken from such a version.
const FORMERLY: &str = "DPOConfig and KTOConfig, trl before 1.0, which the file has options of";

/// The longest prompt and completion of GRPO where none is said.
pub(super) const GENERATED: [u64; 2] = [512, 512];

/// The teacher of a distillation, which is loaded in its checkpoint's dtype where nothing is said
/// (`create_model_from_path`, transformers 5.23).
fn teacher(said: &Said, job: &mut Job) {
    if let Some(name) = said.get("teacher_model_name_or_path") {
        job.set("objective.teacher", name.clone());
    }
    let keys = [
        "teacher_model_init_kwargs.dtype",
        "teacher_model_init_kwargs.torch_dtype",
    ];
    let given = keys.iter().find_map(|key| said.word(key));
    match given.as_deref().and_then(dtype_name) {
        Some(dtype) => job.set("objective.teacher_dtype", dtype),
        None => job.assume("objective.teacher_dtype", "bf16", SOURCE),
    }
}

/// A scenario's name of a dtype of PyTorch.
fn dtype_name(word: &str) -> Option<&'static str> {
    match word.trim_start_matches("torch.") {
        "bfloat16" => Some("bf16"),
        "float16" => Some("fp16"),
        "float32" => Some("fp32"),
        _ => None,
    }
}

/// Lengths, and the reference of GRPO, of objectives that train on the completions that they generate.
fn generated(said: &Said, job: &mut Job) {
    let prompt = said.count("max_prompt_length").unwrap_or(GENERATED[0]);
    let completion = said.count("max_completion_length").unwrap_or(GENERATED[1]);
    job.assumed.retain(|own| own.key != "seq_len");
    job.set("seq_len", prompt.saturating_add(completion));
    job.set("objective.completion_tokens", completion);
    if let Some(beta) = said.get("beta").and_then(value::real) {
        job.set("objective.beta", beta);
    }
    generation(said, job);
}

/// Who generates their completions: the model itself where vLLM is not asked for, or one that is a server.
fn generation(said: &Said, job: &mut Job) {
    let server = said.word("vllm_mode").as_deref() == Some("server");
    let generation = match said.is_on("use_vllm") {
        true if server => "none",
        true if said.is_on("vllm_enable_sleep_mode") => "vllm_sleep",
        true => "vllm",
        false => "model",
    };
    job.set("objective.generation", generation);
    if let Some(iterations) = said.count("num_iterations") {
        job.set("objective.num_iterations", iterations);
    }
    let share = said.get("vllm_gpu_memory_utilization");
    if let Some(share) = share.and_then(value::real) {
        job.set("objective.vllm_gpu_memory_utilization", share);
    }
}

/// `SFTTrainer`, whose loss needs no logits of all tokens (`sft_trainer.py`, trl 1.16), where the loss is its own. Beside
/// it offloaded activations are not estimated.
pub(super) fn supervised(said: &Said, job: &mut Job) {
    if job.get("loss").is_some() || !SUPERVISED.iter().any(|key| said.has(key)) {
        return;
    }
    job.set("objective.kind", "sft");
    loss(said, Some("sft"), job);
}

/// The loss of an objective, where it is one that is estimated.
pub(super) fn loss(said: &Said, objective: Option<&str>, job: &mut Job) {
    let mut all = LOSSES.iter();
    let own = all.find(|(kind, _)| Some(*kind) == objective);
    let own = own.map_or(&[][..], |(_, losses)| *losses);
    let known = |loss: &String| own.contains(&loss.as_str()) && loss != WITHOUT_LIKELIHOOD;
    match &said.list("loss_type")[..] {
        [] => {}
        [asked] if known(asked) => {
            if own.first() != Some(&asked.as_str()) {
                job.set("objective.loss_type", asked.as_str());
            }
        }
        // The name of the default of trainers that have one loss, and an older one of SFT's.
        [asked] if own.is_empty() && asked == "nll" || asked == "chunked_nll" => {}
        _ => job.give_up(said, "loss_type", Matters::Yes(Lack::Loss)),
    }
}

//! ms-swift's arguments over `TrainingArguments`: `swift sft`, `swift pt` and `swift rlhf`.

mod rows;

use super::format::{Format, Syntax};
use super::hugging_face::{self, FSDP, FSDP_WITHOUT_MEMORY, LOADER};
use super::job::{Assumed, Differs, Half, Job, Matters, Note, Wrapper};
use super::row::Lack;
use super::said::Said;
use super::{trainer, value};

const SOURCE: &str = "swift/arguments, ms-swift 4.6.0";

pub(super) const FORMAT: Format = Format {
    name: "ms-swift",
    rows: &[rows::ROWS, trainer::ROWS, LOADER, FSDP],
    without_memory: &[
        rows::WITHOUT_MEMORY,
        trainer::WITHOUT_MEMORY,
        FSDP_WITHOUT_MEMORY,
    ],
    telling: &[
        "train_type",
        "tuner_type",
        "sft_type",
        "rlhf_type",
        "attn_impl",
        "quant_bits",
        "split_dataset_ratio",
        "freeze_vit",
        "freeze_aligner",
        "lazy_tokenize",
        "load_from_cache_file",
        "model_author",
        "use_hf",
        "external_plugins",
        "vllm_server_host",
        "val_dataset",
    ],
    finish,
    syntax: Syntax::Yaml,
    phrases: &[],
};

/// How the adapters or the whole are trained, by the names of ms-swift 4, 3 and 2.
const TUNERS: [&str; 3] = ["tuner_type", "train_type", "sft_type"];

fn finish(said: &Said, job: &mut Job) {
    if let Some(model) = said.first(&["model", "model_id_or_path"]) {
        job.set("model", model.clone());
    }
    let tuner = TUNERS.iter().find_map(|key| Some((*key, said.word(key)?)));
    let kind = tuner.as_ref().map_or("lora", |(_, kind)| kind.as_str());
    dtypes(said, job);
    for (path, value) in [("micro_batch_size", 1), ("dataloader.num_workers", 1)] {
        job.assume(path, value, SOURCE);
    }
    trainer::arguments(said, job, true);
    evaluation(said, job);
    if said.get("gradient_accumulation_steps").is_none() {
        // As many as make 16 samples of a step (`TrainArgumentsMixin.__post_init__`).
        job.global_batch = Some((16, 1));
    }
    fsdp(said, job);
    checkpointing(said, job);
    attention(said, job);
    adapters(said, kind, tuner.as_ref().map(|(key, _)| *key), job);
    quantized(said, job);
    frozen(said, kind == "full", job);
    match said.word("rlhf_type").or_else(|| command(said)) {
        None => {
            if said.is_on("packing") || said.is_on("padding_free") {
                job.flatten("padding_free");
            }
        }
        Some(objective) => aligned(said, &objective, job),
    }
    if let Some(task) = said.word("task_type").filter(|task| task != "causal_lm") {
        if task == "seq_cls" {
            job.set("task", "sequence_classification");
        } else {
            job.give_up(said, "task_type", Matters::Yes(Lack::Loss));
        }
    }
}

/// `swift rlhf` without a type is DPO.
fn command(said: &Said) -> Option<String> {
    (said.word("trainer").as_deref() == Some("rlhf")).then(|| "dpo".to_owned())
}

/// `_init_torch_dtype` and `_init_mixed_precision`: weights keep the file's dtype unless one is said, and autocast
/// is of 16 bits either way.
fn dtypes(said: &Said, job: &mut Job) {
    hugging_face::dtype(said, &["torch_dtype"], job);
    if job.loaded.is_none() {
        job.loaded = Some("bf16");
        let key = "weights".to_owned();
        job.assumed.push(Assumed {
            key,
            value: "bf16".into(),
            source: SOURCE,
        });
    }
    if job.loaded != Some("bf16") && said.flag("bf16") != Some(true) {
        job.mixed = Some(Half::Fp16);
    } else if said.flag("bf16") != Some(false) {
        job.mixed = Some(Half::Bf16);
    }
}

/// An evaluation where there is data for one.
fn evaluation(said: &Said, job: &mut Job) {
    let share = said.get("split_dataset_ratio").and_then(value::real);
    let splits = share.is_some_and(|share| share > 0.0);
    let given = splits || said.get("val_dataset").is_some() || said.get("eval_dataset").is_some();
    // As it saves, unless it is said (`_init_eval_strategy`).
    let strategy = said
        .word("eval_strategy")
        .or_else(|| said.word("save_strategy"));
    let never = strategy.as_deref() == Some("no");
    if given && !never {
        let batch = said.count("per_device_eval_batch_size");
        let strategy = Some("steps".to_owned());
        hugging_face::evaluation(said, strategy, Some(batch.unwrap_or(1)), job);
    } else {
        job.remove("evaluation");
    }
}

/// `--fsdp fsdp2` (`swift/config/fsdp2.json`).
fn fsdp(said: &Said, job: &mut Job) {
    if said.word("fsdp").as_deref() == Some("fsdp2") {
        job.wrapper = Some(Wrapper::Fsdp2);
        job.set("parallelism.dp.reshard_after_forward", true);
        job.set("host.saving", "shards");
    }
}

/// `_fix_gradient_checkpointing` (`trainers/mixin.py`): not reentrant under DDP, else reentrant.
fn checkpointing(said: &Said, job: &mut Job) {
    let by_fsdp = said.word("fsdp").as_deref() == Some("fsdp2");
    if by_fsdp {
        job.set("activation_checkpointing", "full");
        return;
    }
    if said.flag("gradient_checkpointing") == Some(false) {
        return;
    }
    let key = "gradient_checkpointing_kwargs.use_reentrant";
    let reentrant = said
        .flag(key)
        .or_else(|| said.get("deepspeed").map(|_| true));
    match reentrant {
        Some(false) => job.set("activation_checkpointing", "full"),
        Some(true) => job.set("activation_checkpointing", "full_reentrant"),
        None => job.reentrant_alone = true,
    }
}

/// Gemma 3 is trained without SDPA unless another attention is said (`Gemma3TextLoader`, `model/models/gemma.py`).
fn attention(said: &Said, job: &mut Job) {
    let model = job.get("model").and_then(serde_json::Value::as_str);
    let eager = model.is_some_and(|name| name.to_ascii_lowercase().contains("gemma-3-"));
    match said.word("attn_impl").as_deref() {
        Some("flash_attn" | "flash_attention_2") => job.set("attention", "flash_attention_2"),
        None if eager => job.assume("attention", "eager", SOURCE),
        _ => hugging_face::attention(said, "attn_impl", job),
    }
}

/// `prepare_adapter` (`pipelines/train/tuner.py`).
fn adapters(said: &Said, kind: &str, key: Option<&str>, job: &mut Job) {
    match kind {
        "lora" => {
            job.assume("lora.r", 8, SOURCE);
            job.assume("lora.dropout", 0.05, SOURCE);
            let targets = ["target_modules", "lora_target_modules"];
            let targets = targets.iter().map(|key| said.list(key));
            let targets = targets.into_iter().find(|targets| !targets.is_empty());
            let targets = targets.unwrap_or_default();
            let all = ["all-linear", "ALL", "DEFAULT"];
            if targets.is_empty() || targets.iter().any(|name| all.contains(&name.as_str())) {
                job.set("lora.target_modules", vec!["all-linear"]);
            } else {
                job.set("lora.target_modules", targets);
            }
            if said
                .word("lora_dtype")
                .is_some_and(|dtype| dtype != "float32")
            {
                job.set("lora.adapter_dtype", "base");
            }
        }
        "full" => job.remove("lora"),
        _ => {
            job.remove("lora");
            if let Some(key) = key {
                job.give_up(said, key, Matters::Yes(Lack::Adapter));
            }
        }
    }
}

/// `get_quantization_config` (`arguments/base_args/quant_args.py`).
fn quantized(said: &Said, job: &mut Job) {
    let bits = said.count("quant_bits").or(said.count("quantization_bit"));
    let Some(bits) = bits.filter(|bits| *bits > 0) else {
        return;
    };
    let method = said.word("quant_method");
    if method.is_none() && said.get("quantization_bit").is_none() {
        // Since ms-swift 3 nothing is quantized without a method.
        return;
    }
    if !matches!(method.as_deref(), None | Some("bnb")) || ![4, 8].contains(&bits) {
        for key in ["quant_bits", "quantization_bit"] {
            job.give_up(said, key, Matters::Yes(Lack::Quantization));
        }
        return;
    }
    if bits == 8 {
        job.set("quantization.type", "int8");
    } else {
        let kind = said.word("bnb_4bit_quant_type");
        job.set(
            "quantization.type",
            kind.unwrap_or_else(|| "nf4".to_owned()),
        );
        let double = said.flag("bnb_4bit_use_double_quant").unwrap_or(true);
        job.set("quantization.double", double);
    }
    // The dtype of weights that are not quantized counts for more memory than the compute dtype, where they differ.
    job.set("quantization.compute_dtype", job.loaded.unwrap_or("bf16"));
    job.set("quantization.prepare_for_kbit_training", false);
}

/// Parts of a model with images that stay as they are where all else is trained (`_init_multimodal_full`).
fn frozen(said: &Said, full: bool, job: &mut Job) {
    let name = said.word("model").unwrap_or_default();
    let parts: [hugging_face::Part; 3] = [
        ("freeze_vit", true, &["visual.patch_embed", "visual.blocks"]),
        ("freeze_aligner", true, &["visual.merger"]),
        ("freeze_llm", false, &["language_model", "lm_head"]),
    ];
    hugging_face::frozen(said, &name, full, &parts, job);
}

/// `swift rlhf` (`rlhf_trainers`), whose losses are of all logits in fp32.
fn aligned(said: &Said, objective: &str, job: &mut Job) {
    let framework = "ms-swift";
    let kind = match objective {
        "dpo" | "kto" | "orpo" | "cpo" | "grpo" => objective,
        "simpo" => "cpo",
        "rm" => "reward",
        _ => return job.give_up(said, "rlhf_type", Matters::Yes(Lack::Preference)),
    };
    job.set("objective.kind", kind);
    if objective == "simpo" {
        job.set("objective.loss_type", "simpo");
    }
    match kind {
        "reward" => job.set("task", "sequence_classification"),
        "grpo" => generated(said, job),
        _ => {
            // ms-swift allows no trl after 0.24.
            job.set("objective.log_probs", "selective");
            job.notes.push(Note::AllLogits { framework });
        }
    }
    for key in ["packing", "padding_free"] {
        if said.is_on(key) {
            let how = Differs::Unpadded;
            job.notes.push(Note::Differs { framework, how });
        }
    }
}

/// `max_length` is of prompts, `max_completion_length` of completions.
fn generated(said: &Said, job: &mut Job) {
    let completion = said.count("max_completion_length").unwrap_or(512);
    if let Some(prompt) = said.count("max_length") {
        job.set("seq_len", prompt.saturating_add(completion));
    } else {
        let longest = completion.saturating_add(512).max(2048);
        job.assume("seq_len", longest, "prompts as long as the data has them");
    }
    job.set("objective.completion_tokens", completion);
    let beta = said.get("beta").and_then(value::real);
    job.set("objective.beta", beta.unwrap_or(0.04));
    if let Some(iterations) = said.count("num_iterations") {
        job.set("objective.num_iterations", iterations);
    }
    let elsewhere = said.get("vllm_server_host").is_some()
        || said.get("vllm_server_base_url").is_some()
        || said.word("vllm_mode").as_deref() == Some("server");
    let sleeps = said.count("sleep_level").is_some_and(|level| level > 0);
    let generation = match said.is_on("use_vllm") {
        true if elsewhere => "none",
        true if sleeps => "vllm_sleep",
        true => "vllm",
        false => "model",
    };
    job.set("objective.generation", generation);
    if generation.starts_with("vllm") {
        let share = said
            .get("vllm_gpu_memory_utilization")
            .and_then(value::real);
        job.set(
            "objective.vllm_gpu_memory_utilization",
            share.unwrap_or(0.9),
        );
    }
    job.generates_beside = Some("ms-swift");
}

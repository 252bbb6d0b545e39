//! axolotl's YAML.

mod frozen;
mod phrases;
mod rows;

use super::format::{Format, Syntax};
use super::hugging_face::{self, FSDP, FSDP_WITHOUT_MEMORY, LOADER};
use super::job::{Differs, Half, Job, Matters, Note, Wrapper};
use super::objectives::GENERATED;
use super::row::Lack;
use super::said::Said;
use super::{value, without_memory};
use phrases::PHRASES;
use rows::ROWS;

const SOURCE: &str = "utils/schemas, axolotl 0.19";

pub(super) const FORMAT: Format = Format {
    name: "axolotl",
    rows: &[ROWS, LOADER, FSDP],
    without_memory: &[without_memory::AXOLOTL, FSDP_WITHOUT_MEMORY],
    telling: &[
        "base_model",
        "sequence_len",
        "datasets",
        "adapter",
        "val_set_size",
        "sample_packing",
        "num_epochs",
        "evals_per_epoch",
        "saves_per_epoch",
        "dataset_prepared_path",
        "pad_to_sequence_len",
    ],
    finish,
    syntax: Syntax::Yaml,
    phrases: &[PHRASES],
};

fn finish(said: &Said, job: &mut Job) {
    if let Some(model) = said.get("base_model") {
        job.set("model", model.clone());
    }
    if said
        .word("model_type")
        .is_some_and(|name| name.contains("forsequenceclassification"))
    {
        job.set("task", "sequence_classification");
    }
    precision(said, job);
    hugging_face::optimizer(said, "optimizer", job);
    job.set("optimizer.by_trainer", true);
    let keys = ["gradient_checkpointing", "gradient_checkpointing_kwargs"];
    hugging_face::checkpointing(said, keys, false, job);
    reentrant(said, job);
    offloading(said, job);
    hugging_face::attention(said, "attn_implementation", job);
    for (key, name) in [
        ("flash_attention", "flash_attention_2"),
        ("sdp_attention", "sdpa"),
        ("eager_attention", "eager"),
    ] {
        if said.is_on(key) {
            job.set("attention", name);
        }
    }
    evaluation(said, job);
    kernels(said, job);
    job.before_accelerate_1_14 = true; // axolotl 0.19 pins 1.13.
    if is_sharded(said) {
        hugging_face::fsdp(said, job);
    }
    if let Some(size) = said.count("tensor_parallel_size").filter(|size| *size > 1) {
        job.set("parallelism.tp.size", size);
        job.set("parallelism.tp.plan", "transformers");
        if job.wrapper == Some(Wrapper::Fsdp2) {
            // `_prepare_tp` (accelerate 1.13 to 1.15) imports `ReplicateParallel`.
            let (framework, how) = ("accelerate", Differs::Stops);
            job.notes.push(Note::Differs { framework, how });
        }
    }
    job.saves = said.word("save_strategy").as_deref() != Some("no");
    job.several = Some(Wrapper::Ddp);
    job.assume("micro_batch_size", 1, SOURCE);
    let each = job.count("micro_batch_size").unwrap_or(1).max(1);
    if let Some(all) = said.count("batch_size")
        && !said.has("gradient_accumulation_steps")
    {
        job.set("gradient_accumulation_steps", (all / each).max(1));
    }
    job.assume("optimizer.name", "adamw", SOURCE);
    if job.get("optimizer.name") == Some(&"adamw".into()) {
        job.assume("optimizer.impl", "fused", SOURCE);
    }
    job.assume("seq_len", 512, SOURCE);
    job.assume("clip_grad_norm", true, SOURCE);
    job.assume("dataloader.num_workers", 0, SOURCE);
    // Without logits nothing but the loss is converted.
    let converts = job.get("loss").is_none();
    let style = if converts { "accelerate" } else { "plain" };
    job.assume("autocast_style", style, SOURCE);
    // `set_pytorch_cuda_alloc_conf` (`utils/__init__.py`).
    job.assume("allocator.expandable_segments", true, SOURCE);
    // `_apply_post_lora_load_setup` (`loaders/model.py`).
    job.empties_cache = Some(SOURCE);
    adapters(said, job);
    own_ways(said, job);
    frozen::set(said, job);
    if objective(said, job) {
        without_loss_kernels(job);
    } else {
        packing(said, job);
    }
}

/// A trainer that computes the loss from logits gives the model no labels: kernels of its loss do not run.
fn without_loss_kernels(job: &mut Job) {
    job.remove("loss");
    job.remove("liger_version");
    let kernels = job.get("liger_kernel").map(value::list);
    let layers = kernels.map(|kernels| {
        let layers = kernels.into_iter();
        let layers = layers.filter(|kernel| !kernel.ends_with("cross_entropy"));
        layers.collect::<Vec<String>>()
    });
    if let Some(layers) = layers {
        job.set("liger_kernel", layers);
    }
}

/// Checkpoints are reentrant where no option says otherwise (`normalize_config` in `utils/config/__init__.py` and
/// `check_hidden_states_offloading` in `utils/schemas/validation.py`, axolotl 0.19).
fn reentrant(said: &Said, job: &mut Job) {
    let model = said.word("base_model").unwrap_or_default();
    let otherwise = said.has_within("gradient_checkpointing_kwargs.")
        || said.has("unfrozen_parameters")
        || said.has("rl")
        || said.word("activation_offloading").as_deref() == Some("hidden_states")
        || ["gemma-4", "gemma4"]
            .iter()
            .any(|name| model.contains(name));
    if said.is_on("gradient_checkpointing") && !otherwise {
        job.set("activation_checkpointing", "full_reentrant");
    }
}

/// Whether the file asks for FSDP.
fn is_sharded(said: &Said) -> bool {
    said.has_within("fsdp_config.") || !said.list("fsdp").is_empty()
}

/// Whether the file asks for an adapter.
fn has_adapter(said: &Said) -> bool {
    said.word("adapter").is_some_and(|name| !name.is_empty())
}

/// `_configure_gradient_checkpointing` and `_apply_activation_checkpointing` (axolotl 0.19): TRL's offloading beside
/// checkpoints.
fn offloading(said: &Said, job: &mut Job) {
    let old = said.word("gradient_checkpointing").unwrap_or_default();
    let word = match (said.word("activation_offloading"), old.as_str()) {
        (_, "offload") => "true".to_owned(),
        (_, "offload_disk") => "disk".to_owned(),
        (Some(word), _) => word,
        (None, _) => return,
    };
    let key = if said.has("activation_offloading") {
        "activation_offloading"
    } else {
        "gradient_checkpointing"
    };
    let checkpointed = job.get("activation_checkpointing").cloned();
    match word.as_str() {
        "true" | "legacy" => {
            job.set("activation_offload.kind", "saved_tensors");
            if word == "legacy" {
                job.set("activation_offload.streams", false);
            }
            // With adapters, layers are checkpointed as the file says (`loaders/model.py`).
            if !has_adapter(said) {
                job.set("activation_checkpointing", "full");
            } else if old == "offload" {
                job.set("activation_checkpointing", "full_reentrant");
            }
        }
        "hidden_states" if checkpointed == Some("full_reentrant".into()) => {
            job.set("activation_offload.kind", "layer_inputs");
        }
        "hidden_states" | "disk" => {
            job.set("activation_checkpointing", "full");
            job.give_up(said, key, Matters::Yes(Lack::Offload));
        }
        _ => {}
    }
}

/// `HFRLTrainerBuilder` and `HFCausalTrainerBuilder` (`core/builders`, axolotl 0.19): trainers of TRL.
fn objective(said: &Said, job: &mut Job) -> bool {
    let kind = match said.word("rl").as_deref() {
        Some("dpo" | "ipo") => "dpo",
        Some("kto") => "kto",
        Some("orpo") => "orpo",
        Some("simpo") => "cpo",
        Some("grpo" | "gdpo") => "grpo",
        None | Some("") if said.is_on("reward_model") => "reward",
        None | Some("") => {
            job.remove("objective");
            return false;
        }
        Some(_) => {
            job.remove("objective");
            job.give_up(said, "rl", Matters::Yes(Lack::Preference));
            return false;
        }
    };
    job.set("objective.kind", kind);
    if matches!(kind, "dpo" | "kto") {
        // Its own kernel (`monkeypatch/trainer/utils.py`) in the place of that of trl 1.9, which axolotl 0.19 pins.
        job.set("objective.log_probs", "selective_copy");
    }
    if let Some(loss @ ("ipo" | "simpo")) = said.word("rl").as_deref() {
        job.set("objective.loss_type", loss);
    }
    if kind == "reward" {
        job.set("task", "sequence_classification");
    }
    if kind == "grpo" {
        // `GRPOConfig`, trl 1.16; `sequence_len` is taken to hold prompts and completions.
        let completion = said
            .count("trl.max_completion_length")
            .unwrap_or(GENERATED[1]);
        job.set("objective.completion_tokens", completion);
        let longest = job.count("seq_len").unwrap_or(0);
        job.set("seq_len", longest.max(completion.saturating_add(1)));
        let beta = said.first(&["trl.beta", "rl_beta"]).and_then(value::real);
        if let Some(beta) = beta {
            job.set("objective.beta", beta);
        }
    }
    true
}

/// Sets packing: one row with as many tokens as the batch has room for, if attention tells sequences apart by their
/// positions, else as many rows (`multipack_real_batches`, `core/builders/causal.py`, axolotl 0.19).
fn packing(said: &Said, job: &mut Job) {
    let flattened = said.is_on("batch_flattening");
    if !said.is_on("sample_packing") && !flattened {
        return;
    }
    let varlen = job.get("attention") == Some(&"flash_attention_2".into());
    if flattened
        || said
            .flag("multipack_real_batches")
            .map_or(varlen, |real| !real)
    {
        job.flatten("position_ids");
    } else {
        job.set("packing.kind", "position_ids");
    }
    if said.flag("eval_sample_packing") == Some(false) {
        job.give_up(said, "eval_sample_packing", Matters::Yes(Lack::Packing));
    }
}

/// `resolve_dtype` (`utils/config/__init__.py`, axolotl 0.19), on GPUs that have bfloat16.
fn precision(said: &Said, job: &mut Job) {
    let word = said.word("bf16").unwrap_or_else(|| "auto".to_owned());
    let fp16 = said.is_on("fp16");
    let bf16 = match word.as_str() {
        "auto" => !fp16,
        word => matches!(word, "true" | "full"),
    };
    if bf16 && word != "full" {
        job.mixed = Some(Half::Bf16);
    } else if fp16 {
        job.mixed = Some(Half::Fp16);
    }
    job.loaded = Some(if bf16 || said.is_on("bfloat16") {
        "bf16"
    } else if said.is_on("load_in_8bit") || fp16 || said.is_on("float16") {
        "fp16"
    } else {
        "fp32"
    });
}

fn evaluation(said: &Said, job: &mut Job) {
    let splits = said
        .get("val_set_size")
        .and_then(value::real)
        .is_some_and(|size| size > 0.0);
    let never = said.count("evals_per_epoch") == Some(0)
        || said.word("eval_strategy").as_deref() == Some("no");
    if (splits || said.has("test_datasets")) && !never {
        let batch = said.count("eval_batch_size");
        hugging_face::evaluation(said, Some("steps".to_owned()), batch, job);
        if let Some(batch) = job.get("micro_batch_size").cloned() {
            job.assume("evaluation.micro_batch_size", batch, SOURCE);
        }
    }
}

/// The plugin for Liger's kernels and its options (`integrations/liger`), and others.
fn kernels(said: &Said, job: &mut Job) {
    let plugins = said.list("plugins");
    let of = |part: &str| {
        let mut names = plugins.iter().map(|name| name.to_ascii_lowercase());
        names.any(|name| name.contains(part))
    };
    if of("cut_cross_entropy") && said.flag("cut_cross_entropy") != Some(false) {
        job.set("loss", "cut_cross_entropy");
    }
    // A logging plugin is no kernel.
    let known = ["liger", "cut_cross_entropy", "swanlab"];
    let is_known = |name: &String| {
        known
            .iter()
            .any(|part| name.to_ascii_lowercase().contains(part))
    };
    if !plugins.iter().all(is_known) {
        job.give_up(said, "plugins", Matters::Yes(Lack::Kernel));
    }
    let named = [
        ("liger_rope", "rope"),
        ("liger_rms_norm", "rms_norm"),
        ("liger_glu_activation", "glu"),
        ("liger_swiglu", "glu"),
        ("liger_cross_entropy", "cross_entropy"),
        (
            "liger_fused_linear_cross_entropy",
            "fused_linear_cross_entropy",
        ),
    ];
    // The keys are the plugin's, and do nothing without it.
    let plugged = of("liger");
    let named = named.iter().filter(|(key, _)| plugged && said.is_on(key));
    let mut kernels: Vec<&str> = named.map(|(_, name)| *name).collect();
    kernels.dedup();
    if kernels.contains(&"fused_linear_cross_entropy") {
        // Pinned by axolotl 0.19.
        job.set("liger_version", "0.8.1");
    }
    if !kernels.is_empty() {
        job.set("liger_kernel", kernels);
    }
}

/// Keys of the kernels that run LoRA's layers, and a scenario's names of them.
const LORA_KERNELS: [(&str, &str); 3] = [
    ("lora_mlp_kernel", "mlp"),
    ("lora_qkv_kernel", "qkv"),
    ("lora_o_kernel", "o"),
];

/// Acts of axolotl 0.19: dtypes of full training (`_convert_embedding_modules_dtype` in `loaders/model.py`), kernels of LoRA
/// that switch on by themselves (`check_auto_enable_lora_kernels` in
/// `utils/schemas/config.py`; before 0.16 not with dropout), and the gradient of embeddings (`load_adapter` in `loaders/adapter.py`).
fn own_ways(said: &Said, job: &mut Job) {
    let cuts = job.get("loss") == Some(&"cut_cross_entropy".into());
    let narrow = job.loaded != Some("fp32");
    let sharded = is_sharded(said);
    if !has_adapter(said) {
        let attention = [
            "flash_attention",
            "flex_attention",
            "xformers_attention",
            "s2_attention",
        ];
        let other = said.word("attn_implementation");
        let other = other.is_some_and(|name| name != "sdpa" && name != "eager");
        let casts = other || attention.iter().any(|key| said.is_on(key));
        if !casts && !cuts && narrow && !sharded {
            job.set("wide_embeddings", true);
        }
        return;
    }
    let adapter = said.word("adapter").unwrap_or_default();
    if !["lora", "qlora"].contains(&adapter.as_str()) {
        return;
    }
    let any = LORA_KERNELS.iter().any(|(key, _)| said.has(key));
    let otherwise = any || sharded || said.has("lora_embedding_kernel") || said.has("rl");
    let unfit = said.is_on("trust_remote_code") || adapter == "lora" && said.is_on("load_in_8bit");
    let all = !(otherwise || unfit);
    let own = LORA_KERNELS.iter();
    let own = own.filter(|(key, _)| all || said.is_on(key));
    let kernels: Vec<&str> = own.map(|(_, kernel)| *kernel).collect();
    let dropout = said.get("lora_dropout").and_then(value::real);
    if all && dropout.is_some_and(|share| share > 0.0) {
        job.notes.push(Note::Earlier {
            framework: "axolotl",
            since: "0.16",
            key: "lora.kernels",
            value: Vec::<String>::new().into(),
        });
    }
    if !kernels.is_empty() {
        job.set("lora.kernels", kernels);
    }
    job.set("lora.input_requires_grad", true);
}

/// `loaders/adapter.py` and `loaders/model.py`.
fn adapters(said: &Said, job: &mut Job) {
    let adapter = said.word("adapter");
    if let Some("lora" | "qlora") = adapter.as_deref() {
        job.assume("lora.r", 8, "LoraConfig, peft 0.21");
        let targets = said
            .get("lora_target_modules")
            .filter(|given| !value::is_off(given));
        if said.is_on("lora_target_linear") {
            // `find_all_linear_names`.
            job.set("lora.target_modules", vec!["all-linear"]);
            job.layers_alone = Some(targets.map(value::list).unwrap_or_default());
        } else if let Some(given) = targets {
            job.set_targets(given);
        }
        if said.flag("peft_autocast_adapter_dtype") == Some(false) {
            job.set("lora.adapter_dtype", "base");
        }
    } else {
        job.remove("lora");
        if has_adapter(said) {
            job.give_up(said, "adapter", Matters::Yes(Lack::Adapter));
        }
    }
    let dtype = job.loaded.unwrap_or("fp32");
    let adapter = adapter.as_deref();
    if adapter == Some("qlora") && said.is_on("load_in_4bit") {
        job.set("quantization.type", "nf4");
        job.set("quantization.double", true);
        job.set("quantization.storage", "bfloat16");
    } else if adapter == Some("lora") && said.is_on("load_in_8bit") {
        job.set("quantization.type", "int8");
    } else {
        return;
    }
    job.set("quantization.compute_dtype", dtype);
    // Left out under FSDP and ZeRO-3, so that all is of one dtype (`_prepare_model_for_quantization`).
    job.plain_when_sharded = true;
    if said.is_on("quantize_moe_experts") {
        job.set("quantization.experts", true);
        job.set("quantization.prepare_for_kbit_training", false);
    } else {
        // `_configure_embedding_dtypes`.
        job.assume("quantization.cast_back", true, SOURCE);
    }
    if said.is_on("llama4_linearized_experts") {
        job.set("quantization.experts", true);
    }
}

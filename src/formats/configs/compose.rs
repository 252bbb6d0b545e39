//! Settings that the files of a job say together: who divides it among GPUs, and in which dtypes it computes.

use super::job::{Differs, Job, Note, UNSAID, Wrapper};
use super::row::Lack;
use serde_json::Value;

/// GPUs of a node, where a mesh alone says how many there are.
const NODE: u64 = 8;

/// The largest mesh that is taken for a number of GPUs.
const MOST_GPUS: u64 = 1 << 16;

/// Finishes a job once all of its files are read.
pub(super) fn finish(job: &mut Job) {
    mesh(job);
    let gpus = job.gpus();
    if job.wrapper.is_none() && gpus.is_some_and(|gpus| gpus > 1) {
        job.wrapper = job.several;
    }
    wrap(job);
    of_model(job);
    sharded_adapters(job);
    empty_cache(job);
    precision(job);
    accumulate(job, gpus);
    around(job);
    beside(job);
    let axes = ["tp", "pp", "cp", "ep"];
    let divided = axes
        .iter()
        .any(|axis| job.get(&format!("parallelism.{axis}.size")).is_some());
    if gpus.is_some_and(|gpus| gpus > 1) && job.get("parallelism").is_none() {
        // A launcher alone says how many processes it starts, not how they share the work.
        job.assume("parallelism.dp.kind", "ddp", UNSAID);
    }
    if gpus.is_none() && (job.wrapper.is_some() || divided || job.needs_gpus) {
        job.notes.push(Note::NoGpus);
    }
    if job.get("model").is_none() {
        job.notes.push(Note::NoModel);
    }
    if job.get("seq_len").is_none() {
        job.notes.push(Note::NoLength);
    }
}

/// The fewest GPUs among which anything can be divided.
const FEWEST_THAT_DIVIDE: u64 = 2;

/// Assumes the fewest GPUs that a mesh's axes make, eight per node, if no file says their number.
fn mesh(job: &mut Job) {
    if job.gpus().is_some() {
        return;
    }
    let size = |path: &str| job.count(path).unwrap_or(1).max(1);
    let axes = [
        "parallelism.dp.shard_size",
        "parallelism.dp.replicate_size",
        "parallelism.tp.size",
        "parallelism.cp.size",
        "parallelism.pp.size",
    ];
    let places = axes
        .iter()
        .fold(1_u64, |all, path| all.saturating_mul(size(path)));
    let mut gpus = places.max(size("parallelism.ep.size"));
    let mut source = "the fewest GPUs that the mesh's axes make";
    // Files that say both axes of data parallelism say all ranks.
    let says_all = axes[..2].iter().all(|path| job.get(path).is_some());
    if gpus < FEWEST_THAT_DIVIDE && is_for_several(job) && !says_all {
        gpus = FEWEST_THAT_DIVIDE;
        source = "the fewest GPUs among which parameters are divided";
    }
    if !(2..=MOST_GPUS).contains(&gpus) {
        return;
    }
    job.assume("hardware.gpus_per_node", gpus.min(NODE), source);
    if gpus > NODE {
        job.assume("hardware.nodes", gpus.div_ceil(NODE), source);
    }
    job.notes.push(Note::LeastGpus { gpus });
}

/// Whether a job divides its parameters or their states among several GPUs: who wants their own memory for them alone
/// (`offload`) may have one GPU.
fn is_for_several(job: &Job) -> bool {
    match job.wrapper {
        Some(Wrapper::Fsdp1 | Wrapper::Fsdp2) => true,
        Some(Wrapper::Zero) => {
            let offloads = ["offload_optimizer", "offload_param"];
            let mut paths = offloads.iter().map(|key| format!("parallelism.dp.{key}"));
            job.count("parallelism.dp.stage")
                .is_some_and(|stage| stage > 0)
                && !paths.any(|path| job.get(&path).is_some())
        }
        _ => false,
    }
}

fn wrap(job: &mut Job) {
    let kind = match job.wrapper {
        None => {
            job.remove("parallelism.dp");
            return;
        }
        Some(Wrapper::Ddp) => "ddp",
        Some(Wrapper::Fsdp1) => "fsdp1",
        Some(Wrapper::Fsdp2) => "fsdp2",
        Some(Wrapper::Megatron) => "megatron",
        Some(Wrapper::Zero) if job.count("parallelism.dp.stage") == Some(0) => {
            // DeepSpeed's engine without ZeRO.
            job.remove("parallelism.dp");
            if job.mixed.is_some() {
                job.set("optimizer.master_weights", "deepspeed");
            }
            return;
        }
        Some(Wrapper::Zero) => "deepspeed_zero",
    };
    job.set("parallelism.dp.kind", kind);
}

/// Sets the layers that get adapters, and the ones that stay as they are, which depend on the model.
fn of_model(job: &mut Job) {
    let Some(model) = job.get("model").cloned() else {
        return;
    };
    if let Some(besides) = job.layers_alone.take() {
        let mut names = job.models.linear_names(&model);
        if !names.is_empty() {
            names.extend(besides);
            names.sort_unstable();
            names.dedup();
            job.set("lora.target_modules", names);
        }
    }
    usual_targets(job, &model);
    let adapts = job.get("lora").is_some() && !job.models.linear_names(&model).is_empty();
    if let Some(source) = job.names_layers_alone.filter(|_| adapts) {
        job.assume("lora.convert_experts", false, source);
    }
    ends(job, &model);
    frozen(job, &model);
}

/// Sets that FSDP2 has groups for the embedding and for the last norm and the head (`fsdp2_prepare_model`).
fn ends(job: &mut Job, model: &Value) {
    let by_accelerate = job.groups_by_accelerate && !job.before_accelerate_1_14;
    if job.wrapper == Some(Wrapper::Fsdp2) && by_accelerate && job.models.has_known_ends(model) {
        let source = "utils/fsdp_utils.py, accelerate 1.14";
        job.assume("parallelism.dp.wrap_embeddings", true, source);
    }
}

/// Names of the layers that get adapters where no file says which
/// (`TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING`, `utils/constants.py`, peft 0.21): the names of the first line
/// that a model has. The first line is the scenario's own.
const ADAPTED: &[&[&str]] = &[
    &["q_proj", "v_proj"],
    &["query_key_value"],
    &["c_attn"],
    &["query", "value"],
    &["query_proj", "value_proj"],
    &["q", "v"],
];

/// Sets the layers that PEFT adapts by itself.
fn usual_targets(job: &mut Job, model: &Value) {
    let said = ["target_modules", "target_pattern", "target_parameters"];
    let is_said = |key: &&str| job.get(&format!("lora.{key}")).is_some();
    if job.get("lora").is_none() || said.iter().any(is_said) {
        return;
    }
    let names = job.models.parameters(model);
    let modules = names.iter().filter_map(|name| name.rsplit('.').nth(1));
    let modules: Vec<&str> = modules.collect();
    let mut usual = ADAPTED.iter();
    let found = usual.find(|names| names.iter().all(|name| modules.contains(name)));
    if let Some(names) = found.filter(|names| **names != ADAPTED[0]) {
        job.assume(
            "lora.target_modules",
            names.to_vec(),
            "LoraConfig, peft 0.21",
        );
    }
}

/// Sets the parts of `model` that stay as they are.
fn frozen(job: &mut Job, model: &Value) {
    if job.trained.is_empty() {
        return;
    }
    let names = job.models.parameters(model);
    let parts = job.trained.iter().map(|trained| trained.frozen(&names));
    match parts.collect::<Option<Vec<_>>>() {
        Some(parts) => {
            let mut parts = parts.concat();
            parts.sort_unstable();
            parts.dedup();
            if !parts.is_empty() {
                job.set("frozen", parts);
            }
        }
        None => job.forgo("frozen", Lack::Frozen),
    }
}

/// Whether parameters are divided: by FSDP or in the third stage of `ZeRO`.
fn divides_parameters(job: &Job) -> bool {
    match job.wrapper {
        Some(Wrapper::Fsdp1 | Wrapper::Fsdp2) => true,
        Some(Wrapper::Zero) => job.count("parallelism.dp.stage") == Some(3),
        _ => false,
    }
}

/// Sets that the cache is emptied after loading: what divides a model fills it again before the first step, which the
/// setting, between building and the first step, does not leave in.
fn empty_cache(job: &mut Job) {
    if let Some(source) = job.empties_cache
        && matches!(job.wrapper, None | Some(Wrapper::Ddp))
    {
        job.assume("allocator.empty_cache_after_loading", true, source);
    }
}

fn sharded_adapters(job: &mut Job) {
    if job.wrapper == Some(Wrapper::Fsdp1) && job.get("lora").is_some() {
        // `update_fsdp_plugin_peft` (`integrations/fsdp.py`, transformers 5.24).
        job.set("parallelism.dp.wrap_trainable_leaves", true);
    }
    let quantized = job.get("quantization.type").is_some();
    if job.plain_when_sharded && quantized && divides_parameters(job) {
        job.set("quantization.prepare_for_kbit_training", false);
        job.remove("quantization.cast_back");
    }
    let third = job.wrapper == Some(Wrapper::Zero) && divides_parameters(job);
    if job.adapters_as_base && third {
        if !quantized {
            job.set("lora.adapter_dtype", "base");
        }
        // `SFTTrainer.__init__` (trl 1.16): ZeRO-3 with adapters needs reentrant checkpoints.
        if job.get("activation_checkpointing") == Some(&"full".into()) {
            job.set("activation_checkpointing", "full_reentrant");
        }
    }
}

fn precision(job: &mut Job) {
    let quantized = job.get("quantization.type").is_some();
    let adapters = job.get("lora").is_some();
    let loaded = job.loaded.unwrap_or("fp32");
    let half = job.mixed.map(super::job::Half::name);
    let amp = half.map(|half| format!("amp_{half}"));
    let sharded = matches!(job.wrapper, Some(Wrapper::Fsdp1 | Wrapper::Fsdp2));
    let mut autocasts = false;
    match (job.wrapper, half, amp) {
        // The engine makes the model half, and keeps fp32 weights of its own.
        (Some(Wrapper::Zero), Some(half), _) => job.set("precision", half),
        (Some(Wrapper::Megatron), _, _) | (_, None, _) | (_, _, None) => {
            job.set("precision", loaded);
        }
        (_, Some(half), Some(_)) if sharded && job.casts_by_fsdp_alone => {
            job.set("precision", loaded);
            job.set("parallelism.dp.mixed_precision.param", half);
            job.set("parallelism.dp.mixed_precision.reduce", "fp32");
        }
        (Some(Wrapper::Fsdp2), Some(half @ "bf16"), Some(_)) if job.groups_by_accelerate => {
            // `_prepare_fsdp2` (accelerate 1.6 to 1.15) makes trained parameters float32, and enters no autocast.
            let stays = adapters || quantized;
            job.set("precision", if stays { loaded } else { "fp32" });
            let reduced = job.reduces_in.unwrap_or(half);
            job.set("parallelism.dp.mixed_precision.param", half);
            job.set("parallelism.dp.mixed_precision.reduce", reduced);
            job.set("parallelism.dp.mixed_precision.output", half);
        }
        (wrapper, Some(half), Some(amp)) => {
            autocasts = true;
            job.set("precision", amp);
            if sharded {
                // `set_mixed_precision` (`FullyShardedDataParallelPlugin`, accelerate 1.15).
                let reduced = job.reduces_in.unwrap_or(half);
                job.set("parallelism.dp.mixed_precision.param", half);
                job.set("parallelism.dp.mixed_precision.reduce", reduced);
                if wrapper == Some(Wrapper::Fsdp2) {
                    job.set("parallelism.dp.mixed_precision.output", half);
                }
            }
            // FSDP's preparation makes trained parameters float32, as some trainers do themselves.
            let stays = adapters || !(sharded || job.upcasts);
            if stays && loaded != "fp32" && !quantized {
                job.set("weights", loaded);
            }
        }
    }
    if job.get("weights").is_none() {
        job.assumed.retain(|assumed| assumed.key != "weights");
    }
    if !autocasts {
        job.remove("autocast_style");
        job.assumed
            .retain(|assumed| assumed.key != "autocast_style");
    }
}

/// Sets what depends on the division of the job: reentrant checkpoints, and who generates beside the model.
fn beside(job: &mut Job) {
    if job.reentrant_alone {
        let kind = match job.wrapper {
            Some(Wrapper::Ddp) => "full",
            _ => "full_reentrant",
        };
        job.set("activation_checkpointing", kind);
    }
    let Some(framework) = job.generates_beside else {
        return;
    };
    let elsewhere = job.get("objective.generation") == Some(&"none".into());
    if divides_parameters(job) && !elsewhere {
        job.set("objective.generation", "none");
        let how = Differs::Rollout;
        job.notes.push(Note::Differs { framework, how });
    }
}

/// Micro-batches of a step, where a batch over all GPUs is said instead.
fn accumulate(job: &mut Job, gpus: Option<u64>) {
    let Some((all, model_ranks)) = job.global_batch else {
        return;
    };
    let each = job.count("micro_batch_size").unwrap_or(1).max(1);
    let ranks = gpus.unwrap_or(1) / model_ranks.max(1);
    let steps = (all / each.saturating_mul(ranks.max(1)).max(1)).max(1);
    if job.wrapper == Some(Wrapper::Megatron) {
        job.set("parallelism.pp.microbatches", steps);
    } else {
        job.set("gradient_accumulation_steps", steps);
    }
}

/// Sets what happens around the steps: quantized weights, which lie on one GPU in both forms for a moment while they
/// are loaded; models that `from_pretrained` builds within `deepspeed.zero.Init` once trainers have told transformers
/// of `ZeRO` 3 (`HfTrainerDeepSpeedConfig`, transformers 5.23); and checkpoints of divided parameters, which are
/// gathered.
fn around(job: &mut Job) {
    let quantized = job.get("quantization.type").is_some();
    let plain = job.get("objective.kind").is_none();
    if quantized && job.wrapper.is_none() && plain {
        job.set("around.loading", "device_map");
    }
    let partitioned = job.wrapper == Some(Wrapper::Zero) && divides_parameters(job);
    if partitioned && !quantized && plain {
        let way = if job.builds_whole { "cpu" } else { "zero_init" };
        job.set("around.loading", way);
    }
    if job.saves && divides_parameters(job) {
        job.set("around.saving", true);
    }
}

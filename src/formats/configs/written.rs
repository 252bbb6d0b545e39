//! First lines of files of a format: keys that no table sets one by one.

use super::format::Format;
use super::hub;
use super::target::{Target, at, put};
use super::value::list;
use serde_json::{Map, Value};

/// The keys that a format's files begin with: keys that name the model, and lists that no single key says.
pub(super) fn start(format: &Format, target: &Target) -> Map<String, Value> {
    let mut map = Map::new();
    let name = target.repository.map(Value::from);
    for key in [
        "model_name_or_path",
        "base_model",
        "base_model_name_or_path",
    ] {
        if let (Some(_), Some(name)) = (format.row(key), &name) {
            put(&mut map, key, name.clone());
        }
    }
    match format.name {
        "torchtune" => torchtune(target, &mut map),
        "torchtitan" => torchtitan(target, &mut map),
        "megatron" => megatron(target, &mut map),
        "deepspeed" => {
            let stage = match at(target.values, "parallelism.dp.kind").as_str() {
                Some("deepspeed_zero") => at(target.values, "parallelism.dp.stage").clone(),
                _ => 0.into(),
            };
            put(&mut map, "zero_optimization.stage", stage);
        }
        "trl" => {
            let loss = &target.values["objective"]["loss_type"];
            if !loss.is_null() {
                put(&mut map, "loss_type", loss.clone());
            }
            generated(target, &mut map);
            if target.values["objective"]["log_probs"] == "selective" {
                // An option that versions after these do not have.
                put(&mut map, "generate_during_eval", false.into());
            }
        }
        "axolotl" => adapter_kernels(target, &mut map),
        "llama-factory" => {
            put(&mut map, "stage", "sft".into());
            put(&mut map, "do_train", true.into());
        }
        _ => {}
    }
    kernels(format, target, &mut map);
    map
}

/// The lengths of GRPO's prompts and completions.
fn generated(target: &Target, map: &mut Map<String, Value>) {
    let objective = &target.values["objective"];
    if objective["kind"] != "grpo" {
        return;
    }
    let all = target.values["seq_len"].as_u64().unwrap_or_default();
    let completion = objective["completion_tokens"].as_u64();
    let longest = all.saturating_sub(1);
    let completion = completion.unwrap_or(longest).min(longest);
    let prompt = all.saturating_sub(completion);
    let [vllm, server, sleeps] =
        ["vllm", "none", "vllm_sleep"].map(|name| objective["generation"] == name);
    let beside = vllm || sleeps;
    let said = |is: bool, value: Value| if is { value } else { Value::Null };
    for (key, value) in [
        ("max_prompt_length", prompt.into()),
        ("max_completion_length", completion.into()),
        ("beta", objective["beta"].clone()),
        ("use_vllm", said(beside || server, true.into())),
        ("vllm_mode", said(server, "server".into())),
        ("vllm_enable_sleep_mode", said(sleeps, true.into())),
        (
            "vllm_gpu_memory_utilization",
            said(beside, objective["vllm_gpu_memory_utilization"].clone()),
        ),
        ("num_iterations", objective["num_iterations"].clone()),
    ] {
        if !value.is_null() {
            put(map, key, value);
        }
    }
}

/// Kernels of `LoRA`, each on or off: all are on where none is said.
fn adapter_kernels(target: &Target, map: &mut Map<String, Value>) {
    let lora = &target.values["lora"];
    if lora.is_null() {
        return;
    }
    let on = list(&lora["kernels"]);
    for kernel in ["mlp", "qkv", "o"] {
        let is_on = on.iter().any(|name| name == kernel);
        put(map, &format!("lora_{kernel}_kernel"), is_on.into());
    }
}

/// Liger's kernels by their names, where not all are meant.
fn kernels(format: &Format, target: &Target, map: &mut Map<String, Value>) {
    let kernels = list(&target.values["liger_kernel"]);
    let named = |name: &str| kernels.iter().any(|kernel| kernel == name);
    let (all, layers) = (named("all"), named("layers"));
    let of_loss = |name: &str| name.ends_with("cross_entropy");
    let has = |name: &str| all || named(name) || layers && !of_loss(name);
    match format.name {
        _ if kernels.is_empty() => {}
        "axolotl" => {
            put(
                map,
                "plugins",
                vec!["axolotl.integrations.liger.LigerPlugin"].into(),
            );
            let names = [
                "rope",
                "rms_norm",
                "glu_activation",
                "fused_linear_cross_entropy",
            ];
            for name in names {
                let gated = || ["swiglu", "geglu", "glu"].into_iter().any(has);
                if name == "glu_activation" && gated() || has(name) {
                    put(map, &format!("liger_{name}"), true.into());
                }
            }
            if !all && has("cross_entropy") {
                put(map, "liger_cross_entropy", true.into());
            }
        }
        "trl" if layers => put(map, "use_liger_kernel", true.into()),
        "training-arguments" | "trl" if !all => {
            put(map, "use_liger_kernel", true.into());
            for name in [
                "rope",
                "rms_norm",
                "swiglu",
                "cross_entropy",
                "fused_linear_cross_entropy",
            ] {
                put(
                    map,
                    &format!("liger_kernel_config.{name}"),
                    has(name).into(),
                );
            }
        }
        _ => {}
    }
}

/// The builder of a model with or without adapters, and which layers get them.
fn torchtune(target: &Target, map: &mut Map<String, Value>) {
    let called = |name: &&&str| {
        let repository = hub::torchtune_model(name);
        repository
            .as_deref()
            .zip(target.repository)
            .is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
    };
    let Some(name) = hub::TORCHTUNE_NAMES.iter().find(called) else {
        return;
    };
    let lora = &target.values["lora"];
    let quantized = at(target.values, "quantization.type") == "nf4";
    let start = match (lora.is_null(), quantized) {
        (true, _) => "",
        (false, true) => "qlora_",
        (false, false) => "lora_",
    };
    let module = hub::torchtune_module(name);
    // A base model's builder makes a longer table.
    let positions = at(target.values, "model_overrides.max_position_embeddings").as_u64();
    let base = format!("{name}_base");
    let has = |name: &str| hub::positions_in_torchtune(name) == positions;
    let name = if !has(name) && has(&base) {
        base.as_str()
    } else {
        name
    };
    put(
        map,
        "model._component_",
        format!("torchtune.models.{module}.{start}{name}").into(),
    );
    if lora.is_null() {
        return;
    }
    let targets = list(&lora["target_modules"]);
    let has = |name: &str| targets.iter().any(|target| target == name);
    let attention = ["q_proj", "k_proj", "v_proj", "o_proj"]
        .into_iter()
        .filter(|name| has(name));
    let attention: Vec<&str> = attention
        .map(|name| {
            if name == "o_proj" {
                "output_proj"
            } else {
                name
            }
        })
        .collect();
    put(map, "model.lora_attn_modules", attention.into());
    put(map, "model.apply_lora_to_mlp", has("gate_proj").into());
    put(map, "model.apply_lora_to_output", has("lm_head").into());
}

fn torchtitan(target: &Target, map: &mut Map<String, Value>) {
    let wanted = &target.values["model"];
    let called = |(name, flavor): &&(&str, &str)| match hub::torchtitan_model(name, flavor) {
        Some(Value::String(repository)) => target
            .repository
            .is_some_and(|own| own.eq_ignore_ascii_case(&repository)),
        Some(config) => config == *wanted,
        None => false,
    };
    if at(target.values, "parallelism.pp.size").as_u64() > Some(1) {
        // A batch is the micro-batches of a pipeline.
        let count = |path: &str| at(target.values, path).as_u64().unwrap_or(1).max(1);
        let each = count("micro_batch_size");
        let many = match at(target.values, "parallelism.pp.microbatches").as_u64() {
            Some(many) => many,
            None => count("parallelism.pp.size"),
        };
        put(
            map,
            "training.local_batch_size",
            each.saturating_mul(many).into(),
        );
        let key = "parallelism.pipeline_parallel_microbatch_size";
        put(map, key, each.into());
        let size = count("parallelism.pp.size");
        put(map, "parallelism.pipeline_parallel_degree", size.into());
    }
    if let Some((name, flavor)) = hub::TORCHTITAN_NAMES.iter().find(called) {
        put(map, "model.name", (*name).into());
        put(map, "model.flavor", (*flavor).into());
    }
}

/// A model's sizes as Megatron's arguments, where its layers are Llama's.
fn megatron(target: &Target, map: &mut Map<String, Value>) {
    let Some(config) = target.config else { return };
    let count = |key: &str| config.get(key).and_then(Value::as_u64);
    let (Some(hidden), Some(heads), Some(layers)) = (
        count("hidden_size"),
        count("num_attention_heads"),
        count("num_hidden_layers"),
    ) else {
        return;
    };
    let kind = config
        .get("model_type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let groups = count("num_key_value_heads").unwrap_or(heads);
    let width = count("head_dim").unwrap_or(hidden / heads.max(1));
    for (key, value) in [
        ("num_layers", layers),
        ("hidden_size", hidden),
        ("num_attention_heads", heads),
    ] {
        put(map, key, value.into());
    }
    if let Some(inner) = count("intermediate_size") {
        put(map, "ffn_hidden_size", inner.into());
    }
    if groups != heads {
        put(map, "group_query_attention", true.into());
        put(map, "num_query_groups", groups.into());
    }
    put(map, "kv_channels", width.into());
    if let Some(positions) = count("max_position_embeddings") {
        put(map, "max_position_embeddings", positions.into());
    }
    if let Some(vocabulary) = count("vocab_size") {
        put(map, "vocab_size", vocabulary.into());
        put(map, "make_vocab_size_divisible_by", 1.into());
    }
    for (key, value) in [
        ("swiglu", true),
        ("disable_bias_linear", true),
        ("use_rotary_position_embeddings", true),
    ] {
        put(map, key, value.into());
    }
    put(map, "normalization", "RMSNorm".into());
    if config.get("tie_word_embeddings") != Some(&true.into()) {
        put(map, "untie_embeddings_and_output_weights", true.into());
    }
    if kind.starts_with("qwen3") {
        put(map, "qk_layernorm", true.into());
    }
    samples(target, map);
    let experts = count("num_local_experts").or(count("num_experts"));
    if let Some(experts) = experts {
        put(map, "num_experts", experts.into());
        put(
            map,
            "moe_router_topk",
            count("num_experts_per_tok").unwrap_or(2).into(),
        );
        if let Some(own) = count("moe_intermediate_size") {
            put(map, "moe_ffn_hidden_size", own.into());
        }
    }
}

/// The samples of a step over all GPUs.
fn samples(target: &Target, map: &mut Map<String, Value>) {
    let count = |path: &str| at(target.values, path).as_u64().unwrap_or(1).max(1);
    let gpus = count("hardware.nodes") * count("hardware.gpus_per_node");
    let axes = ["tp", "pp", "cp"].map(|axis| count(&format!("parallelism.{axis}.size")));
    let ranks = (gpus / axes.iter().product::<u64>().max(1)).max(1);
    let each = count("micro_batch_size").saturating_mul(count("parallelism.pp.microbatches"));
    put(map, "global_batch_size", each.saturating_mul(ranks).into());
}

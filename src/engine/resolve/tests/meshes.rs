//! Ranks along several axes.

use crate::ask::{Mesh, Scenario, Severity};
use crate::resolve::parallelism::complete;
use crate::resolve::resolve;
use serde_json::{Value, json};

/// The ranks and the hardware of a parallelism, where its hardware says nothing.
fn mesh(parallelism: &Value) -> (Mesh, [u64; 2]) {
    let scenario: Scenario =
        serde_json::from_value(json!({"parallelism": parallelism})).expect("a scenario");
    let hardware = complete(&scenario).hardware.clone();
    let [per_node, nodes] = [hardware.gpus_per_node, hardware.nodes];
    (scenario.parallelism.mesh(&hardware), [per_node, nodes])
}

/// Keys and fixes of the errors about a scenario.
pub(super) fn errors(scenario: Value) -> Vec<(String, Value)> {
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    let findings = resolve(&scenario).findings.into_iter();
    let errors = findings.filter(|finding| finding.severity == Severity::Error);
    errors
        .map(|error| (error.key, error.fix.map_or(Value::Null, |fix| fix.value)))
        .collect()
}

/// An error about a scenario has this key and this fix.
pub(super) fn has(scenario: &Value, key: &str, fix: impl Into<Value>) {
    let expected = (key.to_owned(), fix.into());
    let found = errors(scenario.clone());
    assert!(found.contains(&expected), "{scenario}: {found:?}");
}

#[test]
fn hardware_that_says_one_gpu_follows_from_the_mesh() {
    let (found, hardware) = mesh(&json!({"dp": {"kind": "fsdp2", "size": 4}, "tp": {"size": 8}}));
    assert_eq!((found.world(), hardware), (32, [8, 4]));
    let (found, hardware) = mesh(&json!({"dp": {"kind": "ddp", "size": 12}}));
    assert_eq!((found.dp, hardware), (12, [6, 2]));
    let (found, hardware) = mesh(&json!({"dp": {"size": 8}, "tp": {"size": 1}}));
    assert_eq!((found, hardware), (Mesh::ONE, [1, 1]));
}

#[test]
fn copies_and_context_parallel_ranks_share_the_parameters() {
    let hybrid = json!({"kind": "fsdp1", "size": 16, "sharding_strategy": "HYBRID_SHARD"});
    let (found, _) = mesh(&json!({"dp": hybrid}));
    assert_eq!([found.shard, found.replicate], [8, 2]);
    let dp = json!({"kind": "fsdp2", "size": 2, "rank": 1});
    let (found, _) = mesh(&json!({"dp": dp, "cp": {"size": 4, "rank": 3}}));
    assert_eq!([found.shard, found.replicate], [8, 1]);
    assert_eq!(found.place_in_shard(), 7);
}

#[test]
fn ranks_that_do_not_multiply_to_the_gpus_are_refused_with_the_nearest_that_do() {
    let with = |parallelism: Value| json!({"model": "llama-3.1-8b", "hardware": {"gpus_per_node": 8}, "parallelism": parallelism});
    has(&with(json!({"tp": {"size": 3}})), "parallelism.tp.size", 2);
    has(
        &with(json!({"dp": {"kind": "ddp", "size": 4}, "tp": {"size": 4}})),
        "parallelism.dp.size",
        2,
    );
    has(
        &with(json!({"dp": {"kind": "fsdp2", "shard_size": 3}})),
        "parallelism.dp.shard_size",
        2,
    );
    has(
        &with(json!({"dp": {"kind": "fsdp2", "rank": 8}})),
        "parallelism.dp.rank",
        7,
    );
}

#[test]
fn ranks_that_a_model_cannot_be_divided_among_are_refused_with_the_nearest_that_can() {
    let with = |parallelism: Value| json!({"model": "qwen2.5-0.5b", "seq_len": 1024, "parallelism": parallelism});
    // 14 heads over 2 of keys and values; 24 layers.
    has(&with(json!({"tp": {"size": 4}})), "parallelism.tp.size", 2);
    has(
        &with(json!({"pp": {"size": 32, "schedule": "gpipe"}})),
        "parallelism.pp.size",
        24,
    );
    has(&with(json!({"cp": {"size": 3}})), "parallelism.cp.size", 2);
    has(&with(json!({"ep": {"size": 2}})), "parallelism.ep.size", 1);
    let schedule = |name: &str, batches: u64| {
        with(json!({"pp": {"size": 4, "schedule": name, "microbatches": batches}}))
    };
    has(&schedule("1f1b", 2), "parallelism.pp.microbatches", 4);
    has(
        &schedule("interleaved", 9),
        "parallelism.pp.microbatches",
        8,
    );
}

#[test]
fn what_is_not_estimated_beside_a_pipeline_is_refused_with_its_key() {
    let with = |more: Value| {
        let mut scenario = json!({"model": "qwen2.5-0.5b", "precision": "bf16", "parallelism": {"pp": {"size": 4}}});
        let fields = scenario.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        scenario
    };
    assert_eq!(errors(with(json!({}))), []);
    let schedule = |name: &str| json!({"pp": {"size": 4, "schedule": name, "microbatches": 8}});
    assert_eq!(errors(with(json!({"precision": "amp_bf16"}))), []);
    let scaled = json!({"precision": "amp_fp16"});
    has(&with(scaled), "precision", "amp_bf16");
    let converted = json!({"precision": "amp_bf16", "autocast_style": "accelerate"});
    has(&with(converted), "autocast_style", "plain");
    has(
        &with(json!({"lora": {"r": 8, "use_dora": true}})),
        "lora.use_dora",
        false,
    );
    assert_eq!(errors(with(json!({"lora": {"r": 8}}))), []);
    has(
        &with(json!({"gradient_accumulation_steps": 2})),
        "gradient_accumulation_steps",
        1,
    );
    has(
        &with(json!({"parallelism": schedule("none")})),
        "parallelism.pp.schedule",
        "1f1b",
    );
    has(
        &with(json!({"parallelism": schedule("zbv"), "activation_checkpointing": "full"})),
        "activation_checkpointing",
        "none",
    );
    has(
        &with(json!({"parallelism": {"pp": {"size": 2}, "dp": {"kind": "ddp", "size": 2}}})),
        "parallelism.dp.kind",
        "fsdp2",
    );
    has(&with(json!({"model": "gpt2"})), "parallelism.pp.size", 1);
}

#[test]
fn stages_divide_sequences_in_rings() {
    let with = |kind: &str, dp: &str| {
        let cp = json!({"size": 2, "kind": kind});
        json!({"model": "qwen2.5-0.5b", "precision": "bf16", "seq_len": 512, "parallelism": {"pp": {"size": 2}, "cp": cp, "dp": {"kind": dp, "size": 2}}})
    };
    assert_eq!(errors(with("ring", "fsdp2")), []);
    has(&with("ulysses", "fsdp2"), "parallelism.cp.size", 1);
}

#[test]
fn axes_of_one_rank_are_none() {
    let one = json!({"tp": {"size": 1}, "pp": {"size": 1, "schedule": "none"}, "cp": {"size": 1}, "ep": {"size": 1}});
    assert_eq!(errors(json!({"parallelism": one})), []);
}

/// A mixture of experts on four GPUs.
fn mixture(parallelism: Value, more: Value) -> Value {
    let mut scenario =
        json!({"model": "olmoe-1b-7b", "precision": "bf16", "hardware": {"gpus_per_node": 4}});
    scenario["parallelism"] = parallelism;
    if let (Some(scenario), Value::Object(more)) = (scenario.as_object_mut(), more) {
        scenario.extend(more);
    }
    scenario
}

#[test]
fn what_expert_parallelism_cannot_do_is_refused_with_a_repair() {
    let fsdp = || json!({"kind": "fsdp2", "plan": "transformers"});
    let planned = |size: u64| json!({"size": size, "plan": "transformers"});
    let four = || json!({"dp": fsdp(), "ep": {"size": 4}});
    assert_eq!(errors(mixture(four(), json!({}))), []);
    let tensor = json!({"tp": planned(4), "ep": {"size": 4, "kind": "all_reduce"}});
    assert_eq!(errors(mixture(tensor, json!({}))), []);
    has(
        &mixture(four(), json!({"clip_grad_norm": true})),
        "clip_grad_norm",
        false,
    );
    has(
        &mixture(four(), json!({"model": "llama-3.2-1b"})),
        "parallelism.ep.size",
        1,
    );
    // 64 experts, and 8 of Mixtral.
    let mixtral = |ranks: u64| {
        let ranks = json!({"dp": fsdp(), "ep": {"size": ranks}});
        mixture(
            ranks,
            json!({"model": "mixtral-8x7b", "hardware": {"gpus_per_node": 48}}),
        )
    };
    has(&mixtral(16), "parallelism.ep.size", 8);
    has(&mixtral(3), "parallelism.ep.size", 2);
    // Meshes of two tensor parallel ranks and two others.
    let both = |size: u64, kind: &str| {
        let ep = json!({"size": size, "kind": kind});
        mixture(json!({"dp": fsdp(), "tp": planned(2), "ep": ep}), json!({}))
    };
    assert_eq!(errors(both(2, "all_reduce")), []);
    assert_eq!(errors(both(4, "all_to_all")), []);
    has(&both(4, "all_reduce"), "parallelism.ep.size", 2);
    has(&both(8, "all_to_all"), "parallelism.ep.size", 4);
    let wide = json!({"tp": planned(4), "ep": {"size": 2}});
    has(&mixture(wide, json!({})), "parallelism.ep.size", 4);
    // Four heads of keys and values: it is told what divides experts alone.
    let eight = mixture(
        json!({"tp": planned(8), "ep": {"size": 8}}),
        json!({"model": "qwen3-30b-a3b", "hardware": {"gpus_per_node": 8}}),
    );
    has(&eight, "parallelism.tp.size", 4);
    let scenario: Scenario = serde_json::from_value(eight).expect("a scenario");
    let told = format!("{:?}", resolve(&scenario).findings);
    assert!(told.contains("heads_beside_experts"), "{told}");
    let alone = mixture(
        json!({"dp": fsdp(), "ep": {"size": 8}}),
        json!({"model": "qwen3-30b-a3b", "hardware": {"gpus_per_node": 8}}),
    );
    assert_eq!(errors(alone), []);
    let usual = json!({"dp": {"kind": "fsdp2"}, "ep": {"size": 4}});
    has(
        &mixture(usual, json!({})),
        "parallelism.dp.plan",
        "transformers",
    );
    let stages = json!({"dp": fsdp(), "pp": {"size": 2}, "ep": {"size": 2}});
    has(&mixture(stages, json!({})), "parallelism.pp.size", 1);
}

#[test]
fn what_goes_beside_divided_experts_is_estimated_and_the_rest_refused_with_a_repair() {
    let fsdp = || json!({"kind": "fsdp2", "plan": "transformers"});
    let planned = |size: u64| json!({"size": size, "plan": "transformers"});
    let four = || json!({"dp": fsdp(), "ep": {"size": 4}});
    // Beside FSDP2 adapters are whole, and all on one mesh; they fail where tensor parallelism divides their layers, too.
    let lora = |more: Value| {
        let mut asked = json!({"lora": {"r": 8, "target_modules": ["q_proj", "o_proj"]}});
        for (key, value) in more.as_object().expect("an object") {
            asked["lora"][key] = value.clone();
        }
        asked
    };
    assert_eq!(errors(mixture(four(), lora(json!({})))), []);
    let mut clips = lora(json!({}));
    clips["clip_grad_norm"] = true.into();
    assert_eq!(errors(mixture(four(), clips)), []);
    has(
        &mixture(
            json!({"dp": fsdp(), "tp": planned(2), "ep": {"size": 4, "kind": "all_to_all"}}),
            lora(json!({})),
        ),
        "lora",
        Value::Null,
    );
    has(
        &mixture(four(), lora(json!({"use_dora": true}))),
        "lora.use_dora",
        false,
    );
    has(
        &mixture(four(), lora(json!({"modules_to_save": ["lm_head"]}))),
        "lora.modules_to_save",
        json!([]),
    );
    let named = json!({"target_parameters": ["mlp.experts.gate_up_proj"]});
    has(
        &mixture(four(), lora(named)),
        "lora.target_parameters",
        json!([]),
    );
    let all = json!({"target_modules": ["all-linear"]});
    has(
        &mixture(four(), lora(all)),
        "lora.target_modules",
        json!(["q_proj", "v_proj"]),
    );
    // Optimizers that step over parts of parameters: others mix them with tensors of their own.
    let steps = |name: &str| json!({"optimizer": {"name": name}});
    for name in ["rmsprop", "adagrad", "nadam", "adamax"] {
        assert_eq!(errors(mixture(four(), steps(name))), [], "{name}");
    }
    for name in ["adafactor", "adamw_8bit"] {
        has(&mixture(four(), steps(name)), "optimizer.name", "adamw");
    }
    let fused = json!({"optimizer": {"name": "sgd", "impl": "fused"}});
    let tensor = json!({"tp": planned(4), "ep": {"size": 4}});
    has(&mixture(tensor.clone(), fused), "optimizer.impl", "foreach");
    // GradScaler takes gradients of DTensors, of whatever mesh, but none of tensors beside them.
    let scaled = || json!({"precision": "amp_fp16"});
    assert_eq!(errors(mixture(four(), scaled())), []);
    has(&mixture(tensor, scaled()), "precision", "amp_bf16");
    assert_eq!(errors(mixture(four(), json!({"frozen": ["experts"]}))), []);
    // Routers in float32 stand in no group with others.
    let wide = json!({"model": "ernie-4.5-21b-a3b"});
    has(&mixture(four(), wide), "precision", "fp32");
}

#[test]
fn what_tensor_parallelism_cannot_do_is_refused_with_a_repair() {
    let with = |tp: Value, more: Value| {
        let mut scenario =
            json!({"model": "llama-3.2-1b", "precision": "bf16", "parallelism": {"tp": tp}});
        if let (Some(scenario), Value::Object(more)) = (scenario.as_object_mut(), more) {
            scenario.extend(more);
        }
        scenario
    };
    let two = || json!({"size": 2});
    let sequence = || json!({"size": 2, "sequence_parallel": true});
    assert_eq!(errors(with(two(), json!({}))), []);
    assert_eq!(
        errors(with(sequence(), json!({"clip_grad_norm": true}))),
        []
    );
    // Losses are scaled where all gradients are of one kind of tensor.
    let scaled = || json!({"precision": "amp_fp16"});
    assert_eq!(errors(with(sequence(), scaled())), []);
    // Norms of tensors and of DTensors are not taken together.
    has(
        &with(two(), json!({"clip_grad_norm": true})),
        "clip_grad_norm",
        false,
    );
    has(
        &with(sequence(), json!({"padding_mask": true})),
        "padding_mask",
        false,
    );
    has(
        &with(sequence(), json!({"attention": "eager"})),
        "attention",
        "sdpa",
    );
    has(
        &with(sequence(), json!({"seq_len": 1023})),
        "parallelism.tp.size",
        1,
    );
    let lora = json!({"lora": {"r": 8, "target_modules": ["q_proj"]}});
    has(&with(two(), lora.clone()), "lora", Value::Null);
    // PEFT knows what transformers divides, and fails where results are summed.
    let planned = || json!({"size": 2, "plan": "transformers"});
    assert_eq!(errors(with(planned(), lora)), []);
    has(
        &with(
            planned(),
            json!({"lora": {"r": 8, "target_modules": ["q_proj", "o_proj"]}}),
        ),
        "lora.target_modules",
        json!(["q_proj", "v_proj"]),
    );
    has(
        &with(two(), json!({"precision": "amp_fp16"})),
        "precision",
        "amp_bf16",
    );
    has(
        &with(two(), json!({"zero_grad_set_to_none": false})),
        "zero_grad_set_to_none",
        true,
    );
    has(
        &with(
            two(),
            json!({"optimizer": {"name": "lion", "impl": "for_loop"}}),
        ),
        "optimizer.name",
        "adamw",
    );
    let apart = json!({"size": 2, "sequence_parallel": true, "shard_embeddings": false});
    has(
        &with(apart, json!({})),
        "parallelism.tp.shard_embeddings",
        true,
    );
    let planned = json!({"size": 2, "plan": "transformers", "loss_parallel": true});
    has(
        &with(planned, json!({})),
        "parallelism.tp.loss_parallel",
        false,
    );
    has(
        &with(two(), json!({"model": "gpt2"})),
        "parallelism.tp.size",
        1,
    );
}

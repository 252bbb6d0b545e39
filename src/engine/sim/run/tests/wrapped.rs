//! Runs under wrappers that are put together from less, against runs in full.

use super::difference;
use crate::ask::Scenario;
use crate::model::ResolvedSpec;
use crate::resolve::resolve;
use crate::sim::run::{Layers, accumulation, folded, steps_run, unfolded};
use crate::tape::{Built, Tape};
use serde_json::json;

/// The differences between a run that is put together and one in full.
fn compare(spec: &ResolvedSpec, layers: &[Layers]) -> Option<String> {
    let times = accumulation(spec);
    let fold = |&layers: &Layers| folded(spec, times, Tape::with_details, layers);
    let Some(some) = layers.iter().find_map(fold) else {
        return Some("not folded".to_owned());
    };
    let all = unfolded(spec, times, Tape::with_details);
    assert_eq!(some.parameters, all.parameters);
    difference(&some, &all)
}

/// A model under a wrapper with these options.
fn wrapped(kind: &str, model: &str, option: &str) -> Option<ResolvedSpec> {
    let mut scenario: serde_json::Value = serde_json::from_str(option).expect("JSON");
    scenario["model"] = model.into();
    scenario["micro_batch_size"] = 2.into();
    scenario["seq_len"] = 72.into();
    scenario["image_size"] = "112".into();
    scenario["hardware"] = json!({"gpus_per_node": 4});
    scenario["parallelism"]["dp"]["kind"] = kind.into();
    if scenario["precision"].is_null() {
        scenario["precision"] = "bf16".into();
    }
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    resolve(&scenario).spec
}

/// Compares runs of `models` under a wrapper with these options: with one forward pass for all steps, and, where
/// `few` says so, with a few layers, too.
fn compare_all(kind: &str, models: &[&str], options: &[(&str, bool)]) {
    let (mut different, mut compared) = (Vec::new(), 0);
    for model in models {
        for &(option, few) in options {
            let Some(spec) = wrapped(kind, model, option) else {
                continue;
            };
            compared += 1;
            let of_layers = Built::ALL.map(Layers::Folded);
            let few = few.then_some(&of_layers[..]);
            for layers in few.into_iter().chain([&[Layers::All][..]]) {
                if let Some(found) = compare(&spec, layers) {
                    different.push(format!("{model} {option} {layers:?}: {found}"));
                }
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n\n"));
    assert!(compared > models.len(), "{compared}");
}

/// Models with layers of one kind, of several that take turns, in two lists, and with experts.
const MODELS: [&str; 8] = [
    "smollm2-135m",
    "t5-base",
    "gpt2",
    "gemma-2-2b",
    "qwen2-vl-2b-instruct",
    "bert-base",
    "granite-3.1-1b-a400m",
    "mamba-130m",
];

#[test]
fn one_forward_pass_and_a_few_layers_stand_for_all_under_fsdp2() {
    compare_all(
        "fsdp2",
        &MODELS,
        &[
            ("{}", true),
            (
                r#"{"gradient_accumulation_steps": 3, "clip_grad_norm": true}"#,
                true,
            ),
            (
                r#"{"activation_checkpointing": "full", "optimizer": {"name": "adagrad"}}"#,
                true,
            ),
            (
                r#"{"precision": "fp32", "parallelism":
            {"dp": {"mixed_precision": {"param": "bf16", "reduce": "fp32"}}}}"#,
                true,
            ),
        ],
    );
    compare_all(
        "fsdp2",
        &MODELS[..2],
        &[
            (r#"{"precision": "amp_bf16"}"#, true),
            (
                r#"{"parallelism": {"dp": {"reshard_after_forward": false, "wrap_embeddings": true}}}"#,
                true,
            ),
            (r#"{"parallelism": {"dp": {"explicit_prefetch": 1}}}"#, true),
            (r#"{"parallelism": {"dp": {"replicate_size": 2}}}"#, true),
            (
                r#"{"precision": "fp32", "parallelism": {"dp": {"replicate_size": 2,
            "mixed_precision": {"param": "bf16"}}}}"#,
                false,
            ),
            (
                r#"{"parallelism": {"tp": {"size": 2}}, "clip_grad_norm": true}"#,
                true,
            ),
            (
                r#"{"lora": {"r": 8, "target_modules": ["all-linear"]}}"#,
                true,
            ),
            (r#"{"zero_grad_set_to_none": false}"#, true),
            (r#"{"parallelism": {"dp": {"cpu_offload": true}}}"#, true),
            (
                r#"{"parallelism": {"dp": {"cpu_offload": true}}, "clip_grad_norm": true,
            "activation_checkpointing": "full", "gradient_accumulation_steps": 3}"#,
                true,
            ),
            (
                r#"{"parallelism": {"dp": {"cpu_offload": true}},
            "lora": {"r": 8, "target_modules": ["all-linear"]}}"#,
                true,
            ),
            (r#"{"dataset": {"length_mean": 40}}"#, true),
            (r#"{"parallelism": {"pp": {"size": 2}}}"#, true),
            (
                r#"{"parallelism": {"pp": {"size": 2, "schedule": "zbv", "microbatches": 5}}}"#,
                false,
            ),
        ],
    );
}

#[test]
fn one_forward_pass_and_a_few_layers_stand_for_all_under_fsdp1() {
    compare_all(
        "fsdp1",
        &MODELS,
        &[
            ("{}", true),
            (
                r#"{"gradient_accumulation_steps": 3, "clip_grad_norm": true}"#,
                true,
            ),
            (
                r#"{"activation_checkpointing": "full", "parallelism": {"dp": {"use_orig_params": false}},
            "clip_grad_norm": true}"#,
                true,
            ),
            (
                r#"{"precision": "fp32", "parallelism":
            {"dp": {"mixed_precision": {"param": "bf16", "reduce": "fp32"}}}}"#,
                true,
            ),
            (
                r#"{"parallelism": {"dp": {"cpu_offload": true}}, "clip_grad_norm": true}"#,
                true,
            ),
        ],
    );
    compare_all(
        "fsdp1",
        &MODELS[..2],
        &[
            (r#"{"precision": "amp_bf16"}"#, true),
            (
                r#"{"parallelism": {"dp": {"sharding_strategy": "SHARD_GRAD_OP", "backward_prefetch": "post"}}}"#,
                true,
            ),
            (
                r#"{"parallelism": {"dp": {"sharding_strategy": "NO_SHARD", "backward_prefetch": "none"}}}"#,
                true,
            ),
            (
                r#"{"parallelism": {"dp": {"forward_prefetch": true, "limit_all_gathers": false}}}"#,
                true,
            ),
            (
                r#"{"parallelism": {"dp": {"sharding_strategy": "HYBRID_SHARD", "shard_size": 2}}}"#,
                true,
            ),
            (
                r#"{"lora": {"r": 8, "target_modules": ["all-linear"]}, "clip_grad_norm": true}"#,
                true,
            ),
            (
                r#"{"lora": {"r": 8, "target_modules": ["all-linear"]}, "clip_grad_norm": true,
            "parallelism": {"dp": {"wrap_trainable_leaves": true}}}"#,
                true,
            ),
            (
                r#"{"parallelism": {"dp": {"cpu_offload": true, "use_orig_params": false}}, "clip_grad_norm": true,
            "activation_checkpointing": "full", "gradient_accumulation_steps": 3}"#,
                true,
            ),
            (
                r#"{"precision": "fp32", "parallelism": {"dp": {"cpu_offload": true, "sharding_strategy": "HYBRID_SHARD",
            "shard_size": 2, "mixed_precision": {"param": "bf16"}}}}"#,
                true,
            ),
            (
                r#"{"precision": "amp_bf16", "parallelism": {"dp": {"cpu_offload": true, "built_on_cpu": true,
            "sharding_strategy": "SHARD_GRAD_OP"}}}"#,
                true,
            ),
            (
                r#"{"parallelism": {"dp": {"cpu_offload": true, "built_on_cpu": true, "wrap_trainable_leaves": true}},
            "lora": {"r": 8, "target_modules": ["all-linear"], "adapter_dtype": "base"},
            "quantization": {"type": "nf4", "double": true, "storage": "bfloat16"}, "activation_checkpointing": "full"}"#,
                true,
            ),
            (r#"{"zero_grad_set_to_none": false}"#, true),
        ],
    );
}

#[test]
fn layers_with_adapters_fold_under_fsdp1() {
    let adapters = r#""lora": {"r": 8, "target_modules": ["all-linear"], "adapter_dtype": "base"}"#;
    let few = [Built::FEW, Built::MORE].map(Layers::Folded);
    for dp in [
        r#"{"wrap_trainable_leaves": true}"#,
        r#"{"cpu_offload": true}"#,
        r#"{"cpu_offload": true, "built_on_cpu": true, "wrap_trainable_leaves": true}"#,
    ] {
        for more in [
            r#""activation_checkpointing": "full""#,
            r#""quantization": {"type": "nf4", "double": true, "storage": "bfloat16"}"#,
        ] {
            let option = format!(r#"{{{adapters}, {more}, "parallelism": {{"dp": {dp}}}}}"#);
            let Some(spec) = wrapped("fsdp1", MODELS[0], &option) else {
                continue;
            };
            assert_eq!(compare(&spec, &few), None, "{option}");
        }
    }
}

#[test]
fn one_forward_pass_and_a_few_layers_stand_for_all_under_ddp() {
    compare_all(
        "ddp",
        &MODELS,
        &[
            ("{}", true),
            (
                r#"{"gradient_accumulation_steps": 3, "clip_grad_norm": true}"#,
                true,
            ),
            (
                r#"{"activation_checkpointing": "full", "optimizer": {"name": "adagrad"},
            "gradient_accumulation_steps": 2, "parallelism": {"dp": {"no_sync": true}}}"#,
                true,
            ),
            (
                r#"{"precision": "amp_bf16", "parallelism": {"dp": {"find_unused_parameters": true}}}"#,
                true,
            ),
            (r#"{"keep_outputs": true}"#, true),
            (
                r#"{"keep_outputs": true, "precision": "amp_bf16", "gradient_accumulation_steps": 2,
            "clip_grad_norm": true}"#,
                true,
            ),
            (
                r#"{"precision": "fp32", "parallelism": {"dp": {"gradient_as_bucket_view": true}}}"#,
                false,
            ),
            (
                r#"{"gradient_accumulation_steps": 2,
            "parallelism": {"dp": {"gradient_as_bucket_view": true, "no_sync": false}}}"#,
                false,
            ),
        ],
    );
    compare_all(
        "ddp",
        &MODELS[..2],
        &[
            (
                r#"{"precision": "amp_fp16", "parallelism": {"dp": {"static_graph": true}}}"#,
                true,
            ),
            (
                r#"{"parallelism": {"dp": {"static_graph": true, "gradient_as_bucket_view": true}},
            "zero_grad_set_to_none": false}"#,
                false,
            ),
            (
                r#"{"parallelism": {"dp": {"bucket_cap_mb": 3}}, "gradient_accumulation_steps": 2}"#,
                true,
            ),
            (
                r#"{"lora": {"r": 8, "target_modules": ["all-linear"]}}"#,
                true,
            ),
            (r#"{"zero_grad_set_to_none": false}"#, true),
            (r#"{"dataset": {"length_mean": 40}}"#, true),
            (
                r#"{"optimizer": {"name": "adamw"}, "parallelism":
            {"dp": {"zero_redundancy_optimizer": {"parameters_as_bucket_view": false}}}}"#,
                false,
            ),
            (
                r#"{"optimizer": {"name": "adamw"}, "parallelism":
            {"dp": {"zero_redundancy_optimizer": {"parameters_as_bucket_view": true}}}}"#,
                false,
            ),
        ],
    );
}

#[test]
fn a_step_of_zero_that_comes_again_is_the_next_one() {
    let options = [
        "{}",
        r#"{"gradient_accumulation_steps": 3, "clip_grad_norm": true}"#,
        r#"{"activation_checkpointing": "full", "optimizer": {"name": "adagrad"}}"#,
        r#"{"precision": "fp32", "optimizer": {"name": "sgd"}}"#,
        r#"{"parallelism": {"dp": {"offload_optimizer": "cpu"}}, "clip_grad_norm": true}"#,
        r#"{"parallelism": {"dp": {"offload_optimizer": "cpu", "offload_param": "cpu"}},
            "gradient_accumulation_steps": 2}"#,
        r#"{"parallelism": {"dp": {"overlap_comm": true, "contiguous_gradients": false,
            "reduce_bucket_size": 1000000}}}"#,
        r#"{"parallelism": {"dp": {"overlap_comm": false, "reduce_bucket_size": 3000000}}}"#,
        r#"{"parallelism": {"dp": {"stage3_prefetch_bucket_size": 1000000,
            "stage3_max_live_parameters": 20000000, "sub_group_size": 10000000}}}"#,
        r#"{"lora": {"r": 8, "target_modules": ["all-linear"]}}"#,
        r#"{"zero_grad_set_to_none": false, "attention": "eager"}"#,
    ];
    let (mut different, mut compared, mut written) = (Vec::new(), 0, 0);
    for model in ["smollm2-135m", "t5-small", "gpt2", "granite-3.1-1b-a400m"] {
        for (option, stage) in options
            .iter()
            .flat_map(|option| [1, 2, 3].map(|stage| (option, stage)))
        {
            let mut scenario: serde_json::Value = serde_json::from_str(option).expect("JSON");
            scenario["model"] = model.into();
            (scenario["micro_batch_size"], scenario["seq_len"]) = (1.into(), 40.into());
            scenario["hardware"] = json!({"gpus_per_node": 4});
            scenario["parallelism"]["dp"]["kind"] = "deepspeed_zero".into();
            scenario["parallelism"]["dp"]["stage"] = stage.into();
            if scenario["precision"].is_null() {
                scenario["precision"] = "bf16".into();
            }
            let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
            let Some(spec) = resolve(&scenario).spec else {
                continue;
            };
            let times = accumulation(&spec);
            let all = unfolded(&spec, times, |backend| {
                let tape = Tape::with_details(backend);
                tape.run_all_layers();
                tape
            });
            let (some, ran) = steps_run(&spec, times, Tape::with_details);
            compared += 1;
            written += u32::from(ran == 2);
            assert_eq!(some.work, all.work);
            assert!(some.marks == all.marks, "{model} {option} {stage}");
            if let Some(found) = difference(&some, &all) {
                different.push(format!("{model} {option} {stage}: {found}"));
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n\n"));
    assert!(compared > 90, "{compared}");
    assert!(
        written > 60,
        "{written} of {compared} third steps are written"
    );
}

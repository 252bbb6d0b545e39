//! Reading and writing scenarios.

mod pasted;
mod several_gpus;
mod unusual;
mod views;

use super::Link;
use super::*;
use crate::ask::*;
use crate::resolve::resolve;
use serde_json::{Value, json};

fn from_json(value: &Value) -> (Scenario, Vec<Finding>) {
    decode_json(&value.to_string())
}

fn from_link(query: &str) -> Scenario {
    let Link {
        scenario, findings, ..
    } = decode_query(query);
    assert!(findings.is_empty(), "{findings:#?}");
    scenario
}

fn to_link(scenario: &Scenario) -> String {
    encode_query(scenario, &ViewOptions::default())
}

/// The dotted paths of all values of a tree.
fn leaves(above: &str, value: &Value, paths: &mut Vec<String>) {
    match value.as_object() {
        Some(group) if !["model_overrides.", "symbols."].contains(&above) => {
            for (name, value) in group {
                leaves(&format!("{above}{name}."), value, paths);
            }
        }
        _ => paths.push(above.trim_end_matches('.').to_owned()),
    }
}

#[test]
fn every_key_of_a_scenario_is_in_the_table() {
    let full = Scenario {
        model_overrides: json!({"x": 1}).as_object().expect("an object").clone(),
        task: Some(Task::CausalLm),
        target_seq_len: Some(1),
        weights: Some(ComputeDtype::Bf16),
        sdpa_backend: Some(SdpaBackend::Math),
        lora: Some(unusual::lora()),
        liger_kernel: vec!["x".to_owned()],
        wide_embeddings: true,
        liger_version: Some(LigerVersion::V081),
        implementation: Some(Implementation::Torchtune),
        frozen: vec!["x".to_owned()],
        optimizer: unusual::optimizer(),
        dataset: Dataset {
            file_bytes: Some(1),
            row_group_bytes: Some(1),
            length_mean: Some(2),
            lengths: Some(SampleLengths::Counted(vec![[2, 1]])),
            ..Dataset::default()
        },
        dataloader: DataLoader {
            persistent_workers: true,
            group_by_length: true,
            ..DataLoader::default()
        },
        host: HostSettings {
            launcher: Some(true),
            saving: Some(Saving::Shards),
            checkpoint: Some(Checkpoint::Converted),
            ..HostSettings::default()
        },
        hardware: Hardware {
            gpu_memory: Some(1),
            gpu_memory_in_use: 1,
            processes_by_gpu: Some("2,1".to_owned()),
            ..Hardware::default()
        },
        allocator: AllocatorSettings {
            expandable_segments: true,
            max_split_size_mb: Some(1),
            roundup_power2_divisions: Some(RoundupDivisions::Same(1)),
            garbage_collection_threshold: Some(0.5),
            empty_cache_after_loading: true,
        },
        memory_limit: Some(1),
        offload: Offload {
            optimizer_states: true,
            gradients: true,
            activations: true,
        },
        parallelism: unusual::parallelism(),
        objective: unusual::objective(),
        around: unusual::around(),
        tied_embeddings: Some(true),
        recompute: Recompute {
            granularity: RecomputeGranularity::Full,
            method: RecomputeMethod::Block,
            num_layers: 2,
            modules: Vec::new(),
        },
        attention_softmax_in_fp32: true,
        quantization: Quantization {
            cast_back: true,
            experts: true,
            storage: QuantizationStorage::Bf16,
            ..Quantization::default()
        },
        padding_mask: Some(true),
        pad_to_multiple_of: Some(8),
        image_size: Some("1920x1080".to_owned()),
        min_pixels: Some(1),
        max_pixels: Some(2),
        evaluation: Evaluation {
            micro_batch_size: Some(1),
            use_cache: Some(true),
            logits_to_keep: Some(1),
            accumulation_steps: Some(1),
            ..Evaluation::default()
        },
        other_device_memory: 1,
        neftune_noise_alpha: Some(5.0),
        symbols: json!({"s2": 1}).as_object().expect("an object").clone(),
        layer_modules: vec!["Block".to_owned()],
        convolutions: Convolutions::Native,
        cublas_workspace_config: Some(":16:8".to_owned()),
        ..Scenario::default()
    };
    let mut paths = Vec::new();
    leaves("", &tree::to_tree(&full), &mut paths);
    paths.retain(|path| path != "v");
    let mut table: Vec<_> = KEYS.iter().map(|key| key.path.to_owned()).collect();
    // There is one routing so far, which is the usual one.
    table.retain(|path| path != "parallelism.ep.routing");
    paths.sort();
    table.sort();
    assert_eq!(paths, table);
}

#[test]
fn names_in_links_are_unique() {
    let mut names: Vec<_> = KEYS.iter().map(|key| key.query).collect();
    names.extend(["v", "config", "linear", "params", "embed", "theme", "lang"]);
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn the_default_is_written_as_nothing() {
    assert_eq!(to_link(&Scenario::default()), "v=1");
    assert_eq!(encode_json(&Scenario::default()), r#"{"v":1}"#);
    assert_eq!(from_link("v=1"), Scenario::default());
    assert_eq!(from_link(""), Scenario::default());
}

#[test]
fn a_link_is_readable() {
    let scenario = from_json(&json!({
        "model": "llama-3.2-1b", "micro_batch_size": 16, "seq_len": 8192, "precision": "amp_bf16",
        "optimizer": {"name": "sgd", "impl": "foreach", "momentum": 0.9},
        "hardware": {"gpu": "rtx-4090", "host_ram": 64_u64 << 30}, "clip_grad_norm": true,
        "lora": {"r": 8, "target_modules": ["q_proj", "v_proj"]}
    }))
    .0;
    assert_eq!(
        to_link(&scenario),
        "v=1&model=llama-3.2-1b&mb=16&seq=8192&precision=amp_bf16&opt=sgd&momentum=0.9\
         &lora=8&lora_targets=q_proj,v_proj&clip=1&gpu=rtx-4090&ram=64GiB"
    );
}

#[test]
fn numbers_in_links_may_be_written_as_people_write_them() {
    let scenario = from_link("?v=1&seq=8k&ram=96%20GiB&rows=1.5M&model=qwen3-8b#top");
    assert_eq!(scenario.seq_len, 8192);
    assert_eq!(scenario.hardware.host_ram, 96 << 30);
    assert_eq!(scenario.dataset.rows, 1_500_000);
}

#[test]
fn other_forms_of_models_are_in_links() {
    let linear = from_link("v=1&linear=10000x50000-nobias");
    let layer = LinearModel {
        in_features: 10_000,
        out_features: 50_000,
        bias: false,
    };
    assert_eq!(linear.model, ModelRef::Linear { linear: layer });
    assert_eq!(to_link(&linear), "v=1&linear=10000x50000-nobias");
    let config = from_link("v=1&config=model_type:llama,hidden_size:64");
    let fields = json!({"model_type": "llama", "hidden_size": 64});
    let ModelRef::HfConfig { hf_config } = config.model else {
        panic!("not a config")
    };
    assert_eq!(Value::Object(hf_config), fields);
    assert_eq!(
        from_link("params=1.5B").model,
        ModelRef::NumParameters {
            num_parameters: 1_500_000_000
        }
    );
}

#[test]
fn a_link_keeps_only_the_fields_of_a_config_that_decide_something() {
    let config = json!({"model_type": "llama", "hidden_size": 64, "eos_token_id": 1,
        "_name_or_path": "/home/somebody/secret", "rope_scaling": {"factor": 8.0}});
    let (scenario, _) = from_json(&json!({"model": {"hf_config": config}}));
    assert_eq!(
        to_link(&scenario),
        "v=1&config=hidden_size:64,model_type:llama"
    );
}

#[test]
fn a_link_keeps_the_part_of_a_head_that_positions_turn() {
    let rope = json!({"rope_theta": 1e4, "partial_rotary_factor": 0.25});
    let config = json!({"model_type": "stablelm", "rope_parameters": rope});
    let (scenario, _) = from_json(&json!({"model": {"hf_config": config}}));
    let kept =
        json!({"model_type": "stablelm", "rope_parameters": {"partial_rotary_factor": 0.25}});
    let (expected, _) = from_json(&json!({"model": {"hf_config": kept}}));
    assert_eq!(from_link(&to_link(&scenario)).model, expected.model);
}

#[test]
fn the_usual_implementation_of_an_optimizer_needs_no_name() {
    let scenario = from_link("v=1&opt=adafactor_transformers");
    assert_eq!(scenario.optimizer.implementation, OptimizerImpl::ForLoop);
    assert_eq!(to_link(&scenario), "v=1&opt=adafactor_transformers");
    let (scenario, _) = from_json(&json!({"optimizer": {"name": "none"}}));
    assert_eq!(scenario.optimizer.implementation, OptimizerImpl::None);
}

#[test]
fn a_link_says_the_task_that_is_asked_for_even_where_it_is_the_models_own() {
    assert_eq!(from_link("v=1&model=gpt2").task, None);
    let asked = "v=1&model=gpt2&task=causal_lm";
    assert_eq!(to_link(&from_link(asked)), asked);
    assert_eq!(from_link("v=1&task=").task, None);
}

#[test]
fn bad_values_leave_the_default_and_say_what_is_allowed() {
    let (scenario, findings) =
        from_json(&json!({"micro_batch_size": -1, "seq_len": 99, "task": "causal_ml"}));
    assert_eq!(
        scenario,
        Scenario {
            seq_len: 99,
            ..Scenario::default()
        }
    );
    assert_eq!(findings.len(), 2);
    assert_eq!(findings[0].key, "micro_batch_size");
    assert_eq!(
        findings[1].fix.as_ref().map(|fix| &fix.value),
        Some(&json!("causal_lm"))
    );
    assert!(
        findings
            .iter()
            .all(|finding| finding.severity == Severity::Error)
    );
}

#[test]
fn numbers_that_cannot_be_are_repaired_by_the_nearest() {
    let repair = |value: Value| {
        let finding = from_json(&value).1.remove(0);
        finding.fix.expect("a repair").value
    };
    assert_eq!(repair(json!({"micro_batch_size": -3})), json!(1));
    assert_eq!(
        repair(json!({"dataloader": {"num_workers": 4.5}})),
        json!(4)
    );
    assert_eq!(repair(json!({"seq_len": "8k"})), json!(8192));
    assert_eq!(
        repair(json!({"hardware": {"host_ram": "64 GiB"}})),
        json!(64_u64 << 30)
    );
    assert_eq!(repair(json!({"hardware": {"swap": -1}})), json!(0));
}

#[test]
fn a_link_with_nonsense_still_opens() {
    for query in [
        "mb=abc",
        "mb=-1",
        "mb=1e99",
        "mb=99999999999999999999999",
        "precision=fp8",
        "model=%",
        "config=nothing",
        "config=%7B",
        "linear=3",
        "linear=ax4",
        "params=-1",
        "v=x",
        "v=-1",
        "theme=pink",
        "seq=",
        "=",
        "&&&",
        "a&b=c=d",
        "momentum=NaN",
        "frozen=%5B1%5D",
        "overrides=%7B%22a%22",
        "%F0%9F%90%8D=%ff",
    ] {
        let Link { findings, .. } = decode_query(query);
        assert!(
            findings
                .iter()
                .all(|finding| finding.severity < Severity::Error),
            "{query}"
        );
    }
    let Link {
        scenario, findings, ..
    } = decode_query("mb=abc&seq=64&batch=4");
    assert_eq!(
        scenario,
        Scenario {
            seq_len: 64,
            ..Scenario::default()
        }
    );
    assert_eq!(findings.len(), 2);
}

#[test]
fn unknown_keys_are_named_with_the_nearest_known() {
    let unknown = |shown: &str, nearest: &str| {
        let hint = message!(codec::did_you_mean, nearest);
        message!(codec::unknown_key, shown, hint)
    };
    for (given, shown, nearest) in [
        (json!({"batch_size": 4}), "batch_size", "micro_batch_size"),
        (
            json!({"dataloader": {"num_worker": 4}}),
            "dataloader.num_worker",
            "dataloader.num_workers",
        ),
    ] {
        let (_, findings) = from_json(&given);
        assert_eq!(findings[0].message, unknown(shown, nearest));
    }
    let Link { findings, .. } = decode_query("precison=bf16");
    let hint = message!(codec::did_you_mean, nearest = "precision");
    let message = message!(codec::unknown_in_link, shown = "precison", hint);
    assert_eq!(findings[0].message, message);
}

#[test]
fn texts_that_are_no_scenario_are_errors() {
    for text in [
        "",
        "nonsense",
        "[]",
        "1",
        "null",
        "{",
        "{\"v\":1}}",
        "\u{feff}",
    ] {
        let (scenario, findings) = decode_json(text);
        assert_eq!(scenario, Scenario::default());
        assert_eq!(findings[0].severity, Severity::Error, "{text}");
    }
}

#[test]
fn deep_and_long_texts_are_read_in_bounded_time() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(decode_json(&deep).1.len(), 1);
    let long = "unknown_key=1&".repeat(100_000);
    assert!(decode_query(&long).findings.len() <= 50);
}

#[test]
fn a_pasted_text_is_recognized() {
    let config =
        r#"{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64}"#;
    assert!(matches!(
        read_pasted(config).0,
        Some(Pasted::Model(ModelRef::HfConfig { .. }))
    ));
    assert!(matches!(
        read_pasted(r#" {"micro_batch_size": 4} "#).0,
        Some(Pasted::Scenario(_))
    ));
    let model = Some(Pasted::Model(ModelRef::Catalog("qwen2.5-1.5b".to_owned())));
    assert_eq!(read_pasted("Qwen/Qwen2.5-1.5B").0, model);
    assert_eq!(
        read_pasted("https://huggingface.co/Qwen/Qwen2.5-1.5B").0,
        model
    );
    let (link, findings) = read_pasted("https://example.org/highwater/?v=1&mb=4");
    assert!(findings.is_empty());
    assert!(matches!(link, Some(Pasted::Scenario(scenario)) if scenario.micro_batch_size == 4));
    for text in ["", "hello", "{\"a\": 1}", "[1]", "{", "\"text\""] {
        let (nothing, findings) = read_pasted(text);
        assert!(nothing.is_none() && findings.len() == 1, "{text}");
    }
}

#[test]
fn repairs_repair() {
    let start = from_json(&json!({
        "micro_batch_size": 0, "seq_len": u64::MAX, "optimizer": {"name": "adafactor", "impl": "fused"},
        "model": {"hf_config": {"model_type": "llama", "hidden_size": 100, "intermediate_size": 0,
            "num_attention_heads": 7, "num_hidden_layers": 2, "vocab_size": 10, "quantization_config": {}}},
        "lora": {"r": 0, "target_modules": ["nothing"]}, "frozen": ["nothing"],
        "hardware": {"gpu": "a100", "host_ram": 0}, "sdpa_backend": "flash"
    }))
    .0;
    let mut scenario = start;
    for _ in 0..30 {
        let Some(fix) = resolve(&scenario)
            .findings
            .into_iter()
            .filter(|finding| finding.severity == Severity::Error)
            .find_map(|finding| finding.fix)
        else {
            break;
        };
        scenario = fix.apply(&scenario).expect("a repair that fits");
    }
    let resolution = resolve(&scenario);
    assert!(resolution.spec.is_some(), "{:#?}", resolution.findings);
}

#[test]
fn options_of_adapters_that_take_no_memory_are_left_out_with_a_notice() {
    let (scenario, findings) = from_json(&json!({"lora": {"use_rslora": true, "lora_alpha": 32}}));
    assert_eq!(scenario.lora, Some(Lora::default()));
    assert!(findings.iter().all(|f| f.severity == Severity::Notice));
    assert_eq!(findings.len(), 2);
}

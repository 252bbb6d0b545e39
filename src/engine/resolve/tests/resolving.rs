//! Scenarios that `resolve` accepts, completes and refuses.

use crate::ask::*;
use crate::catalog;
use crate::families;
use crate::model::*;
use crate::resolve::resolve;
use serde_json::{Value, json};

fn scenario(value: Value) -> Scenario {
    serde_json::from_value(value).expect("a scenario")
}

fn llama(value: Value) -> DecoderConfig {
    let resolution = resolve(&scenario(value));
    let spec = resolution
        .spec
        .unwrap_or_else(|| panic!("{:#?}", resolution.findings));
    match spec.architecture {
        Architecture::Decoder(config) => config,
        _ => panic!("not a decoder"),
    }
}

/// The one error that is expected, as its key and its repair.
fn error(value: Value) -> (String, Option<Fix>) {
    let resolution = resolve(&scenario(value));
    assert!(resolution.spec.is_none(), "accepted");
    let errors: Vec<_> = resolution
        .findings
        .into_iter()
        .filter(|f| f.severity == Severity::Error)
        .collect();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    (errors[0].key.clone(), errors[0].fix.clone())
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "compared with the fix of a finding"
)]
fn fix(key: &str, value: impl Into<Value>) -> Option<Fix> {
    Some(Fix {
        key: key.to_owned(),
        value: value.into(),
    })
}

#[test]
fn the_default_scenario_has_an_answer_without_findings() {
    let resolution = resolve(&Scenario::default());
    assert!(resolution.findings.is_empty(), "{:#?}", resolution.findings);
    assert_eq!(resolution.spec.expect("a spec").model_name, "Qwen2.5 1.5B");
}

#[test]
fn every_model_of_the_catalog_resolves_without_findings() {
    for model in families::catalog_models() {
        let mut asked = scenario(json!({"model": model.id}));
        // Kernels of the delta rule take no float32, some models have no sdpa, and texts beside images
        // are shorter, than the defaults are; the finding repairs it.
        for finding in resolve(&asked).findings {
            if ["precision", "attention", "seq_len"].contains(&finding.key.as_str()) {
                let fix = finding.fix.as_ref().expect("a repair");
                asked = fix.apply(&asked).expect("a repair that fits");
            }
        }
        let resolution = resolve(&asked);
        assert!(
            resolution.findings.is_empty(),
            "{}: {:#?}",
            model.id,
            resolution.findings
        );
        assert!(resolution.spec.is_some(), "{}", model.id);
    }
}

#[test]
fn every_accelerator_of_the_catalog_resolves_without_findings() {
    for gpu in catalog::ACCELERATORS {
        let resolution = resolve(&scenario(json!({"hardware": {"gpu": gpu.id}})));
        assert!(
            resolution.findings.is_empty(),
            "{}: {:#?}",
            gpu.id,
            resolution.findings
        );
    }
}

#[test]
fn a_catalog_model_and_its_config_are_the_same_architecture() {
    let config: Value = serde_json::from_str(
        families::catalog_model("llama-3.2-1b")
            .expect("listed")
            .config(),
    )
    .expect("JSON");
    assert_eq!(
        llama(json!({"model": "llama-3.2-1b"})),
        llama(json!({"model": {"hf_config": config}}))
    );
}

#[test]
fn absent_fields_have_the_defaults_of_transformers() {
    let sizes = |model_type| {
        llama(json!({"model": {"hf_config": {
            "model_type": model_type, "hidden_size": 2048, "intermediate_size": 4096,
            "num_hidden_layers": 2, "num_attention_heads": 64, "vocab_size": 1000}}}))
    };
    let (plain, mistral) = (sizes("llama"), sizes("mistral"));
    assert_eq!((plain.num_key_value_heads, plain.head_dim), (64, 32));
    assert_eq!(
        (mistral.num_key_value_heads, mistral.sliding_window),
        (8, Some(4096))
    );
    let (qwen2, qwen3) = (sizes("qwen2"), sizes("qwen3"));
    assert_eq!(
        (
            qwen2.num_key_value_heads,
            qwen2.head_dim,
            qwen2.sliding_window
        ),
        (32, 32, None)
    );
    assert_eq!((qwen2.qkv_bias, qwen2.attention_bias), (true, false));
    assert_eq!((qwen3.head_dim, qwen3.qkv_bias), (128, false));
    for config in [plain, mistral, qwen2, qwen3] {
        assert!(!config.tie_word_embeddings && !config.mlp_bias);
    }
}

#[test]
fn decoders_of_known_types_are_read_and_not_guessed() {
    for id in [
        "starcoder2-3b",
        "granite-3.1-2b",
        "command-r7b",
        "stablelm-3b",
        "glm-4-9b",
    ] {
        let config: Value =
            serde_json::from_str(families::catalog_model(id).expect("listed").config())
                .expect("JSON");
        let resolution = resolve(&scenario(json!({"model": {"hf_config": config}})));
        assert!(resolution.spec.is_some(), "{id}");
        assert_eq!(resolution.findings, [], "{id}");
    }
}

#[test]
fn layers_without_rotary_positions_are_those_that_the_config_names() {
    let value = json!({"model": "smollm3-3b", "model_overrides": {"no_rope_layers": [0, 1, 0, 1]}});
    assert_eq!(llama(value).unturned[..4], [true, false, true, false]);
    let far = |id: &str| llama(json!({"model": id})).unturned;
    assert_eq!(far("exaone-4-32b")[..4], [false, false, false, true]);
    assert_eq!(far("granite-3.1-2b"), [false; 0]);
}

#[test]
fn overrides_replace_fields_of_a_catalog_model() {
    let value = json!({"model": "qwen3-8b", "model_overrides": {"num_hidden_layers": 2}});
    assert_eq!(llama(value).num_hidden_layers, 2);
}

#[test]
fn the_text_part_of_a_multimodal_config_is_read() {
    let config: Value = serde_json::from_str(
        families::catalog_model("mistral-7b")
            .expect("listed")
            .config(),
    )
    .expect("JSON");
    let whole = json!({"model_type": "aya_vision", "text_config": config});
    let resolution = resolve(&scenario(json!({"model": {"hf_config": whole}})));
    assert!(resolution.spec.is_some());
    assert_eq!(resolution.findings[0].severity, Severity::Warning);
}

#[test]
fn numbers_out_of_range_are_repaired_by_the_nearest() {
    assert_eq!(
        error(json!({"micro_batch_size": 0})).1,
        fix("micro_batch_size", 1)
    );
    assert_eq!(
        error(json!({"seq_len": u64::MAX})).1,
        fix("seq_len", 1 << 24)
    );
    assert_eq!(
        error(json!({"gradient_accumulation_steps": 0})).1,
        fix("gradient_accumulation_steps", 1)
    );
    assert_eq!(
        error(json!({"hardware": {"host_ram": 0}})).1,
        fix("hardware.host_ram", 1 << 30)
    );
}

#[test]
fn heads_that_do_not_divide_are_repaired_by_the_nearest_that_do() {
    let with = |field: &str, value: u64| json!({"model": "qwen2.5-1.5b", "model_overrides": {field: value}});
    assert_eq!(
        error(with("num_key_value_heads", 5)).1,
        fix("model_overrides.num_key_value_heads", 4)
    );
    assert_eq!(
        error(with("num_attention_heads", 14)).1,
        fix("model_overrides.num_attention_heads", 12)
    );
}

#[test]
fn heads_that_do_not_fill_four_blocks_are_refused() {
    let config = json!({"model_type": "codegen", "n_embd": 64, "n_head": 2});
    let (key, found) = error(json!({"model": {"hf_config": config}, "attention": "eager"}));
    assert_eq!(key, "model.hf_config.n_head");
    assert_eq!(found, fix("model.hf_config.n_head", 4));
}

#[test]
fn a_config_that_lacks_sizes_says_which() {
    let (key, fix) = error(json!({"model": {"hf_config": {
        "model_type": "llama", "hidden_size": 64, "intermediate_size": 64,
        "num_attention_heads": 4, "vocab_size": 100}}}));
    assert_eq!(key, "model.hf_config.num_hidden_layers");
    assert!(fix.is_some());
}

#[test]
fn a_config_of_the_wrong_types_says_which() {
    let with = |value: Value| {
        error(json!({"model": "llama-3.2-1b", "model_overrides": {"num_hidden_layers": value}})).0
    };
    for value in [json!("16"), json!(-1), json!(1.5), json!([16]), json!(1e30)] {
        assert_eq!(with(value), "model_overrides.num_hidden_layers");
    }
}

#[test]
fn unknown_names_are_repaired_by_the_nearest_known() {
    assert_eq!(
        error(json!({"model": "Qwen/Qwen2.5-1.5"})).1,
        fix("model", "qwen2.5-1.5b")
    );
    assert_eq!(
        error(json!({"hardware": {"gpu": "A100-80"}})).1,
        fix("hardware.gpu", "a100-80gb")
    );
    assert_eq!(
        error(json!({"model": {"hf_config": {"model_type": "lama"}}})).1,
        fix("model.hf_config.model_type", "llama")
    );
}

#[test]
fn implementations_that_do_not_exist_are_refused() {
    let optimizer = |name, implementation| {
        error(json!({"optimizer": {"name": name, "impl": implementation}})).1
    };
    assert_eq!(
        optimizer("adafactor", "fused"),
        fix("optimizer.impl", "foreach")
    );
    assert_eq!(
        optimizer("adafactor_transformers", "foreach"),
        fix("optimizer.impl", "for_loop")
    );
    assert_eq!(optimizer("none", "foreach"), fix("optimizer.impl", "none"));
    assert_eq!(optimizer("adamw", "none"), fix("optimizer.impl", "foreach"));
}

#[test]
fn momentum_out_of_range_is_refused() {
    let momentum = |momentum: f64| {
        error(json!({"optimizer": {"name": "sgd", "impl": "foreach", "momentum": momentum}})).1
    };
    assert_eq!(momentum(-1.0), fix("optimizer.momentum", 0.0));
    assert_eq!(momentum(1.0), fix("optimizer.momentum", 0.9));
}

#[test]
fn flash_attention_in_fp32_is_refused() {
    let (key, _) = error(json!({"sdpa_backend": "flash", "precision": "fp32"}));
    assert_eq!(key, "sdpa_backend");
    assert!(
        resolve(&scenario(
            json!({"sdpa_backend": "flash", "precision": "bf16"})
        ))
        .spec
        .is_some()
    );
}

#[test]
fn tensors_beyond_any_machine_are_refused() {
    let (key, fix) = error(json!({"micro_batch_size": 1 << 20, "seq_len": 1 << 20}));
    assert_eq!(key, "micro_batch_size");
    let repaired = fix.expect("a repair").value;
    assert!(
        resolve(&scenario(
            json!({"micro_batch_size": repaired, "seq_len": 1 << 20})
        ))
        .spec
        .is_some()
    );
}

#[test]
fn a_linear_layer_has_the_same_limits() {
    let layer = json!({"linear": {"in_features": 1000, "out_features": 1 << 24}});
    let (key, fix) = error(json!({"model": layer, "micro_batch_size": 1 << 20}));
    assert_eq!(key, "micro_batch_size");
    let repaired = fix.expect("a repair").value;
    assert!(
        resolve(&scenario(
            json!({"model": layer, "micro_batch_size": repaired})
        ))
        .spec
        .is_some()
    );
}

#[test]
fn a_sample_of_one_token_has_nothing_to_predict() {
    assert_eq!(error(json!({"seq_len": 1})).1, fix("seq_len", 2));
    assert!(
        resolve(&scenario(json!({"seq_len": 1, "loss": "mean_logits"})))
            .spec
            .is_some()
    );
}

#[test]
fn adapters_and_frozen_parts_must_match_something() {
    assert_eq!(
        error(json!({"lora": {"r": 8, "target_modules": ["q_pro"]}})).1,
        fix("lora.target_modules", json!(["q_proj"]))
    );
    assert_eq!(
        error(json!({"lora": {"r": 8, "target_modules": ["q_proj", "input_layernorm"]}})).0,
        "lora.target_modules"
    );
    assert_eq!(error(json!({"lora": {"r": 0}})).1, fix("lora.r", 1));
    assert_eq!(
        error(json!({"frozen": ["embed_tokens", "encoder"]})).1,
        fix("frozen", json!(["embed_tokens"]))
    );
}

#[test]
fn targets_are_ends_of_module_names_and_those_without_a_match_are_told() {
    let resolve_targets = |targets: serde_json::Value| {
        resolve(&scenario(
            json!({"lora": {"r": 8, "target_modules": targets}}),
        ))
    };
    for targets in [
        json!(["q_proj"]),
        json!(["self_attn.q_proj", "layers.0.mlp.up_proj"]),
        json!(["lm_head"]),
        json!(["all-linear"]),
    ] {
        let resolution = resolve_targets(targets);
        assert!(resolution.spec.is_some(), "{:?}", resolution.findings);
        assert!(resolution.findings.is_empty(), "{:?}", resolution.findings);
    }
    let resolution = resolve_targets(json!(["q_proj", "fc1", "v_pro"]));
    assert!(resolution.spec.is_some());
    let warned = &resolution.findings[0];
    assert_eq!(warned.severity, Severity::Warning);
    assert_eq!(
        warned.fix,
        fix("lora.target_modules", json!(["q_proj", "v_proj"]))
    );
}

#[test]
fn what_is_not_estimated_yet_is_refused_with_a_reason() {
    assert_eq!(
        error(json!({"task": "seq2seq_lm"})).1,
        fix("task", "causal_lm")
    );
    let (key, _) = error(json!({"model": {"hf_config": {"model_type": "sew"}}}));
    assert_eq!(key, "model.hf_config.model_type");
    assert_eq!(
        error(json!({"model": {"num_parameters": 7}})).0,
        "model.num_parameters"
    );
}

#[test]
fn a_task_that_is_asked_for_must_be_one_of_the_models() {
    for (model, seq_len, own, impossible) in [
        ("vit-base", 64, "image_classification", "causal_lm"),
        ("swin-tiny", 64, "image_classification", "causal_lm"),
        ("clip-vit-base-patch32", 77, "contrastive", "causal_lm"),
        ("llava-1.5-7b-hf", 600, "image_text_to_text", "causal_lm"),
        ("t5-small", 64, "seq2seq_lm", "causal_lm"),
        ("bert-base", 64, "masked_lm", "causal_lm"),
        ("llama-3.2-1b", 64, "causal_lm", "masked_lm"),
    ] {
        let repaired = error(json!({"model": model, "seq_len": seq_len, "task": impossible})).1;
        assert_eq!(repaired, fix("task", own), "{model}");
        for asked in [json!(null), own.into()] {
            let asked = json!({"model": model, "seq_len": seq_len, "task": asked});
            let spec = resolve(&scenario(asked)).spec.expect("a possible task");
            assert_eq!(spec.task.name(), own);
        }
    }
}

#[test]
fn a_token_cannot_go_through_more_experts_than_there_are() {
    let value = json!({"model": "mixtral-8x7b", "model_overrides": {"num_experts_per_tok": 9}});
    let (key, repair) = error(value);
    assert_eq!(key, "model_overrides.num_experts_per_tok");
    assert_eq!(repair, fix("model_overrides.num_experts_per_tok", 8));
}

#[test]
fn what_is_only_close_is_estimated_with_a_warning() {
    for value in [
        json!({"hardware": {"gpus_per_node": 3}}),
        json!({"hardware": {"gpu": "t4"}, "precision": "amp_fp16"}),
    ] {
        let resolution = resolve(&scenario(value.clone()));
        assert!(resolution.spec.is_some(), "{value}");
        assert_eq!(resolution.findings.len(), 1, "{value}");
        assert_eq!(
            resolution.findings[0].severity,
            Severity::Warning,
            "{value}"
        );
    }
}

#[test]
fn every_finding_says_what_it_is_about() {
    for value in [
        json!({"micro_batch_size": 0, "seq_len": 0, "v": 9, "task": "masked_lm"}),
        json!({"model": "nothing at all", "hardware": {"gpu": "none"}}),
        json!({"model": {"hf_config": {"model_type": "llama"}}}),
        json!({"allocator": {"max_split_size_mb": 1, "roundup_power2_divisions": 3, "garbage_collection_threshold": 2.0}}),
    ] {
        let findings = resolve(&scenario(value)).findings;
        assert!(!findings.is_empty());
        for finding in findings {
            assert!(!finding.key.is_empty(), "{finding:?}");
        }
    }
}

#[test]
fn what_positions_turn_of_a_head_is_read_where_transformers_5_keeps_it() {
    for (model_type, old) in [
        ("stablelm", "partial_rotary_factor"),
        ("glm", "partial_rotary_factor"),
        ("nemotron", "partial_rotary_factor"),
        ("phi", "partial_rotary_factor"),
        ("phi3", "partial_rotary_factor"),
        ("gpt_neox", "rotary_pct"),
    ] {
        let of = |rope: Value| {
            let mut config = json!({
                "model_type": model_type, "hidden_size": 256, "num_attention_heads": 4, "head_dim": 64,
                "num_key_value_heads": 4, "num_hidden_layers": 2, old: 0.5,
            });
            config["rope_parameters"] = rope;
            llama(json!({"model": {"hf_config": config}})).rotary_dim
        };
        assert_eq!(of(json!({"rope_theta": 1e4})), 32, "{model_type}");
        let kept = json!({"rope_theta": 1e4, "partial_rotary_factor": 0.75});
        assert_eq!(of(kept), 48, "{model_type}");
    }
}

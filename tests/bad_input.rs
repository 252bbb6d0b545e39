//! Configurations that cannot exist get the reason, and repairs that lead to one that can.

use highwater::ask::{Scenario, Severity};
use highwater::codec::decode_json;
use highwater::report::estimate;
use highwater::resolve::resolve;
use highwater::text::{Language, message_text};
use serde_json::{Value, json};

/// The key of the first error of a scenario, and the scenario after all repairs that are proposed.
fn repaired(value: &Value) -> (String, Scenario) {
    let (mut scenario, findings) = decode_json(&value.to_string());
    let mut first = None;
    let error = findings.into_iter().find(|f| f.severity == Severity::Error);
    if let Some(error) = error {
        first = Some(error.key.clone());
        let fix = error.fix.expect("a repair");
        scenario = fix.apply(&scenario).unwrap_or(scenario);
    }
    for _ in 0..10 {
        let findings = resolve(&scenario).findings;
        let Some(error) = findings.into_iter().find(|f| f.severity == Severity::Error) else {
            return (first.unwrap_or_default(), scenario);
        };
        let languages = [Language::English, Language::Chinese];
        let [english, chinese] = languages.map(|l| message_text(&error.message, l));
        assert!(english.len() > 20 && !chinese.is_ascii(), "{error:?}");
        let fix = error
            .fix
            .clone()
            .unwrap_or_else(|| panic!("a repair: {error:?}"));
        scenario = fix.apply(&scenario).expect("a repair that can be applied");
        first.get_or_insert(error.key);
    }
    panic!("repairs without end: {value}");
}

fn llama(changes: &Value) -> Value {
    let mut config = json!({
        "model_type": "llama", "hidden_size": 128, "num_attention_heads": 8,
        "num_hidden_layers": 2, "intermediate_size": 256, "vocab_size": 1000,
    });
    let fields = config.as_object_mut().expect("fields");
    fields.extend(changes.as_object().expect("fields").clone());
    json!({"model": {"hf_config": config}, "seq_len": 64})
}

#[test]
fn what_cannot_exist_is_refused_with_its_key_and_can_be_repaired() {
    let of = |changes: &Value| {
        let mut scenario = json!({"model": "qwen2.5-0.5b", "seq_len": 64});
        let keys = scenario.as_object_mut().expect("keys");
        keys.extend(changes.as_object().expect("keys").clone());
        scenario
    };
    let huge = u64::MAX;
    let pairs = of(&json!({"model": "phi-3.5-moe", "lora": {"target_modules": ["all-linear"]}}));
    for (scenario, key) in [
        (pairs, "lora.target_modules"),
        (
            of(&json!({"dataset": {"lengths": {"mean": 100, "p95": 1000, "longest": 50_000}}})),
            "dataset.lengths",
        ),
        (
            of(
                &json!({"model": "qwen2-vl-2b-instruct", "seq_len": 2048, "min_pixels": 5000, "max_pixels": 4000}),
            ),
            "min_pixels",
        ),
        (
            llama(&json!({"num_attention_heads": 7})),
            "model.hf_config.num_attention_heads",
        ),
        (
            llama(&json!({"num_key_value_heads": 3})),
            "model.hf_config.num_key_value_heads",
        ),
        (
            llama(&json!({"num_hidden_layers": 0})),
            "model.hf_config.num_hidden_layers",
        ),
        (
            of(&json!({"lora": {"target_modules": ["c_attn"]}})),
            "lora.target_modules",
        ),
        (of(&json!({"lora": {"r": 0}})), "lora.r"),
        (
            of(&json!({"attention": "flash_attention_2", "precision": "fp32"})),
            "attention",
        ),
        (
            of(&json!({"weights": "bf16", "precision": "fp32"})),
            "weights",
        ),
        (
            of(&json!({"weights": "fp16", "precision": "amp_fp16"})),
            "weights",
        ),
        (of(&json!({"micro_batch_size": 0})), "micro_batch_size"),
        (
            of(&json!({"micro_batch_size": huge, "seq_len": huge})),
            "micro_batch_size",
        ),
        (
            of(&json!({"gradient_accumulation_steps": huge})),
            "gradient_accumulation_steps",
        ),
        (of(&json!({"precision": "fp8"})), "precision"),
        (
            of(&json!({"optimizer": {"name": "adafactor", "impl": "fused"}})),
            "optimizer.impl",
        ),
        (
            of(&json!({"quantization": {"type": "nf4"}})),
            "quantization.type",
        ),
        (
            of(&json!({"hardware": {"gpu": "rtx-9999"}})),
            "hardware.gpu",
        ),
        (
            of(&json!({"hardware": {"gpu_memory": huge}})),
            "hardware.gpu_memory",
        ),
        (of(&json!({"memory_limit": 1})), "memory_limit"),
        (
            of(&json!({"allocator": {"roundup_power2_divisions": "[3:1]"}})),
            "allocator.roundup_power2_divisions",
        ),
        (
            of(&json!({
                "model": "bart-base", "task": "seq2seq_lm", "framework": "torch-2.6/transformers-4.51",
                "activation_checkpointing": "full_reentrant", "lora": {"r": 8, "target_modules": ["q_proj"]},
            })),
            "activation_checkpointing",
        ),
        (
            of(&json!({"allocator": {"max_split_size_mb": 5}})),
            "allocator.max_split_size_mb",
        ),
    ] {
        let (found, scenario) = repaired(&scenario);
        assert_eq!(found, key);
        let answer = estimate(&scenario).unwrap_or_else(|e| panic!("{key}: {e:?}"));
        assert!(answer.report.device.total.get() > 0, "{key}");
    }
}

#[test]
fn experts_that_are_not_there_are_refused() {
    let config = json!({
        "model_type": "mixtral", "hidden_size": 128, "num_attention_heads": 8,
        "num_key_value_heads": 2, "num_hidden_layers": 2, "intermediate_size": 256,
        "vocab_size": 1000, "num_local_experts": 4, "num_experts_per_tok": 8,
    });
    let (key, _) = repaired(&json!({"model": {"hf_config": config}, "seq_len": 64}));
    assert_eq!(key, "model.hf_config.num_experts_per_tok");
}

#[test]
fn what_no_node_can_be_says_why() {
    for (value, reason) in [
        (json!({"hardware": {"host_ram": 0}}), "half a GiB"),
        (json!({"dataset": {"raw_bytes": 1_u64 << 53}}), "disks"),
        (json!({"dataloader": {"num_workers": 5_000}}), "process"),
    ] {
        let (scenario, _) = decode_json(&value.to_string());
        let error = resolve(&scenario).findings.remove(0);
        assert_eq!(error.severity, Severity::Error);
        let said = message_text(&error.message, Language::English);
        assert!(said.contains(reason), "{said}");
        let fix = error.fix.expect("a repair");
        let repaired = fix.apply(&scenario).expect("a repair that can be applied");
        assert!(estimate(&repaired).is_ok(), "{value}");
    }
}

#[test]
fn a_count_below_what_is_allowed_is_told_the_least() {
    for (asked, least) in [
        (json!({"micro_batch_size": -1}), 1),
        (json!({"dataloader": {"num_workers": -1}}), 0),
    ] {
        let (_, findings) = decode_json(&asked.to_string());
        let said = message_text(&findings[0].message, Language::English);
        assert!(said.contains(&format!("at least {least}")), "{said}");
    }
}

#[test]
fn a_gpu_named_without_its_memory_is_answered_with_its_variants() {
    for (gpu, variants) in [
        ("a100", vec!["a100-80gb", "a100-40gb"]),
        ("rtx-3080", vec!["rtx-3080-10gb"]),
        ("H100", vec!["h100-80gb", "h100-nvl"]),
        ("rtx-409O", vec!["rtx-4090"]),
    ] {
        let asked = json!({"model": "qwen2.5-0.5b", "seq_len": 64, "hardware": {"gpu": gpu}});
        let (scenario, _) = decode_json(&asked.to_string());
        let findings = resolve(&scenario).findings;
        let error = findings
            .iter()
            .find(|finding| finding.key == "hardware.gpu");
        let said = message_text(&error.expect("an error").message, Language::English);
        for variant in variants {
            assert!(said.contains(variant), "{gpu}: {said}");
        }
    }
}

//! Sequences that are divided among ranks.

use super::meshes::{errors, has};
use serde_json::{Value, json};

/// A run of four layers of Llama 3.1 8B with 32 heads over 8 of keys and values.
fn with(more: &Value) -> Value {
    let mut scenario = json!({
        "model": "llama-3.1-8b",
        "model_overrides": {"num_hidden_layers": 4},
        "seq_len": 8192,
        "precision": "bf16",
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        scenario[key] = value.clone();
    }
    scenario
}

fn ulysses(size: u64) -> Value {
    json!({"dp": {"kind": "deepspeed_zero"}, "cp": {"kind": "ulysses", "size": size}})
}

#[test]
fn ranks_that_a_sequence_or_heads_are_not_divided_among_have_the_nearest_that_they_are() {
    let ring = |size: u64, tokens: u64| {
        with(&json!({"seq_len": tokens, "parallelism": {"cp": {"size": size}}}))
    };
    has(&ring(3, 8192), "parallelism.cp.size", 2);
    has(&ring(4, 1002), "parallelism.cp.size", 3);
    has(&ring(2, 1001), "parallelism.cp.size", 1);
    has(
        &with(&json!({"parallelism": ulysses(12)})),
        "parallelism.cp.size",
        8,
    );
    // Heads of keys and values are repeated for 16 ranks.
    assert_eq!(errors(with(&json!({"parallelism": ulysses(16)}))), []);
    let six = json!({"model": "qwen2.5-7b", "seq_len": 8400, "parallelism": ulysses(7)});
    has(&with(&six), "parallelism.cp.size", 4);
}

#[test]
fn samples_that_the_kernel_of_float32_cannot_merge_have_the_nearest_length_that_it_can() {
    let ring = |tokens: u64, more: Value| {
        let mut scenario = with(
            &json!({"seq_len": tokens, "precision": "fp32", "parallelism": {"cp": {"size": 2}}}),
        );
        for (key, value) in more.as_object().into_iter().flatten() {
            scenario[key] = value.clone();
        }
        scenario
    };
    has(&ring(192, json!({})), "seq_len", 128);
    has(&ring(60, json!({})), "seq_len", 128);
    let padded = json!({"pad_to_multiple_of": 4});
    let found = errors(ring(190, padded));
    assert_eq!(found, [("seq_len".to_owned(), json!(128))]);
    assert_eq!(errors(ring(192, json!({"precision": "bf16"}))), []);
    let usual = json!({"precision": "bf16", "dataset": {"length_mean": 101}});
    has(&ring(192, usual), "dataset.length_mean", 4);
}

#[test]
fn what_libraries_do_not_run_beside_it_is_refused_with_what_they_do() {
    let cp = json!({"size": 2});
    let ring = |more: Value| {
        let mut scenario = with(&json!({"parallelism": {"cp": cp}}));
        for (key, value) in more.as_object().into_iter().flatten() {
            scenario[key] = value.clone();
        }
        scenario
    };
    for (more, key, fix) in [
        (
            json!({"parallelism": {"dp": {"kind": "ddp"}, "cp": cp}}),
            "parallelism.dp.kind",
            json!("fsdp2"),
        ),
        (
            json!({"parallelism": {"cp": {"kind": "ulysses", "size": 2}}}),
            "parallelism.dp.kind",
            json!("deepspeed_zero"),
        ),
        (
            json!({"model": "phi-3-mini", "model_overrides": {}}),
            "parallelism.cp.size",
            json!(1),
        ),
        (
            json!({"model": "bert-base", "model_overrides": {}}),
            "parallelism.cp.size",
            json!(1),
        ),
        (json!({"attention": "eager"}), "attention", json!("sdpa")),
        (json!({"sdpa_backend": "math"}), "sdpa_backend", Value::Null),
        (json!({"padding_mask": true}), "padding_mask", json!(false)),
        (json!({"loss": "mean_logits"}), "loss", json!("labels")),
        (
            json!({"evaluation": {"kind": "loss"}}),
            "evaluation.kind",
            json!("none"),
        ),
        (
            json!({"framework": "torch-2.6/transformers-4.51"}),
            "framework",
            json!("torch-2.15/transformers-5.23"),
        ),
    ] {
        has(&ring(more), key, fix);
    }
    assert_eq!(errors(ring(json!({}))), []);
}

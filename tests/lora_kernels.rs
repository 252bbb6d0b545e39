//! Kernels of LoRA with every model of the catalog, and the modules that axolotl gives them to.

use highwater::ask::Scenario;
use highwater::families::catalog_models;
use highwater::report::estimate;
use highwater::resolve::resolve;
use serde_json::{Value, json};

/// A model of two layers with LoRA and the `kernels`; none where PEFT or the model refuses adapters.
fn scenario(model: &str, targets: &Value, kernels: &Value) -> Option<Scenario> {
    let asked = json!({
        "model": model, "model_overrides": {"num_hidden_layers": 2}, "precision": "amp_bf16", "seq_len": 1024,
        "micro_batch_size": 1, "lora": {"r": 8, "target_modules": targets, "kernels": kernels},
    });
    let scenario: Scenario = serde_json::from_value(asked).ok()?;
    let resolved = resolve(&scenario).spec.is_some();
    resolved.then_some(scenario)
}

fn needed(scenario: &Scenario) -> u64 {
    let report = estimate(scenario).expect("a report").report;
    report.device.run.peak_allocated.get()
}

#[test]
fn every_model_that_takes_adapters_takes_kernels_of_them() {
    let all = json!(["mlp", "qkv", "o"]);
    let mut estimated = 0;
    for model in catalog_models() {
        if let Some(scenario) = scenario(model.id, &json!(["all-linear"]), &all) {
            assert!(needed(&scenario) > 0, "{}", model.id);
            estimated += 1;
        }
    }
    assert!(estimated > 100, "{estimated}");
}

#[test]
fn a_kernel_runs_the_mlp_of_a_layer_and_no_expert() {
    let shared = json!([
        "shared_expert.gate_proj",
        "shared_expert.up_proj",
        "shared_expert.down_proj"
    ]);
    let of = |model, targets: &Value, kernels: &Value| {
        needed(&scenario(model, targets, kernels).expect(model))
    };
    let (none, mlp) = (json!([]), json!(["mlp"]));
    assert_eq!(
        of("qwen1.5-moe-a2.7b", &shared, &mlp),
        of("qwen1.5-moe-a2.7b", &shared, &none)
    );
    let own = json!(["gate_proj", "up_proj", "down_proj"]);
    assert!(of("llama-3.2-1b", &own, &mlp) < of("llama-3.2-1b", &own, &none));
}

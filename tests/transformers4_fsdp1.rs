//! FSDP1 as transformers 4 meets it, its re-entrant checkpoints around the wrapped layers: one rank of two,
//! measured with the unmodified CUDA build of torch 2.6.0, transformers 4.48.1 and peft 0.13.2 on a stubbed CUDA
//! runtime and a process group whose collectives return at once.

use highwater::ask::Scenario;
use highwater::report::estimate;
use serde_json::{Value, json};

/// The steady step of Llama 3.2 1B, full or with adapters, its wrapper set up so: `(forward, backward)` peaks of
/// allocated bytes, and the reserved bytes.
fn measured(lora: bool, settings: &Value) -> (u64, u64, u64) {
    let mut scenario = json!({
        "model": "llama-3.2-1b", "micro_batch_size": 2, "seq_len": 1024, "precision": "bf16",
        "attention": "sdpa", "activation_checkpointing": "full_reentrant",
        "framework": "torch-2.6/transformers-4.48",
        "optimizer": {"name": "adamw", "impl": "foreach"},
        "parallelism": {"dp": settings},
    });
    if lora {
        scenario["lora"] = json!({"r": 16, "target_modules": ["q_proj", "v_proj"]});
    }
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    let device = estimate(&scenario).expect("an estimate").report.device;
    let phases = &device.steady_step.phases;
    let of = |name: &str| {
        phases
            .iter()
            .find(|phase| phase.phase.name() == name)
            .expect(name)
    };
    let (forward, backward) = (of("forward"), of("backward"));
    (
        forward.peak_allocated.get(),
        backward.peak_allocated.get(),
        backward.peak_reserved.get(),
    )
}

#[test]
fn all_parameters_are_trained() {
    let found = measured(false, &json!({"kind": "fsdp1", "size": 2}));
    assert_eq!(found, (8_096_325_120, 7_570_972_160, 10_827_595_776));
}

#[test]
fn frozen_layers_are_given_back_and_their_inputs_stay() {
    let settings = json!({"kind": "fsdp1", "size": 2, "wrap_trainable_leaves": true});
    assert_eq!(
        measured(true, &settings),
        (5_627_579_904, 5_092_789_760, 6_295_650_304)
    );
}

#[test]
fn units_of_a_model_on_the_cpu_move_one_by_one() {
    let settings =
        json!({"kind": "fsdp1", "size": 2, "wrap_trainable_leaves": true, "built_on_cpu": true});
    assert_eq!(
        measured(true, &settings),
        (5_627_579_904, 5_092_789_760, 6_392_119_296)
    );
}

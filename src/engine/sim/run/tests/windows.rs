//! Windows of images that are attended one after another, a few for all, against all.

use super::difference;
use crate::ask::Scenario;
use crate::model::ResolvedSpec;
use crate::resolve::resolve;
use crate::sim::Trace;
use crate::sim::run::{Layers, accumulation, folded, steps_folded, unfolded};
use crate::tape::{Built, Tape};
use serde_json::json;

/// Qwen2.5-VL, or another model, over images of this size.
fn spec(model: &str, (images, size): (u64, &str), option: &str) -> ResolvedSpec {
    let mut scenario: serde_json::Value = serde_json::from_str(option).expect("JSON");
    scenario["model"] = model.into();
    scenario["micro_batch_size"] = 1.into();
    scenario["seq_len"] = 6500.into();
    scenario["image_size"] = size.into();
    scenario["images"] = images.into();
    scenario["model_overrides"] = json!({"num_hidden_layers": 2, "vision_config.depth": 8});
    scenario["hardware"] = json!({"gpus_per_node": 4});
    let scenario: Scenario = serde_json::from_value(scenario).expect("a scenario");
    let resolved = resolve(&scenario);
    resolved
        .spec
        .unwrap_or_else(|| panic!("{option} {:?}", resolved.findings))
}

const OPTIONS: [&str; 9] = [
    r#"{"precision": "bf16"}"#,
    r#"{"precision": "fp32", "attention": "eager"}"#,
    r#"{"precision": "amp_bf16", "activation_checkpointing": "full"}"#,
    r#"{"precision": "amp_fp16", "attention": "eager", "gradient_accumulation_steps": 2}"#,
    r#"{"precision": "bf16", "activation_checkpointing": "full_reentrant", "lora": {"r": 8},
        "parallelism": {"dp": {"kind": "deepspeed_zero", "stage": 3}}}"#,
    r#"{"precision": "bf16", "activation_checkpointing": "full", "attention": "eager",
        "parallelism": {"dp": {"kind": "fsdp2"}}}"#,
    r#"{"precision": "bf16", "parallelism": {"dp": {"kind": "ddp"}}}"#,
    r#"{"precision": "bf16", "offload": {"activations": true}}"#,
    r#"{"precision": "bf16", "lora": {"r": 8}, "quantization": {"type": "nf4"}, "evaluation": {"kind": "loss"}}"#,
];

#[test]
fn windows_that_are_attended_one_after_another_are_the_events_of_all() {
    // Up to nine windows and one; rows whose last window is cut short, and a last row that is; many images.
    let qwen = "qwen2.5-vl-3b-instruct";
    let images = [
        (qwen, 1, "112x112"),
        (qwen, 1, "336x336"),
        (qwen, 1, "672x560"),
        (qwen, 1, "700x588"),
        (qwen, 12, "308x252"),
        ("qwen2-vl-2b-instruct", 12, "112x112"),
        ("qwen3-vl-2b-instruct", 12, "128x128"),
    ];
    let mut different = Vec::new();
    for option in OPTIONS {
        for (model, images, size) in images {
            let spec = spec(model, (images, size), option);
            let times = accumulation(&spec);
            let mut compare = |found: Option<Trace>, whole: &Trace| {
                let found = found.map_or(Some("not folded".to_owned()), |found| {
                    difference(&found, whole)
                });
                if let Some(found) = found {
                    different.push(format!("{model} {images} x {size} {option}: {found}"));
                }
            };
            let whole = unfolded(&spec, times, Tape::with_details);
            compare(steps_folded(&spec, times, Tape::with_details), &whole);
            let fold = |layers| folded(&spec, times, Tape::with_details, layers);
            if let Some(whole) = fold(Layers::All) {
                compare(fold(Layers::FoldedWithin(Built::FEW)), &whole);
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n\n"));
}

#[test]
fn what_is_written_of_a_run_does_not_grow_with_windows() {
    for option in OPTIONS {
        let written = |size| {
            let spec = spec("qwen2.5-vl-3b-instruct", (1, size), option);
            let trace = super::simulate(&spec);
            [
                trace.record.written_events(),
                trace.record.written().count(),
            ]
        };
        assert_eq!(written("1120x1120"), written("2240x2240"), "{option}");
    }
}

//! A `config.json` means to us what it means to transformers.
//!
//! `fixtures/configs.jsonl` holds configs of the Llama family that leave fields out, set biases,
//! head sizes and windows, with what transformers 5.23 on torch 2.15 made of them
//! (`tests/oracle/run.sh cases.py`, fp32, sdpa, AdamW).

use highwater::ask::Severity;
use highwater::codec::decode_json;
use highwater::report::estimate;
use serde_json::Value;

fn cases() -> impl Iterator<Item = Value> {
    let lines = include_str!("fixtures/configs.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).expect("a line of configs.jsonl"))
}

#[test]
fn configs_are_read_as_transformers_reads_them() {
    for case in cases() {
        let (scenario, findings) = decode_json(&case["scenario"].to_string());
        assert!(findings.is_empty(), "{findings:#?}");
        let report = estimate(&scenario).expect("an answer").report;
        let expected = &case["expect"];
        let id = &case["id"];
        assert_eq!(
            report.model.num_parameters, expected["num_parameters"],
            "{id}"
        );
        let peak = &expected["steady_step"]["peak"];
        let estimated = report.device.steady_step.peak;
        assert_eq!(estimated.phase.name(), peak["phase"], "{id}");
        // A model that is said to be only close may differ; the rest is exact.
        let close = report
            .findings
            .iter()
            .any(|f| f.severity == Severity::Warning);
        let measured = peak["peak_tensor"].as_u64().expect("bytes");
        let off = estimated.peak_tensor.get().abs_diff(measured);
        let allowed = if close { measured / 20 } else { 0 };
        assert!(off <= allowed, "{id} is off by {off} of {measured} bytes");
    }
}

//! Active memory (`active_bytes.all.peak`) adds to the allocated the blocks that are freed while
//! another stream still uses them. `active.jsonl` holds runs whose active memory was recorded
//! beside the allocated (`tests/oracle`, one process for each), among them offloaded optimizers and
//! activations, evaluations and quantized bases. No report has a figure of its own for it.

use highwater::codec::decode_json;
use highwater::report::estimate;
use serde_json::Value;

#[test]
fn active_memory_is_the_allocated_memory() {
    let mut runs = 0;
    for line in include_str!("fixtures/active.jsonl").lines() {
        let case: Value = serde_json::from_str(line).expect("JSON");
        let (id, run) = (&case["id"], &case["expect"]["run"]);
        let active = run["peak_active"].as_u64().expect("a peak");
        assert_eq!(run["peak_allocated"].as_u64(), Some(active), "{id}");
        let (scenario, findings) = decode_json(&case["scenario"].to_string());
        assert!(findings.is_empty(), "{id}: {findings:?}");
        let report = estimate(&scenario).expect("a report").report;
        let found = report.device.run.peak_allocated.get();
        assert!(
            found.abs_diff(active) * 1000 <= active,
            "{id}: {found}, not {active}"
        );
        runs += 1;
    }
    assert!(runs >= 20);
}

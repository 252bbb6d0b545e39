//! Runs on streams are between two bounds: a device that does everything at once, and one that does nothing before the
//! host waits for it. Both are compared with measurements on either.

use highwater::codec::decode_json;
use highwater::report::{Lagging, bounds};
use highwater::units::Bytes;
use serde_json::Value;
use std::path::Path;

fn peaks(of: &Value) -> Lagging {
    let bytes = |key: &str| Bytes(of[key].as_u64().expect(key));
    Lagging {
        peak_allocated: bytes("peak_allocated"),
        peak_active: bytes("peak_active"),
        peak_reserved: bytes("peak_reserved"),
    }
}

/// The cases, each with its measurements.
fn cases() -> Vec<(Value, [Lagging; 2])> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/bounds.jsonl");
    let text = std::fs::read_to_string(file).expect("the fixture");
    let case = |line: &str| {
        let case: Value = serde_json::from_str(line).expect("a case");
        let measured = ["at_once", "awaited"].map(|key| peaks(&case["bounds"][key]));
        (case, measured)
    };
    text.lines().map(case).collect()
}

#[test]
fn both_bounds_are_what_was_measured() {
    let mut apart = 0;
    for (case, measured) in cases() {
        let (scenario, _) = decode_json(&case["scenario"].to_string());
        let found = bounds(&scenario).expect("an answer");
        apart += usize::from(measured[0].peak_active < measured[1].peak_active);
        assert_eq!(found[0], measured[0], "{}", case["scenario"]);
        if case["above"] == true {
            // Where the host waits more often than is known.
            let [found, measured] = [found[1], measured[1]];
            assert!(
                found.peak_active >= measured.peak_active,
                "{}",
                case["scenario"]
            );
            assert!(
                found.peak_reserved >= measured.peak_reserved,
                "{}",
                case["scenario"]
            );
        } else {
            assert_eq!(found[1], measured[1], "{}", case["scenario"]);
        }
    }
    assert!(apart > 20, "{apart}");
}

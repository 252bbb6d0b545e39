//! How long samples are: numbers that a distribution can have.

use crate::ask::{Finding, LengthShape, SEQ_LEN, SampleLengths, Scenario, message, outside};
use crate::lengths::nearest_shape;
use serde_json::json;

/// The scenario's key.
const KEY: &str = "dataset.lengths";

/// Checks the lengths that a scenario says.
pub(crate) fn check(scenario: &Scenario, findings: &mut Vec<Finding>) {
    let Some(lengths) = &scenario.dataset.lengths else {
        return;
    };
    let longest = lengths.longest();
    if !SEQ_LEN.contains(&longest) {
        let fix = outside(KEY, longest, &SEQ_LEN).message;
        findings.push(Finding::error(KEY, fix).with_fix(KEY, serde_json::Value::Null));
        return;
    }
    if let SampleLengths::Shape(shape) = lengths {
        let nearest = nearest_shape(shape);
        if nearest != *shape {
            let LengthShape { mean, p95, longest } = nearest;
            let why = message!(lengths::no_such_shape, mean, high = p95, longest);
            let fix = json!({"mean": mean, "p95": p95, "longest": longest});
            findings.push(Finding::error(KEY, why).with_fix(KEY, fix));
            return;
        }
    }
    if longest < scenario.seq_len {
        let seq_len = scenario.seq_len;
        let why = message!(lengths::none_so_long, longest, seq_len);
        findings.push(Finding::notice("seq_len", why).with_fix("seq_len", longest));
    }
}

//! What people paste: failures, tables and snapshots, against what stands in them.

use highwater::inputs::{Input, read};
use serde_json::{Map, Value};

/// Texts of public threads with their facts.
const PUBLIC: &str = include_str!("fixtures/inputs/public_errors.jsonl");
/// Texts written after the formats of sources, which are named with their versions, with facts and causes.
const WRITTEN: &str = include_str!("fixtures/inputs/written_errors.jsonl");

fn cases(lines: &str) -> Vec<Value> {
    let lines = lines.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What is read of a text, as it is written.
fn facts(text: &str) -> Result<(String, Map<String, Value>), &'static str> {
    match read(text) {
        Input::Failure(failure) => {
            let facts = serde_json::to_value(&failure.facts).expect("facts are JSON");
            let Value::Object(facts) = facts else {
                panic!("facts are an object");
            };
            Ok((failure.kind.name().to_owned(), facts))
        }
        Input::Foreign(owner) => Err(owner),
        Input::Unknown => Err("nobody"),
    }
}

#[test]
fn every_text_is_read_to_the_byte() {
    let mut wrong = Vec::new();
    for case in cases(PUBLIC).into_iter().chain(cases(WRITTEN)) {
        let (text, source) = (case["text"].as_str().expect("text"), &case["source"]);
        let expected = case["facts"].as_object().expect("facts");
        if expected.contains_key("refuse") {
            if let Ok(read) = facts(text) {
                wrong.push(format!("{source}: {read:?} is not refused"));
            }
            continue;
        }
        let read = match facts(text) {
            // A message without its class is worded alike in 1.10 and in 2.0.
            Ok((kind, _)) if kind != case["kind"] && kind != "cuda-1.1x" => {
                wrong.push(format!("{source}: {kind} for {}", case["kind"]));
                continue;
            }
            Ok((_, read)) => read,
            Err(owner) => {
                wrong.push(format!("{source}: {} is of {owner}", case["kind"]));
                continue;
            }
        };
        for (key, value) in expected.iter().filter(|(key, _)| *key != "unit_note") {
            let own = read.get(key).unwrap_or(&Value::Null);
            if own != value {
                wrong.push(format!("{source}: {key} {own} for {value}"));
            }
        }
        let more = read.keys().filter(|key| !expected.contains_key(*key));
        for key in more.filter(|key| !key.starts_with("derived_")) {
            wrong.push(format!("{source}: {key} {} is too much", read[key]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_failure_was_is_decided_by_its_numbers() {
    for case in cases(WRITTEN) {
        let Input::Failure(failure) = read(case["text"].as_str().expect("text")) else {
            continue;
        };
        let source = &case["source"];
        if let Some(cause) = case["cause"].as_str() {
            assert_eq!(failure.cause.name(), cause, "{source}");
        }
        let failures = case["failures"].as_u64().unwrap_or(1);
        assert_eq!(failure.failures as u64, failures, "{source}");
        assert_eq!(failure.rank, case["rank"].as_u64(), "{source}");
    }
}

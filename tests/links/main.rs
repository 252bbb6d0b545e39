//! Links that were published must mean for ever what they meant.
//!
//! `published.jsonl` holds one link per line with the scenario it had when it was written down,
//! with every key that there was then. Append lines, never change or remove one: a key that is
//! renamed or a default that changes breaks links that stand in papers and messages.

use highwater::ask::{OptimizerName, SCENARIO_VERSION, Scenario};
use highwater::codec::{Link, decode_json, decode_query};
use serde_json::Value;

fn published() -> impl Iterator<Item = Value> {
    let lines = include_str!("published.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).expect("a line of published.jsonl"))
}

/// Lists the differences of `actual` from `expected`; keys that `expected` lacks are newer than the link.
fn differences(path: &str, expected: &Value, actual: &Value, found: &mut Vec<String>) {
    if let (Value::Object(expected), Value::Object(actual)) = (expected, actual) {
        for (key, value) in expected {
            let there = actual.get(key).unwrap_or(&Value::Null);
            differences(&format!("{path}.{key}"), value, there, found);
        }
    } else if expected != actual {
        found.push(format!("{path} was {expected} and is {actual}"));
    }
}

fn tree(scenario: &Scenario) -> Value {
    let mut tree = serde_json::to_value(scenario).expect("a scenario");
    // Without a value there is no padding in training, which is what every link was about.
    if tree["padding_mask"].is_null() {
        tree["padding_mask"] = false.into();
    }
    // Without a task a model has its own, which is what causal_lm stood for.
    if tree["task"].is_null() {
        tree["task"] = "causal_lm".into();
    }
    tree
}

#[test]
fn published_links_mean_what_they_meant() {
    for line in published() {
        let link = line["link"].as_str().expect("a link");
        let Link {
            scenario,
            view,
            findings,
        } = decode_query(link);
        let mut found = Vec::new();
        differences("scenario", &line["scenario"], &tree(&scenario), &mut found);
        let against = view.against.map(|other| tree(&other)).unwrap_or_default();
        differences("against", &line["against"], &against, &mut found);
        assert!(found.is_empty(), "{link}: {}", found.join("; "));
        let noticed: Vec<_> = findings
            .iter()
            .map(|finding| finding.key.as_str())
            .collect();
        assert_eq!(line["findings"], serde_json::json!(noticed), "{link}");
    }
}

#[test]
fn published_links_say_how_they_are_shown() {
    for line in published() {
        let Link { view, .. } = decode_query(line["link"].as_str().expect("a link"));
        let theme = view.theme.map(highwater::codec::Theme::name);
        let lang = view.lang.map(highwater::codec::Language::name);
        let actual = serde_json::json!({"embed": view.embed, "theme": theme, "lang": lang});
        assert_eq!(line["view"], actual, "{}", line["link"]);
    }
}

/// The defaults of each version of links, the first version first.
const DEFAULTS: &[&str] = &[include_str!("defaults-1.json")];

/// All present defaults of links of a version: every key, and the implementation of each optimizer.
fn defaults(version: usize) -> Value {
    let of = |query: &str| decode_query(&format!("v={version}{query}")).scenario;
    let mut scenario = serde_json::to_value(of("")).expect("a scenario");
    // It is written with the present version.
    scenario["v"] = version.into();
    let implementation = |name: &OptimizerName| {
        let optimizer = of(&format!("&opt={}", name.name())).optimizer;
        (
            name.name().to_owned(),
            optimizer.implementation.name().into(),
        )
    };
    let all = OptimizerName::ALL.iter().map(implementation);
    let implementations: serde_json::Map<String, Value> = all.collect();
    serde_json::json!({"scenario": scenario, "implementations": implementations})
}

/// A key that is new gets a line in the last file: `HIGHWATER_DEFAULTS=write cargo test --test links` writes that anew,
/// and a change of it may add lines only.
#[test]
fn a_version_of_links_keeps_its_defaults() {
    let last = DEFAULTS.len();
    if std::env::var("HIGHWATER_DEFAULTS").is_ok_and(|what| what == "write") {
        let name = format!("tests/links/defaults-{last}.json");
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let text = serde_json::to_string_pretty(&defaults(last)).expect("JSON");
        std::fs::write(file, text + "\n").expect("a file");
    }
    assert_eq!(last, usize::try_from(SCENARIO_VERSION).expect("a number"));
    for (at, text) in DEFAULTS.iter().enumerate() {
        let version = at + 1;
        let written: Value = serde_json::from_str(text).expect("JSON");
        let (now, mut found) = (defaults(version), Vec::new());
        differences("", &written, &now, &mut found);
        let changed = found.join("; ");
        assert!(
            found.is_empty(),
            "{changed}. Raise SCENARIO_VERSION, say in codec::versions what it was until version {version}, and \
             write tests/links/defaults-{}.json",
            version + 1
        );
        if version == last {
            assert_eq!(
                written, now,
                "a new key is missing in defaults-{version}.json"
            );
        }
    }
}

/// The build has the program estimate these scenarios to see what runs for which links.
#[test]
fn watched_scenarios_are_those_of_their_links() {
    for line in include_str!("watched.jsonl").lines() {
        let line: Value = serde_json::from_str(line).expect("a line of watched.jsonl");
        let link = line["link"].as_str().expect("a link");
        let (scenario, _) = decode_json(&line["scenario"].to_string());
        assert_eq!(decode_query(link).scenario, scenario, "{link}");
    }
}

#[test]
fn published_links_are_answered() {
    for line in published() {
        let link = line["link"].as_str().expect("a link");
        let Ok(estimate) = highwater::report::estimate(&decode_query(link).scenario) else {
            continue;
        };
        for (category, bytes) in estimate.report.device.binding().composition.parts() {
            assert!(
                bytes < highwater::units::Bytes::gib(1 << 20),
                "{link}: {category:?}"
            );
        }
    }
}

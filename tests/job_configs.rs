//! Configurations of training jobs: read as they were meant, written so that they are read again as the same job.

use highwater::ask::Scenario;
use highwater::codec::{config_of, decode_json, encode_json, hidden_size, published, values};
use highwater::inputs::configs::{
    self, Exported, FORMATS, File, Import, Matters, Target, Unread, export, import, spellings,
};
use serde_json::{Value, json};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/inputs/configs");
/// Files of jobs with what they say.
const JOBS: &str = include_str!("fixtures/inputs/configs/jobs.jsonl");
/// Keys of public configurations, those that at least every fiftieth file of its format has.
const KEYS: &str = include_str!("fixtures/inputs/configs/keys.jsonl");

fn lines(text: &str) -> impl Iterator<Item = Value> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).expect("JSON"))
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(format!("{FOLDER}/{name}")).expect(name)
}

fn known_as(name: &str) -> Option<&'static str> {
    let mut names = spellings(name).into_iter();
    names.find_map(|name| published(&name)).map(|(id, _)| id)
}

fn size_of(model: &Value) -> Option<u64> {
    match model.as_str().and_then(known_as) {
        Some(id) => hidden_size(&id.into()),
        None => hidden_size(model),
    }
}

fn read(files: &[(&str, &str)]) -> Result<Import, (String, Unread)> {
    let files: Vec<File> = files
        .iter()
        .map(|&(name, text)| File { name, text })
        .collect();
    import(&files, &size_of)
}

/// A scenario whose model is called by its name in the catalog.
fn scenario(read: &Value) -> Scenario {
    let mut read = read.clone();
    if let Some(id) = read["model"].as_str().and_then(known_as) {
        read["model"] = id.into();
    }
    let (scenario, findings) = decode_json(&read.to_string());
    assert!(findings.is_empty(), "{findings:?} of {read}");
    scenario
}

fn complete(read: &Value) -> Value {
    values(&scenario(read))
}

fn short(scenario: &Scenario) -> Value {
    serde_json::from_str(&encode_json(scenario)).expect("JSON")
}

#[test]
fn every_job_is_read_as_it_was_meant() {
    for job in lines(JOBS) {
        let names: Vec<&str> = job["files"]
            .as_array()
            .expect("files")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let texts: Vec<String> = names.iter().map(|name| fixture(name)).collect();
        let files: Vec<(&str, &str)> = names
            .iter()
            .copied()
            .zip(texts.iter().map(String::as_str))
            .collect();
        let read = read(&files).expect("a job");
        assert_eq!(json!(read.kinds.join("+")), job["kind"], "{names:?}");
        assert_eq!(
            short(&scenario(&read.scenario)),
            job["scenario"],
            "{names:?}"
        );
        let told = |matters: fn(&Matters) -> bool| {
            let told = read.ignored.iter().filter(|own| matters(&own.matters));
            json!(told.map(|own| own.key.as_str()).collect::<Vec<_>>())
        };
        assert_eq!(
            told(|own| matches!(own, Matters::Yes(_) | Matters::Value)),
            job["lacking"],
            "{names:?}"
        );
        assert_eq!(told(|own| *own == Matters::Maybe), json!([]), "{names:?}");
    }
}

#[test]
fn of_every_format_all_usual_keys_are_known() {
    let mut unknown = Vec::new();
    for line in lines(KEYS) {
        let name = line["format"].as_str().expect("a format");
        let format = configs::format(name).expect(name);
        let keys = line["keys"].as_array().expect("keys");
        let mut table = std::collections::BTreeMap::<&str, usize>::new();
        for key in keys.iter().filter_map(Value::as_str) {
            match format.knows(key) {
                Some(how) => *table.entry(how).or_default() += 1,
                None => unknown.push(format!("{name}: {key}")),
            }
        }
        println!("{name}: {} keys, {table:?}", keys.len());
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

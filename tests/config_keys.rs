//! Keys of public example files, counted, against their import: everything that is usual is modelled, without
//! effect on memory, or refused with a reason.

use highwater::codec::Known;
use highwater::configs::{self, File, Import, Matters, Unread, import};
use highwater::text::{Language, lack_sentence};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// For each format, from public example files of autumn 2026: how many files there were, in how many of them a key
/// that matters for memory is (none where that was not counted), which names and flags it has, and the usual keys
/// beside. Those that fewer than 2 % of the files have are left out.
const KEYS: &str = include_str!("fixtures/inputs/configs/keys.jsonl");

fn formats() -> impl Iterator<Item = Value> {
    let lines = KEYS.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).expect("JSON"))
}

fn matter(format: &Value) -> &Map<String, Value> {
    format["matter"].as_object().expect("keys that matter")
}

/// A tree with a value at a dotted key.
fn put(tree: &mut Value, key: &str, value: Value) {
    let mut node = tree;
    for part in key.split('.') {
        if !node.is_object() {
            *node = Value::Object(Map::new());
        }
        node = &mut node[part];
    }
    *node = value;
}

/// A value as a file has it: `True`, `None`, a number or a name.
fn value(word: &str) -> Value {
    match word {
        "True" => true.into(),
        "False" => false.into(),
        "None" => Value::Null,
        word => serde_json::from_str(word).unwrap_or_else(|_| word.into()),
    }
}

/// Keys that identify a format, beside the keys that are tested.
const TELLING: &[(&str, &str)] = &[
    (
        "axolotl",
        r#"{"base_model": "gpt2", "sequence_len": 512, "datasets": [], "num_epochs": 1}"#,
    ),
    (
        "llama-factory",
        r#"{"model_name_or_path": "gpt2", "cutoff_len": 512, "template": "x", "finetuning_type": "full"}"#,
    ),
    (
        "deepspeed",
        r#"{"zero_optimization": {"stage": 2}, "train_batch_size": "auto"}"#,
    ),
    (
        "accelerate",
        r#"{"compute_environment": "LOCAL_MACHINE", "machine_rank": 0, "num_processes": 2}"#,
    ),
    (
        "torchtune",
        r#"{"model": {"_component_": "torchtune.models.llama3_1.llama3_1_8b"}, "tokenizer": {"_component_": "x"}, "checkpointer": {"_component_": "x"}}"#,
    ),
    (
        "trl",
        r#"{"model_name_or_path": "gpt2", "dataset_name": "x", "max_length": 512}"#,
    ),
    (
        "torchtitan",
        r#"{"model": {"name": "llama3", "flavor": "8B"}, "training": {"seq_len": 512, "steps": 1}, "metrics": {"log_freq": 1}}"#,
    ),
];

fn read(format: &str, key: &str, word: &str) -> Import {
    let telling = TELLING.iter().find(|(name, _)| *name == format);
    let (_, telling) = telling.expect("what tells the format");
    let mut tree: Value = serde_json::from_str(telling).expect("JSON");
    put(&mut tree, key, value(word));
    let text = tree.to_string();
    let file = File {
        name: "file",
        text: &text,
    };
    let read = import(&[file], &serde_json::Map::new(), &Known).expect("a configuration");
    assert!(
        read.kinds.contains(&format),
        "{format}: {key} {word} is {:?}",
        read.kinds
    );
    read
}

/// The outcome of a key with a value.
fn outcome(format: &str, key: &str, word: &str) -> Option<&'static str> {
    let read = read(format, key, word);
    let same = |own: &String| own == key;
    if let Some(ignored) = read.ignored.iter().find(|ignored| same(&ignored.key)) {
        return match ignored.matters {
            Matters::No => Some("without effect"),
            Matters::Yes(lack) => {
                let said = [Language::English, Language::Chinese]
                    .map(|language| lack_sentence(lack, language));
                assert!(said.iter().all(|reason| !reason.is_empty()));
                Some("refused")
            }
            Matters::Maybe | Matters::Value | Matters::Computed => None,
        };
    }
    let understood = read.understood.iter().any(|own| same(&own.key));
    understood.then_some("modelled")
}

/// For each format, the number of keys that are modelled, without effect and refused, and the files that have the keys
/// that matter.
#[test]
fn of_every_format_all_that_matters_and_is_usual_is_modelled_without_effect_or_refused() {
    let mut unknown = Vec::new();
    for line in formats() {
        let name = line["format"].as_str().expect("a format");
        let files = line["files"].as_u64().expect("files");
        let mut table = BTreeMap::<&str, (usize, u64)>::new();
        for (key, count) in matter(&line) {
            let how = if line["read"] == false {
                "refused"
            } else {
                let format = configs::format(name).expect(name);
                format.knows(key).unwrap_or("unknown")
            };
            if how == "unknown" {
                unknown.push(format!("{name}: {key}"));
            }
            let row = table.entry(how).or_default();
            *row = (row.0 + 1, row.1 + count.as_u64().unwrap_or_default());
        }
        let count = |how: &str| table.get(how).copied().unwrap_or_default();
        let all: u64 = table.values().map(|(_, files)| files).sum();
        let share = |how: &str| count(how).1 * 100 / all.max(1);
        println!(
            "{name:<14} {files:>4} files {:>4} keys: {:>3} modelled ({}% of uses), {:>2} without effect ({}%), {:>2} refused ({}%), {} unknown",
            matter(&line).len(),
            count("modelled").0,
            share("modelled"),
            count("without effect").0,
            share("without effect"),
            count("refused").0,
            share("refused"),
            count("unknown").0,
        );
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn of_every_name_that_is_usual_is_known_what_becomes() {
    let mut unknown = Vec::new();
    for line in formats() {
        let name = line["format"].as_str().expect("a format");
        let Some(keys) = line["values"].as_object() else {
            continue;
        };
        let mut table = BTreeMap::<&str, (usize, u64)>::new();
        let mut refused = Vec::new();
        for (key, values) in keys {
            for (word, count) in values.as_object().expect("values") {
                let how = outcome(name, key, word).unwrap_or("unknown");
                let count = count.as_u64().expect("files");
                match how {
                    "unknown" => unknown.push(format!("{name}: {key} {word}")),
                    "refused" => refused.push(format!("{key}: {word} ({count})")),
                    _ => {}
                }
                let row = table.entry(how).or_default();
                *row = (row.0 + 1, row.1 + count);
            }
        }
        println!("{name}: {table:?}\n    refused: {}", refused.join(", "));
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn of_every_format_all_usual_keys_are_known() {
    let mut unknown = Vec::new();
    for line in formats() {
        let name = line["format"].as_str().expect("a format");
        let others = line["others"].as_array().into_iter().flatten();
        for key in others.filter_map(Value::as_str) {
            let format = configs::format(name).expect(name);
            if format.knows(key).is_none() {
                unknown.push(format!("{name}: {key}"));
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

/// Configurations with the model's sizes inside, of frameworks that are not read.
#[test]
fn formats_that_are_not_read_are_refused_by_their_names() {
    for line in formats().filter(|line| line["read"] == false) {
        let mut tree = Value::Object(Map::new());
        for key in matter(&line).keys() {
            put(&mut tree, key, 1.into());
        }
        put(&mut tree, "trainer.accelerator", "gpu".into());
        let named = line["format"] == "NeMo";
        if !named {
            tree.as_object_mut().expect("a tree").remove("trainer");
        }
        let text = tree.to_string();
        let file = File {
            name: "file",
            text: &text,
        };
        let (_, why) = import(&[file], &serde_json::Map::new(), &Known)
            .expect_err("a framework that is not read");
        assert!(
            matches!(why, Unread::Other { framework, .. } if line["format"] == framework),
            "{}: {why:?}",
            line["format"]
        );
    }
}

//! Nothing is lost when the house is rebuilt: every report keeps its bytes.
//!
//! `tests/fixtures/digests.txt` has a line for each file of fixtures and one for the catalog: how many
//! reports there are, and a digest of all of them as the command line writes them, errors and findings in
//! both languages included. A change that is meant to change reports writes the file anew with
//! `HIGHWATER_DIGESTS=write cargo test --test digest` and says in its commit what changed and why.

use highwater::ask::Severity;
use highwater::codec::decode_json;
use highwater::families;
use highwater::report::estimate;
use highwater::text::{WrittenReport, written};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;

/// The scenarios of every model of the catalog, beside its default.
const ASKED: [&str; 12] = [
    r"{}",
    r#"{"lora": {"r": 8, "target_modules": ["all-linear"]}}"#,
    r#"{"lora": {"r": 8, "target_modules": ["nothing_like_this"]}}"#,
    r#"{"frozen": ["embed"]}"#,
    r#"{"task": "sequence_classification"}"#,
    r#"{"framework": "torch-2.6/transformers-4.51"}"#,
    r#"{"framework": "torch-2.6/transformers-4.48"}"#,
    r#"{"attention": "eager", "padding_mask": true}"#,
    r#"{"attention": "flash_attention_2", "precision": "bf16"}"#,
    r#"{"liger_kernel": ["rms_norm", "swiglu"]}"#,
    r#"{"evaluation": {"kind": "generate", "max_new_tokens": 3}}"#,
    r#"{"quantization": {"type": "nf4"}, "lora": {"r": 4, "target_modules": ["all-linear"]}}"#,
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The answer to a scenario as the command line writes it.
fn answer(scenario: &str) -> String {
    let (decoded, findings) = decode_json(scenario);
    let refused = findings.iter().any(|f| f.severity == Severity::Error);
    let answer = if refused {
        serde_json::to_string(&written(&findings))
    } else {
        match estimate(&decoded) {
            Ok(mut estimate) => {
                estimate.report.findings.extend(findings);
                serde_json::to_string(&WrittenReport::from(&estimate.report))
            }
            Err(findings) => serde_json::to_string(&written(&findings)),
        }
    };
    answer.expect("a report is JSON")
}

/// FNV-1a of 64 bits.
fn digest(bytes: impl Iterator<Item = u8>) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    bytes.fold(BASIS, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    })
}

/// The scenarios of each file of fixtures, and of the catalog.
fn scenarios() -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::new();
    let files = std::fs::read_dir(fixtures()).expect("the fixtures");
    for path in files.map(|entry| entry.expect("an entry").path()) {
        if path.extension().is_none_or(|ending| ending != "jsonl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a file of fixtures");
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let asked = lines.filter_map(|mut line| line.get_mut("scenario").map(Value::take));
        let asked: Vec<String> = asked
            .filter(Value::is_object)
            .map(|s| s.to_string())
            .collect();
        if !asked.is_empty() {
            let name = path.file_name().expect("a name").to_string_lossy();
            all.insert(name.into_owned(), asked);
        }
    }
    let mut ids: Vec<_> = families::catalog_models().map(|model| model.id).collect();
    ids.sort_unstable();
    let of_catalog = ids.into_iter().flat_map(|id| {
        ASKED.iter().map(move |asked| {
            let mut asked: Value = serde_json::from_str(asked).expect("an object");
            asked["model"] = json!(id);
            asked["micro_batch_size"] = json!(2);
            asked["seq_len"] = json!(64);
            asked.to_string()
        })
    });
    all.insert("the catalog".to_owned(), of_catalog.collect());
    all
}

/// A line of the file: the name, how many reports there are, and their digest.
fn lines() -> Vec<String> {
    let all: Vec<(String, Vec<String>)> = scenarios().into_iter().collect();
    let jobs: Vec<(usize, &String)> = all
        .iter()
        .enumerate()
        .flat_map(|(file, (_, scenarios))| scenarios.iter().map(move |scenario| (file, scenario)))
        .collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    // Dealt out one by one, since neighbours are alike.
    let answers = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|worker| {
                let own = jobs.iter().enumerate().skip(worker).step_by(threads);
                scope.spawn(move || {
                    own.map(|(place, (_, scenario))| (place, answer(scenario)))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        let mut answers = vec![String::new(); jobs.len()];
        for worker in workers {
            for (place, answer) in worker.join().expect("no estimate panics") {
                answers[place] = answer;
            }
        }
        answers
    });
    let mut answers = answers.into_iter();
    let line = |(name, scenarios): (String, Vec<String>)| {
        let count = scenarios.len();
        let bytes = answers
            .by_ref()
            .take(count)
            .flat_map(|answer| (answer + "\n").into_bytes());
        format!("{name}: {count} reports, {:016x}", digest(bytes))
    };
    all.into_iter().map(line).collect()
}

#[test]
fn every_report_keeps_its_bytes() {
    let path = fixtures().join("digests.txt");
    let now = lines();
    if std::env::var_os("HIGHWATER_DIGESTS").is_some_and(|asked| asked == "write") {
        std::fs::write(&path, now.join("\n") + "\n").expect("the file is written");
        return;
    }
    let before = std::fs::read_to_string(&path).expect("digests.txt");
    let before: Vec<&str> = before.lines().collect();
    let changed: Vec<&String> = now
        .iter()
        .filter(|line| !before.contains(&line.as_str()))
        .collect();
    assert!(
        changed.is_empty(),
        "reports that are not what they were: {changed:#?}"
    );
    assert_eq!(now.len(), before.len(), "files of fixtures");
}

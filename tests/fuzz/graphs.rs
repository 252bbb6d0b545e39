//! Exported graphs with mutations: their archives byte by byte, their programs value by value. Whatever can be read is
//! estimated with settings that are drawn, too.

use crate::{Found, Numbers, fuzz_with, report};
use highwater::ask::{
    ActivationCheckpointing, DataParallelKind, ExportedModel, Lora, ModelRef, Precision, Scenario,
};
use highwater::codec::hand_graph;
use highwater::exported::{Graph, read};
use serde_json::{Value, json};
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::sync::Arc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Mutated graphs of a usual run.
const USUAL: usize = 400;

/// The program's entry of an archive.
const PROGRAM: &str = "model/models/model.json";

/// Graphs that are small enough to be estimated in milliseconds.
const GRAPHS: [&str; 9] = [
    "own.mlp.pt2",
    "own.gpt.pt2",
    "own.lstm.pt2",
    "own.vae.pt2",
    "own.cnnmnist.pt2",
    "own.moe.pt2",
    "own.graph.pt2",
    "timm.resnet18.pt2",
    "pyg.gat.pt2",
];

/// An archive with its program as data.
struct Seed {
    archive: Vec<u8>,
    program: Value,
}

fn seeds() -> Vec<Seed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/exported");
    let seed = |name: &&str| {
        let archive = std::fs::read(folder.join(name)).expect("a fixture");
        let mut entries = ZipArchive::new(Cursor::new(&archive)).expect("an archive");
        let mut text = String::new();
        let mut entry = entries.by_name(PROGRAM).expect("a program");
        entry.read_to_string(&mut text).expect("text");
        drop(entry);
        let program = serde_json::from_str(&text).expect("JSON");
        Seed { archive, program }
    };
    GRAPHS.iter().map(seed).collect()
}

/// The places of all values within a value.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                let at = format!("{at}/{name}");
                places(value, &at, all);
                all.push(at);
            }
        }
        Value::Array(items) => {
            for (place, value) in items.iter().enumerate() {
                let at = format!("{at}/{place}");
                places(value, &at, all);
                all.push(at);
            }
        }
        _ => {}
    }
}

/// Another value in the place of `value`.
fn other(value: &Value, whole: &Value, all: &[String], numbers: &mut Numbers) -> Value {
    const WHOLE: [i64; 9] = [0, 1, -1, 2, 3, 255, 1 << 31, i64::MAX, i64::MIN];
    match (value, numbers.below(5)) {
        (Value::Number(_), 0..=3) => WHOLE[numbers.below(WHOLE.len())].into(),
        (Value::String(_), 0) => "s0 * s1 + Max(s0, 1)".into(),
        (Value::Bool(own), 0..=3) => (!own).into(),
        (Value::Array(items), 0) if !items.is_empty() => {
            let mut items = items.clone();
            let (a, b) = (numbers.below(items.len()), numbers.below(items.len()));
            items.swap(a, b);
            items.into()
        }
        (Value::Array(items), 1) if !items.is_empty() => {
            let mut items = items.clone();
            let again = items[numbers.below(items.len())].clone();
            items.insert(numbers.below(items.len()), again);
            items.into()
        }
        (_, 4) => Value::Null,
        // Whatever is elsewhere in the program.
        _ => {
            let from = &all[numbers.below(all.len())];
            whole.pointer(from).cloned().unwrap_or(Value::Null)
        }
    }
}

/// The archive of a program.
fn archive(program: &Value) -> Vec<u8> {
    let mut written = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, text) in [
        ("model/archive_format", "pt2".to_owned()),
        ("model/archive_version", "0".to_owned()),
        (PROGRAM, program.to_string()),
    ] {
        written.start_file(name, stored).expect("an entry");
        written.write_all(text.as_bytes()).expect("text");
    }
    written.finish().expect("an archive").into_inner()
}

fn mutated(seeds: &[Seed], numbers: &mut Numbers) -> Vec<u8> {
    let seed = &seeds[numbers.below(seeds.len())];
    if numbers.below(8) == 0 {
        let mut bytes = seed.archive.clone();
        for _ in 0..=numbers.below(6) {
            let at = numbers.below(bytes.len());
            match numbers.below(3) {
                0 => bytes[at] = u8::try_from(numbers.below(256)).expect("a byte"),
                1 => bytes.truncate(at),
                _ => {
                    let part = numbers.part(&bytes);
                    bytes.drain(part);
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        return bytes;
    }
    let mut program = seed.program.clone();
    let mut all = Vec::new();
    places(&program, "", &mut all);
    for _ in 0..=numbers.below(4) {
        let at = &all[numbers.below(all.len())];
        let Some(value) = program.pointer(at) else {
            continue;
        };
        let value = other(value, &program, &all, numbers);
        if let Some(place) = program.pointer_mut(at) {
            *place = value;
        }
    }
    archive(&program)
}

/// A scenario of a graph with settings that are drawn.
fn scenario(graph: Graph, numbers: &mut Numbers) -> Scenario {
    let model = ExportedModel {
        exported: "mutated.pt2".to_owned(),
        digest: None,
        graph: None,
    };
    let mut scenario = Scenario {
        model: ModelRef::Exported(model),
        micro_batch_size: [1, 2, 3, 64][numbers.below(4)],
        precision: [Precision::Fp32, Precision::Bf16, Precision::AmpBf16][numbers.below(3)],
        ..Scenario::default()
    };
    if numbers.below(3) == 0 {
        scenario.activation_checkpointing = [
            ActivationCheckpointing::Full,
            ActivationCheckpointing::FullReentrant,
        ][numbers.below(2)];
    }
    if numbers.below(4) == 0 {
        scenario.lora = Some(Lora {
            target_modules: vec!["all-linear".to_owned()],
            ..Lora::default()
        });
    }
    if numbers.below(4) == 0 {
        scenario.parallelism.dp.kind =
            [DataParallelKind::Fsdp1, DataParallelKind::Fsdp2][numbers.below(2)];
        scenario.hardware.gpus_per_node = 2;
    }
    if numbers.below(4) == 0 {
        scenario.symbols.insert("s0".to_owned(), json!(-1));
    }
    hand_graph(&mut scenario, Arc::new(graph));
    scenario
}

/// Reads an archive, and estimates the graph in it.
fn estimate(bytes: &[u8], numbers: &mut Numbers) {
    if let Ok(graph) = read(Cursor::new(bytes)) {
        let scenario = scenario(graph, numbers);
        let _ = highwater::report::estimate(&scenario);
    }
}

fn fuzz(count: usize, threads: usize) -> Found {
    let seeds = seeds();
    fuzz_with(count, threads, &|place| {
        let mut numbers = Numbers::of(place);
        let bytes = mutated(&seeds, &mut numbers);
        estimate(&bytes, &mut numbers);
    })
}

fn check(count: usize, threads: usize) {
    let begun = std::time::Instant::now();
    let found = fuzz(count, threads);
    let seeds = seeds();
    report(count, begun.elapsed(), &found, &|place| {
        mutated(&seeds, &mut Numbers::of(place))
    });
}

#[test]
fn whatever_graph_is_dropped_is_estimated_or_refused_soon() {
    check(USUAL, 1);
}

#[test]
#[ignore = "takes minutes: cargo xtask fuzz COUNT"]
fn so_is_whatever_graph_is_dropped_thousands_of_times() {
    check(crate::asked(2_000_000) / 4, crate::threads());
}

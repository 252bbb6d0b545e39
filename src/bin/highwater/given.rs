//! Scenarios as the command line gives them: a file's text, or a graph's archive in its place, with settings that
//! count more.

use crate::configs::Setting;
use crate::{lines, text};
use highwater::ask::Finding;
use highwater::codec::{parse_json, unreadable_graph};
use highwater::exported::{Graph, read};
use highwater::families::unknown_operations;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

/// The text of a file's scenarios, or of standard input's, with the settings in each.
///
/// # Errors
/// A sentence about the error in the file or a setting.
pub fn scenarios(file: Option<&PathBuf>, set: &[Setting]) -> Result<String, String> {
    let text = match file.filter(|file| is_archive(file)) {
        Some(file) => json!({"model": {"exported": file.display().to_string()}}).to_string(),
        None => text(file)?,
    };
    if set.is_empty() {
        return Ok(text);
    }
    let values: Vec<(&str, Value)> = set.iter().map(value).collect::<Result<_, _>>()?;
    let each = lines::scenarios(&text).into_iter().map(|scenario| {
        // A text that is no JSON is told of where it is read.
        let Ok(Value::Object(mut scenario)) = parse_json(scenario) else {
            return scenario.to_owned();
        };
        for (path, value) in &values {
            put(&mut scenario, path, value.clone());
        }
        Value::Object(scenario).to_string()
    });
    Ok(each.collect::<Vec<_>>().join("\n"))
}

/// The key and the value of a setting.
fn value(setting: &Setting) -> Result<(&str, Value), String> {
    let Setting { key: path, value } = setting;
    if path.starts_with("symbols.") {
        let number: Result<u64, _> = value.parse();
        let number = number.map_err(|_| format!("--set {path}: {value} is no whole number."))?;
        return Ok((path, number.into()));
    }
    Ok((path, setting.read()?))
}

/// Puts a value at a dotted path; a symbol's name may have dots of its own.
fn put(map: &mut Map<String, Value>, path: &str, value: Value) {
    let Some((first, rest)) = path.split_once('.') else {
        map.insert(path.to_owned(), value);
        return;
    };
    let node = map.entry(first).or_insert_with(|| json!({}));
    if !node.is_object() {
        *node = json!({});
    }
    if let Value::Object(inner) = node {
        if first == "symbols" {
            inner.insert(rest.to_owned(), value);
        } else {
            put(inner, rest, value);
        }
    }
}

/// Whether a file is an archive, by its name or its first bytes.
pub fn is_archive(file: &PathBuf) -> bool {
    if file.extension().is_some_and(|last| last == "pt2") {
        return true;
    }
    let mut head = [0; 2];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && &head == b"PK"
}

/// Facts of a graph in an archive.
///
/// # Errors
/// A finding that says why it is none.
pub fn graph_facts(file: &PathBuf) -> Result<Value, Finding> {
    let name = file.display().to_string();
    let opened = File::open(file);
    let opened = opened.map_err(|why| highwater::exported::Unreadable::Damaged(why.to_string()));
    let graph = opened
        .and_then(read)
        .map_err(|why| unreadable_graph(&name, &why))?;
    Ok(facts(&graph))
}

fn facts(graph: &Graph) -> Value {
    let symbols = graph.symbols.iter().map(|symbol| {
        let [low, high] = symbol.range;
        let facts = json!({"example": symbol.hint, "min": low, "max": high});
        (symbol.name.clone(), facts)
    });
    let inputs = graph.user_inputs().map(|(name, meta)| {
        let sizes: Vec<Value> = meta.sizes.iter().map(|size| graph.written(size)).collect();
        json!({"name": name, "shape": sizes})
    });
    let unknown: Vec<Value> = unknown_operations(graph)
        .into_iter()
        .map(|gap| json!({"operation": gap.operation, "module": gap.module, "source": gap.source}))
        .collect();
    let operations: std::collections::BTreeSet<&str> = graph
        .nodes()
        .iter()
        .map(|node| node.target.as_str())
        .collect();
    json!({
        "digest": graph.digest,
        "torch": graph.torch,
        "nodes": graph.nodes().len(),
        "operations": operations.len(),
        "unknown": unknown,
        "parameters": graph.parameters(),
        "modules": graph.modules.len(),
        "inputs": inputs.collect::<Vec<_>>(),
        "symbols": symbols.collect::<Map<_, _>>(),
    })
}

//! Trees of keys as JSON, YAML, TOML and options of a command line.

use super::format::{Format, Syntax};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// A format's text, to be pasted.
pub(super) fn text(format: &Format, map: &Map<String, Value>, comment: &[String]) -> String {
    let mut text = String::new();
    if format.syntax.has_comments() {
        for line in comment {
            _ = writeln!(text, "# {line}");
        }
    }
    let map = spelled(format, map);
    match format.syntax {
        Syntax::Json => {
            let pretty = serde_json::to_string_pretty(&Value::Object(map));
            text.push_str(&pretty.unwrap_or_default());
            text.push('\n');
        }
        Syntax::Yaml => yaml(&map, 0, &mut text),
        Syntax::Toml => toml(&map, "", &mut text),
        Syntax::Arguments => arguments(format, &map, &mut text),
    }
    text
}

/// FSDP's options as a format has them.
fn spelled(format: &Format, map: &Map<String, Value>) -> Map<String, Value> {
    let mut map = map.clone();
    let Some(Value::Object(options)) = map.remove("fsdp_config") else {
        return map;
    };
    let rename = |key: &str| {
        let plain = key.strip_prefix("fsdp_").unwrap_or(key);
        match (format.name, plain) {
            ("accelerate", _) => format!("fsdp_{plain}"),
            ("training-arguments" | "trl" | "llama-factory", "offload_params") => {
                "cpu_offload".to_owned()
            }
            ("axolotl", "sharding_strategy") => key.to_owned(),
            _ => plain.to_owned(),
        }
    };
    let options = options
        .into_iter()
        .map(|(key, value)| (rename(&key), value));
    map.insert("fsdp_config".to_owned(), Value::Object(options.collect()));
    map
}

fn yaml(map: &Map<String, Value>, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    for (key, value) in map {
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                _ = writeln!(text, "{indent}{key}:");
                yaml(inner, depth + 1, text);
            }
            value => _ = writeln!(text, "{indent}{key}: {}", scalar(value)),
        }
    }
}

/// A value as YAML has it: plain where that reads as the same text, else as JSON.
fn scalar(value: &Value) -> String {
    let Value::String(word) = value else {
        return value.to_string();
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let words = [
        "true", "false", "yes", "no", "on", "off", "null", "none", "y", "n",
    ];
    let is_plain = word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(plain)
        && !words.contains(&word.to_ascii_lowercase().as_str());
    if is_plain {
        word.clone()
    } else {
        value.to_string()
    }
}

fn toml(map: &Map<String, Value>, above: &str, text: &mut String) {
    for (key, value) in map
        .iter()
        .filter(|(_, value)| !value.is_object() && !value.is_null())
    {
        _ = writeln!(text, "{key} = {value}");
    }
    for (key, value) in map {
        if let Value::Object(inner) = value {
            let path = format!("{above}{key}");
            if inner.values().any(|value| !value.is_object()) {
                _ = writeln!(text, "\n[{path}]");
            }
            toml(inner, &format!("{path}."), text);
        }
    }
}

/// Options, one a line; Megatron's have dashes and flags without a value.
fn arguments(format: &Format, map: &Map<String, Value>, text: &mut String) {
    let bare = format.name == "megatron";
    let mut lines = Vec::new();
    for (key, value) in map {
        let key = if bare {
            key.replace('_', "-")
        } else {
            key.clone()
        };
        match value {
            Value::Bool(false) if bare => {}
            Value::Bool(true) if bare => lines.push(format!("--{key}")),
            Value::Bool(flag) => {
                lines.push(format!("--{key} {}", if *flag { "True" } else { "False" }));
            }
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(quoted).collect();
                lines.push(format!("--{key} {}", items.join(" ")));
            }
            value => lines.push(format!("--{key} {}", quoted(value))),
        }
    }
    text.push_str(&lines.join(" \\\n"));
    text.push('\n');
}

fn quoted(value: &Value) -> String {
    let word = match value {
        Value::String(word) => word.clone(),
        value => value.to_string(),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Variables of the environment that a scenario asks for.
pub fn environment(values: &Value) -> Vec<(&'static str, String)> {
    let allocator = &values["allocator"];
    let mut options = Vec::new();
    if allocator["expandable_segments"] == true {
        options.push("expandable_segments:True".to_owned());
    }
    for key in [
        "max_split_size_mb",
        "roundup_power2_divisions",
        "garbage_collection_threshold",
    ] {
        match &allocator[key] {
            Value::Null => {}
            Value::String(word) => options.push(format!("{key}:{word}")),
            value => options.push(format!("{key}:{value}")),
        }
    }
    let mut variables = Vec::new();
    if !options.is_empty() {
        variables.push(("PYTORCH_CUDA_ALLOC_CONF", options.join(",")));
    }
    if values["dataset"]["arrow_pool"] == "system" {
        variables.push(("ARROW_DEFAULT_MEMORY_POOL", "system".to_owned()));
    }
    variables
}

/// Nodes, and GPUs of each.
fn gpus(values: &Value) -> [u64; 2] {
    ["nodes", "gpus_per_node"].map(|key| values["hardware"][key].as_u64().unwrap_or(1))
}

/// The lines that set the environment and start a job with `torchrun`.
pub(super) fn launcher(values: &Value, comment: &[String]) -> String {
    let mut text = variables(values, comment);
    let [nodes, each] = gpus(values);
    _ = writeln!(
        text,
        "torchrun --nnodes {nodes} --nproc_per_node {each} train.py"
    );
    text
}

/// The variables alone, to be sourced.
pub fn variables(values: &Value, comment: &[String]) -> String {
    let mut text = String::new();
    for line in comment {
        _ = writeln!(text, "# {line}");
    }
    for (name, value) in environment(values) {
        _ = writeln!(text, "export {name}={}", quoted(&value.into()));
    }
    text
}

/// A batch script for Slurm.
pub fn slurm(values: &Value, comment: &[String]) -> String {
    let [nodes, each] = gpus(values);
    let mut text = "#!/bin/bash\n".to_owned();
    for line in comment {
        _ = writeln!(text, "# {line}");
    }
    _ = writeln!(
        text,
        "#SBATCH --nodes={nodes}\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node={each}"
    );
    if let Some(ram) = values["hardware"]["host_ram"].as_u64() {
        _ = writeln!(text, "#SBATCH --mem={}M", ram >> 20);
    }
    for (name, value) in environment(values) {
        _ = writeln!(text, "export {name}={}", quoted(&value.into()));
    }
    _ = writeln!(
        text,
        "srun torchrun --nnodes {nodes} --nproc_per_node {each} --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:29500 train.py"
    );
    text
}

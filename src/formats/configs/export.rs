//! A scenario written in a format. What several keys say together is found by trying: of the ways to say it, that
//! one is written which, read again, gives the scenario; and what none gives is reported.

use super::format::{Format, Phrases};
use super::registry::format;
use super::row::{As, Does};
use super::target::{Target, at, put};
use super::{write, written};
use serde_json::{Map, Value};

/// The written text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The text, to be pasted.
    pub text: String,
    /// Settings of the scenario that the format does not say.
    pub unsaid: Vec<String>,
}

/// The settings that each format beside a trainer's writes.
const BESIDE: &[(&str, &[&str])] = &[
    ("peft", &["lora."]),
    (
        "accelerate",
        &["parallelism.", "hardware.gpus_per_node", "hardware.nodes"],
    ),
    ("deepspeed", &["parallelism.dp."]),
    (
        "launcher",
        &["hardware.gpus_per_node", "hardware.nodes", "allocator."],
    ),
];

/// Settings that are written even where the framework's own value is the same: what people look for first.
const ALWAYS: &[&str] = &["micro_batch_size", "seq_len", "gradient_accumulation_steps"];

/// Writes a scenario.
pub fn export(format: &'static Format, target: &Target) -> Exported {
    if format.name == "launcher" {
        let text = write::launcher(target.values, target.comment);
        return Exported {
            text,
            unsaid: Vec::new(),
        };
    }
    let mut draft = Draft {
        format,
        target,
        map: written::start(format, target),
    };
    draft.divide();
    draft.rows();
    for phrases in format.phrases.iter().copied().flatten() {
        draft.choose(phrases);
    }
    draft.rows();
    draft.rows();
    let unsaid = draft.unsaid();
    let text = write::text(format, &draft.map, target.comment);
    Exported { text, unsaid }
}

struct Draft<'a> {
    format: &'static Format,
    target: &'a Target<'a>,
    map: Map<String, Value>,
}

impl Draft<'_> {
    /// All values of the scenario that a tree of keys gives when it is read, on the target's GPUs.
    fn read(&self, map: &Map<String, Value>) -> Value {
        (self.target.complete)(&self.scenario(map))
    }

    /// The scenario that a tree of keys gives.
    fn scenario(&self, map: &Map<String, Value>) -> Value {
        let mut seed = Map::new();
        let hardware = &self.target.values["hardware"];
        seed.insert("hardware".to_owned(), hardware.clone());
        if self.is_beside() {
            for key in ["model", "seq_len"] {
                seed.insert(key.to_owned(), self.target.values[key].clone());
            }
        }
        super::read_keys(self.format, map, &seed, self.target.models).scenario
    }

    fn is_beside(&self) -> bool {
        BESIDE.iter().any(|(name, _)| *name == self.format.name)
    }

    /// DeepSpeed's configuration within a trainer's.
    fn divide(&mut self) {
        let zero = at(self.target.values, "parallelism.dp.kind") == "deepspeed_zero";
        let within = ["training-arguments", "trl", "llama-factory", "axolotl"];
        if !zero || !within.contains(&self.format.name) {
            return;
        }
        for key in [
            "bf16.enabled",
            "fp16.enabled",
            "train_micro_batch_size_per_gpu",
            "gradient_accumulation_steps",
        ] {
            put(&mut self.map, &format!("deepspeed.{key}"), "auto".into());
        }
        let stage = at(self.target.values, "parallelism.dp.stage").clone();
        put(&mut self.map, "deepspeed.zero_optimization.stage", stage);
    }

    /// Writes the settings that single keys set, where they are not as they should be.
    fn rows(&mut self) {
        let read = self.read(&self.map);
        let mut done: Vec<&str> = Vec::new();
        let own = self
            .format
            .rows
            .iter()
            .copied()
            .flatten()
            .map(|row| ("", row));
        let zero = self.map.contains_key("deepspeed");
        let deepspeed = format("deepspeed").filter(|_| zero);
        let within = deepspeed
            .into_iter()
            .flat_map(|deepspeed| deepspeed.rows.iter().copied().flatten());
        let within = within.filter(|(key, _)| key.starts_with("zero_optimization."));
        let rows: Vec<_> = own.chain(within.map(|row| ("deepspeed.", row))).collect();
        for (above, (key, does)) in rows {
            let (Does::Sets(path, conversion) | Does::Reads(path, conversion)) = does else {
                continue;
            };
            if key.contains('*') || *path == "model" || done.contains(path) {
                continue;
            }
            done.push(path);
            let wanted = at(self.target.values, path);
            let there = !ALWAYS.contains(path) || has(&self.map, key);
            let said = same(at(&read, path), wanted) && there;
            // A missing number is zero.
            let none = matches!(conversion, As::Real).then(|| Value::from(0.0));
            let wanted = if wanted.is_null() {
                none.as_ref()
            } else {
                Some(wanted)
            };
            let Some(wanted) = wanted.filter(|_| !said) else {
                continue;
            };
            if let Some(value) = conversion.write(wanted) {
                let flag = matches!(conversion, As::Positive) && *path == "clip_grad_norm";
                let value = if flag && value == 1.0 {
                    1.0.into()
                } else {
                    value
                };
                put(&mut self.map, &format!("{above}{key}"), value);
            }
        }
    }

    /// Writes that way to say something which gives most of what it is about; where none does better than to say
    /// nothing, nothing is said.
    fn choose(&mut self, phrases: &Phrases) {
        let right = |map: &Map<String, Value>| {
            let read = self.read(map);
            let about = phrases.about.iter();
            about
                .filter(|path| same(at(&read, path), at(self.target.values, path)))
                .count()
        };
        let mut best: Option<(usize, Map<String, Value>)> = None;
        for way in phrases.ways {
            let mut map = self.map.clone();
            if let Ok(Value::Object(way)) = serde_json::from_str(way) {
                for (key, value) in &way {
                    lay(&mut map, key, value);
                }
            }
            let score = right(&map);
            let better = match &best {
                None => true,
                Some((most, _)) => score > *most || score == *most && map == self.map,
            };
            if better {
                best = Some((score, map));
            }
            if score == phrases.about.len() {
                break;
            }
        }
        if let Some((_, map)) = best {
            self.map = map;
        }
    }

    /// Settings that differ from the scenario's when the written configuration is read again.
    fn unsaid(&self) -> Vec<String> {
        let read = (self.target.estimated)(&self.scenario(&self.map));
        let mut unsaid = Vec::new();
        differences("", self.target.values, &read, &mut unsaid);
        let beside = BESIDE.iter().find(|(name, _)| *name == self.format.name);
        if let Some((_, about)) = beside {
            unsaid.retain(|path| about.iter().any(|start| path.starts_with(start)));
            return unsaid;
        }
        let usual = (self.target.complete)(&Value::Object(Map::new()));
        differences(
            "hardware.",
            &self.target.values["hardware"],
            &usual["hardware"],
            &mut unsaid,
        );
        unsaid
    }
}

/// Whether a dotted key is in a tree.
fn has(map: &Map<String, Value>, key: &str) -> bool {
    match key.split_once('.') {
        None => map.contains_key(key),
        Some((first, rest)) => {
            let inner = map.get(first).and_then(Value::as_object);
            inner.is_some_and(|inner| has(inner, rest))
        }
    }
}

/// Whether two values say the same.
fn same(a: &Value, b: &Value) -> bool {
    let numbers = a.as_f64().zip(b.as_f64());
    a == b || numbers.is_some_and(|(a, b)| (a - b).abs() < f64::EPSILON)
}

/// The paths where two trees differ.
fn differences(above: &str, wanted: &Value, read: &Value, found: &mut Vec<String>) {
    match (wanted, read) {
        (Value::Object(wanted), Value::Object(read)) if !above.starts_with("model.") => {
            let more = read.keys().filter(|key| !wanted.contains_key(*key));
            for key in wanted.keys().chain(more) {
                let path = format!("{above}{key}");
                let (a, b) = (wanted.get(key), read.get(key));
                let (a, b) = (a.unwrap_or(&Value::Null), b.unwrap_or(&Value::Null));
                if a.is_object() && b.is_object() {
                    differences(&format!("{path}."), a, b, found);
                } else if !same(a, b) && !found.contains(&path) {
                    found.push(path);
                }
            }
        }
        (wanted, read) if !same(wanted, read) => found.push(above.trim_end_matches('.').to_owned()),
        _ => {}
    }
}

/// Merges a value into the map: objects key by key.
fn lay(map: &mut Map<String, Value>, key: &str, value: &Value) {
    match (map.get_mut(key), value) {
        (Some(Value::Object(own)), Value::Object(inner)) => {
            for (key, value) in inner {
                lay(own, key, value);
            }
        }
        _ => _ = map.insert(key.to_owned(), value.clone()),
    }
}

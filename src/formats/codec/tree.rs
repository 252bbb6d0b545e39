//! A scenario as a tree of JSON values, addressed by dotted paths.

use super::keys::{KEYS, Kind};
use super::number::{NumberError, parse_bytes, parse_count, parse_tokens};
use super::versions::{FORMER, former_defaults};
use crate::ask::{
    Finding, Fix, Lora, OptimizerImpl, OptimizerName, SCENARIO_VERSION, Scenario, Severity,
    closest, message,
};
use crate::resolve::resolve;
use serde_json::{Map, Value};

/// Findings that are kept of one text.
const MOST_FINDINGS: usize = 50;

/// A scenario's tree.
pub(super) fn to_tree(scenario: &Scenario) -> Value {
    serde_json::to_value(scenario).unwrap_or_default()
}

/// The scenario of a tree whose leaves were all accepted by their kinds.
pub(super) fn from_tree(tree: Value) -> Scenario {
    serde_json::from_value(tree).unwrap_or_default()
}

/// The value at a dotted path; null when there is none.
pub(super) fn at<'a>(tree: &'a Value, path: &str) -> &'a Value {
    path.split('.')
        .fold(tree, |node, part| node.get(part).unwrap_or(&Value::Null))
}

/// Writes `value` at a dotted path, making objects on the way; null removes the value there.
pub(super) fn put(tree: &mut Value, path: &str, value: Value) {
    match path.split_once('.') {
        Some((first, rest)) => {
            if !tree.get(first).is_some_and(Value::is_object) {
                insert(tree, first, Value::Object(Map::new()));
            }
            if let Some(node) = tree.get_mut(first) {
                put(node, rest, value);
            }
        }
        None => insert(tree, path, value),
    }
}

fn insert(tree: &mut Value, key: &str, value: Value) {
    if let Value::Object(map) = tree {
        if value.is_null() {
            map.remove(key);
        } else {
            map.insert(key.to_owned(), value);
        }
    }
}

/// The keys that differ from what they are when nobody says anything, with their values, in the
/// table's order. Null says that a key has no value where the default has one.
pub(super) fn differing(scenario: &Scenario) -> Vec<(&'static super::Key, Value)> {
    let (tree, usual) = (to_tree(scenario), to_tree(&Scenario::default()));
    KEYS.iter()
        .filter(|key| !is_usual(&tree, &usual, key.path))
        .map(|key| (key, at(&tree, key.path).clone()))
        .collect()
}

/// Whether a tree has at a path what it has when nobody says anything; `usual` is the default's.
pub(super) fn is_usual(tree: &Value, usual: &Value, path: &str) -> bool {
    let value = at(tree, path);
    if path == "optimizer.impl" {
        let name = at(tree, "optimizer.name").as_str();
        let name = name.and_then(OptimizerName::from_name);
        return name.is_some_and(|name| value.as_str() == Some(usual_implementation(name).name()));
    }
    value == at(usual, path)
}

/// The implementation that an optimizer has when none is named.
fn usual_implementation(name: OptimizerName) -> OptimizerImpl {
    name.implementations()[0]
}

/// A scenario under construction, starting from the defaults.
pub(super) struct Builder {
    tree: Value,
    implementation_given: bool,
    quantization_given: bool,
    severity: Severity,
    findings: Vec<Finding>,
}

impl Builder {
    /// All defaults. A value that cannot be read is reported with this severity.
    pub(super) fn new(severity: Severity) -> Self {
        Self {
            tree: to_tree(&Scenario::default()),
            implementation_given: false,
            quantization_given: false,
            severity,
            findings: Vec::new(),
        }
    }

    /// Adds a finding, unless there are already more than anybody reads.
    pub(super) fn push(&mut self, make: impl FnOnce() -> Finding) {
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(make());
        }
    }

    /// Sets a leaf, or reports that its kind does not hold the value.
    pub(super) fn set(&mut self, path: &'static str, kind: Kind, value: &Value) {
        match kind.accept(value) {
            Some(value) => {
                self.implementation_given |= path == "optimizer.impl";
                self.quantization_given |= path == "quantization.type";
                put(&mut self.tree, path, value);
            }
            None => self.refuse(path, kind, &shortened(&value.to_string())),
        }
    }

    /// Leaves a key without a value, as null in JSON does. Only optional ones can be.
    pub(super) fn clear(&mut self, path: &str) {
        if at(&to_tree(&Scenario::default()), path).is_null() {
            put(&mut self.tree, path, Value::Null);
        }
    }

    /// Asks for adapters with all their defaults, unless they were asked for.
    pub(super) fn start_lora(&mut self) {
        if self.tree.get("lora").is_none() {
            put(
                &mut self.tree,
                "lora",
                serde_json::to_value(Lora::default()).unwrap_or_default(),
            );
        }
    }

    /// Asks for `ZeroRedundancyOptimizer` as it is by default, unless it was asked for.
    pub(super) fn start_zero_redundancy_optimizer(&mut self) {
        const VIEW: &str = "parallelism.dp.zero_redundancy_optimizer.parameters_as_bucket_view";
        if at(&self.tree, VIEW).is_null() {
            put(&mut self.tree, VIEW, false.into());
        }
    }

    /// Sets the format version, which `resolve` checks, before anything else is set: an earlier one has its own
    /// defaults, and what it means is the same in the present one.
    pub(super) fn set_version(&mut self, version: &Value) {
        match version
            .as_u64()
            .and_then(|version| u32::try_from(version).ok())
        {
            Some(version) if (1..SCENARIO_VERSION).contains(&version) => {
                for (path, value) in former_defaults(version, FORMER) {
                    put(&mut self.tree, path, value);
                }
            }
            Some(version) => put(&mut self.tree, "v", version.into()),
            None => self.refuse("v", Kind::Count, &shortened(&version.to_string())),
        }
    }

    /// Reports a value that cannot be read; the default stays.
    pub(super) fn refuse(&mut self, path: &str, kind: Kind, shown: &str) {
        if self.findings.len() >= MOST_FINDINGS {
            return;
        }
        let default = if path == "v" {
            SCENARIO_VERSION.into()
        } else {
            at(&to_tree(&Scenario::default()), path).clone()
        };
        let counts = matches!(kind, Kind::Count | Kind::Tokens | Kind::Bytes);
        let least = if counts { least(path) } else { 0 };
        let expected = kind.expected(least);
        let error = self.severity == Severity::Error;
        let kept = (!error).then(|| message!(codec::default_used));
        let mut finding = Finding::error(
            path,
            message!(codec::unreadable, path, shown, expected, kept),
        );
        finding.severity = self.severity;
        let repair = nearest(kind, shown.trim_matches('"'), least);
        self.findings
            .push(finding.with_fix(path, repair.unwrap_or(default)));
    }

    /// The tree, to be settled, and whether nothing says how weights are quantized.
    pub(super) fn unsettled(&mut self) -> (&mut Value, bool) {
        (&mut self.tree, !self.quantization_given)
    }

    /// The scenario and the findings.
    pub(super) fn finish(mut self) -> (Scenario, Vec<Finding>) {
        if !self.implementation_given
            && let Some(name) = at(&self.tree, "optimizer.name")
                .as_str()
                .and_then(OptimizerName::from_name)
        {
            put(
                &mut self.tree,
                "optimizer.impl",
                usual_implementation(name).name().into(),
            );
        }
        (from_tree(self.tree), self.findings)
    }
}

/// The least count there can be at a key: nothing at all where that makes sense.
fn least(path: &str) -> u64 {
    let none = Fix {
        key: path.to_owned(),
        value: 0.into(),
    };
    let makes_sense = |scenario: &Scenario| {
        let findings = resolve(scenario).findings;
        findings.iter().all(|finding| finding.key != path)
    };
    let scenario = none.apply(&Scenario::default());
    u64::from(!scenario.is_some_and(|scenario| makes_sense(&scenario)))
}

/// The value of a kind that a text is nearest to, when it is near one; of numbers `least` at least.
fn nearest(kind: Kind, text: &str, least: u64) -> Option<Value> {
    let number = match kind {
        Kind::Name(all) => return closest(text, all()).map(Value::from),
        Kind::Count => parse_count(text),
        Kind::Tokens => parse_tokens(text),
        Kind::Bytes => parse_bytes(text),
        _ => return None,
    };
    match number {
        Ok(number) => Some(number.into()),
        Err(NumberError::Negative) => Some(least.into()),
        Err(_) => None,
    }
}

/// A text cut to what a message can hold.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whether a value has one of the forms of a model.
fn is_graph(map: &Map<String, Value>) -> bool {
    map.iter().all(|(key, value)| match key.as_str() {
        "exported" | "digest" => value.is_string(),
        _ => false,
    })
}

pub(super) fn is_model(value: &Value) -> bool {
    let Value::Object(map) = value else {
        return value.is_string();
    };
    if map.contains_key("exported") {
        return is_graph(map);
    }
    let Some((form, content)) = map.iter().next().filter(|_| map.len() == 1) else {
        return false;
    };
    match form.as_str() {
        "hf_config" => content.is_object(),
        "num_parameters" => content.is_u64(),
        "linear" => content.as_object().is_some_and(|linear| {
            ["in_features", "out_features"]
                .iter()
                .all(|side| linear.get(*side).is_some_and(Value::is_u64))
                && linear.iter().all(|(key, value)| match key.as_str() {
                    "in_features" | "out_features" => true,
                    "bias" => value.is_boolean(),
                    _ => false,
                })
        }),
        _ => false,
    }
}

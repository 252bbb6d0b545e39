//! The keys of files.

use super::value;
use serde_json::{Map, Value};

/// One key with its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// The key as it is written, with those it is within: `fsdp_config.fsdp_version`, `--bf16`.
    pub key: String,
    /// Its name in tables.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// The keys of files of one format, in order; of two that say the same key the later one counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub entries: Vec<Entry>,
    /// Keys whose values a script computes, each with its text.
    pub computed: Vec<Entry>,
}

/// Keys that are read of one job.
const MOST: usize = 10_000;

impl Said {
    /// The leaves of a tree. Lists are leaves, and objects without anything in them.
    pub(super) fn tree(map: &Map<String, Value>) -> Self {
        let mut said = Self::default();
        said.level(map, "");
        said
    }

    fn level(&mut self, map: &Map<String, Value>, above: &str) {
        for (key, value) in map {
            let key = format!("{above}{key}");
            match value {
                Value::Object(inner) if !inner.is_empty() => self.level(inner, &format!("{key}.")),
                value => self.add(&key, value.clone()),
            }
        }
    }

    /// Adds a key.
    pub(super) fn add(&mut self, key: &str, value: Value) {
        self.add_as(key, key, value);
    }

    /// Adds a key that is written otherwise than tables have it.
    pub(super) fn add_as(&mut self, key: &str, name: &str, value: Value) {
        if self.entries.len() < MOST {
            self.entries.push(entry(key, name, value));
        }
    }

    /// Adds a key whose value is computed, with its text.
    pub(super) fn compute(&mut self, key: &str, name: &str, text: Value) {
        if self.computed.len() < MOST {
            self.computed.push(entry(key, name, text));
        }
    }

    /// Adds what another file says, which counts more.
    pub(super) fn extend(&mut self, other: Self) {
        let left = MOST.saturating_sub(self.entries.len());
        self.entries.extend(other.entries.into_iter().take(left));
        let left = MOST.saturating_sub(self.computed.len());
        self.computed.extend(other.computed.into_iter().take(left));
    }

    /// Whether nothing is said.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.computed.is_empty()
    }

    /// The value of a key that is not null.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        let mut entries = self.entries.iter().rev();
        let found = entries.find(|entry| entry.name == name);
        found
            .map(|entry| &entry.value)
            .filter(|value| !value.is_null())
    }

    /// The first of some keys that is there.
    pub(super) fn first(&self, names: &[&str]) -> Option<&Value> {
        names.iter().find_map(|name| self.get(name))
    }

    /// Yes or no.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        value::flag(self.get(name)?)
    }

    /// Whether a key says yes.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.flag(name) == Some(true)
    }

    /// A whole number.
    pub(super) fn count(&self, name: &str) -> Option<u64> {
        value::count(self.get(name)?)
    }

    /// A text in lower case.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        Some(value::text(self.get(name)?)?.to_ascii_lowercase())
    }

    /// Texts.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        self.get(name).map(value::list).unwrap_or_default()
    }

    /// Whether a key is there, whatever it says.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == name)
    }

    /// Whether some key begins so.
    pub(super) fn has_within(&self, above: &str) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.name.starts_with(above))
    }

    /// Takes a key out.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.entries.iter().rposition(|entry| entry.name == name)?;
        Some(self.entries.remove(at).value)
    }

    /// Takes out the entries whose keys begin with `above`, and removes that prefix.
    pub(super) fn take_within(&mut self, above: &str) -> Self {
        let (mut taken, mut kept) = (Self::default(), Vec::new());
        for entry in std::mem::take(&mut self.entries) {
            match entry.name.strip_prefix(above) {
                Some(rest) => taken.add_as(rest, rest, entry.value),
                None => kept.push(entry),
            }
        }
        self.entries = kept;
        taken
    }
}

fn entry(key: &str, of_tables: &str, value: Value) -> Entry {
    let (key, name) = (key.to_owned(), name(of_tables));
    Entry { key, name, value }
}

/// A key as tables have it: underscores, no dashes before, and of FSDP's options one spelling.
fn name(key: &str) -> String {
    let name = key.trim_start_matches('-').replace('-', "_");
    let rest = name.strip_prefix("fsdp_config.").unwrap_or(&name);
    let is_option = rest.len() < name.len() || OPTIONS.contains(&rest);
    if !is_option {
        return name;
    }
    let option = rest.strip_prefix("fsdp_").unwrap_or(rest);
    let option = match option {
        "cpu_offload" => "offload_params",
        option => option,
    };
    format!("fsdp_config.{option}")
}

/// Names of FSDP's options by `accelerate launch` and axolotl outside of `fsdp_config`.
const OPTIONS: &[&str] = &[
    "fsdp_version",
    "fsdp_offload_params",
    "fsdp_reshard_after_forward",
    "fsdp_sharding_strategy",
    "fsdp_auto_wrap_policy",
    "fsdp_transformer_layer_cls_to_wrap",
    "fsdp_min_num_params",
    "fsdp_backward_prefetch",
    "fsdp_forward_prefetch",
    "fsdp_state_dict_type",
    "fsdp_use_orig_params",
    "fsdp_cpu_ram_efficient_loading",
    "fsdp_sync_module_states",
    "fsdp_activation_checkpointing",
];

//! The formats: what each one's keys are, and how it is told from the others.

use super::job::{Job, Matters};
use super::row::{Does, Row};
use super::said::Said;
use super::value;

/// A format.
pub struct Format {
    /// Its stable name in output.
    pub name: &'static str,
    /// Its own keys, and those of the formats that it builds on.
    pub(super) rows: &'static [&'static [Row]],
    /// Keys without effect on memory; one that ends in a star matches all keys with that prefix.
    pub(super) without_memory: &'static [&'static [&'static str]],
    /// Keys that no other format has.
    pub(super) telling: &'static [&'static str],
    /// Reads keys that decide together.
    pub(super) finish: fn(&Said, &mut Job),
    /// How it is written.
    pub(super) syntax: Syntax,
    /// Keys for what several decide together, of which that is written which says the scenario.
    pub(super) phrases: &'static [&'static [Phrases]],
}

/// Ways to say something, each as a JSON object; the first one says it as it is without any key.
pub(super) struct Phrases {
    /// The settings that are said.
    pub about: &'static [&'static str],
    /// The ways.
    pub ways: &'static [&'static str],
}

/// How a format is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// JSON.
    Json,
    /// YAML, which has comments.
    Yaml,
    /// TOML.
    Toml,
    /// Options of a command line.
    Arguments,
}

impl Syntax {
    /// Whether comments can stand in it.
    pub(super) const fn has_comments(self) -> bool {
        !matches!(self, Self::Json)
    }
}

impl Format {
    /// Its keys that set this setting of a scenario, alone or with others.
    pub fn keys_of(&self, setting: &str) -> impl Iterator<Item = &'static str> {
        let rows = self.rows.iter().copied().flatten();
        rows.filter_map(move |(key, does)| {
            let sets = match does {
                Does::Sets(path, _) | Does::Reads(path, _) => *path == setting,
                Does::Decides(paths) => paths.split(' ').any(|path| path == setting),
                Does::Lacks(_) | Does::File => false,
            };
            sets.then_some(*key)
        })
    }

    /// Follows a table: sets what single keys set, and tells the others apart.
    pub(super) fn follow(&self, said: &Said, job: &mut Job) {
        for entry in &said.entries {
            match self.row(&entry.name) {
                Some(Does::Sets(path, read)) => match read.read(&entry.value) {
                    Some(own) => {
                        job.set(path, own);
                        job.understand(entry, path);
                    }
                    None if value::is_off(&entry.value) => job.understand(entry, path),
                    None => job.ignore(entry, Matters::Value),
                },
                Some(Does::Decides(path) | Does::Reads(path, _)) => job.understand(entry, path),
                Some(Does::Lacks(lack)) => {
                    let off = value::is_off(&entry.value);
                    job.ignore(entry, if off { Matters::No } else { Matters::Yes(lack) });
                }
                Some(Does::File) => job.name_file(entry),
                None if self.is_without_memory(&entry.name) => job.ignore(entry, Matters::No),
                None => job.ignore(entry, Matters::Maybe),
            }
        }
        for entry in &said.computed {
            let idle = self.row(&entry.name).is_none() && self.is_without_memory(&entry.name);
            job.ignore(entry, if idle { Matters::No } else { Matters::Computed });
        }
    }

    /// The row of a key, where the format knows it.
    pub(super) fn row(&self, name: &str) -> Option<Does> {
        let rows = || self.rows.iter().copied().flatten();
        let exact = rows().find(|(key, _)| *key == name);
        let plain = || {
            self.without_memory
                .iter()
                .copied()
                .flatten()
                .any(|key| *key == name)
        };
        let found = exact.or_else(|| rows().find(|(key, _)| is_called(name, key) && !plain()));
        found.map(|(_, does)| *does)
    }

    /// Whether a key has no effect on memory.
    pub(super) fn is_without_memory(&self, name: &str) -> bool {
        let mut keys = self.without_memory.iter().copied().flatten();
        keys.any(|key| is_called(name, key))
    }

    /// How many of the keys are its alone.
    pub(super) fn told_by(&self, said: &Said) -> usize {
        let telling = self.telling.iter();
        telling
            .filter(|key| match key.strip_suffix('*') {
                Some(start) => said.has_within(start),
                None => said.has(key),
            })
            .count()
    }

    /// How a key is classified: what it sets, that it matters not, that it is lacking, or nothing.
    pub fn knows(&self, key: &str) -> Option<&'static str> {
        let mut said = Said::default();
        said.add(key, serde_json::Value::Null);
        let name = &said.entries.first()?.name;
        match self.row(name) {
            Some(Does::Sets(..) | Does::Decides(_) | Does::Reads(..) | Does::File) => {
                Some("modelled")
            }
            Some(Does::Lacks(_)) => Some("refused"),
            None if self.is_without_memory(name) => Some("without effect"),
            None => None,
        }
    }
}

/// Whether a key has a table's name; with a star behind, begins so.
fn is_called(name: &str, key: &str) -> bool {
    match key.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == key,
    }
}

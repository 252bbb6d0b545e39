//! The formats: what each one's keys are, and how it is told from the others.

use super::job::Job;
use super::row::{Does, Row};
use super::said::Said;
use super::{
    accelerate, axolotl, deepspeed, launcher, llama_factory, megatron, peft, torchtitan, torchtune,
    trainer, trl,
};

/// A format.
pub struct Format {
    /// Its name in what is written.
    pub name: &'static str,
    /// Its own keys, and those of what it stands on.
    pub(super) rows: &'static [&'static [Row]],
    /// Keys without effect on memory; with a star behind, all that begin so.
    pub(super) without_memory: &'static [&'static [&'static str]],
    /// Keys that no other format has.
    pub(super) telling: &'static [&'static str],
    /// What its keys say together.
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

/// All formats, those first that others rest on.
pub static FORMATS: &[Format] = &[
    trainer::FORMAT,
    trl::FORMAT,
    llama_factory::FORMAT,
    axolotl::FORMAT,
    torchtune::FORMAT,
    torchtitan::FORMAT,
    megatron::FORMAT,
    peft::FORMAT,
    accelerate::FORMAT,
    deepspeed::FORMAT,
    launcher::FORMAT,
];

impl Format {
    /// What a key does, where the format knows it.
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

/// The format with a name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

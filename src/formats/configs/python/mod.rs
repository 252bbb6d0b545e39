//! Training scripts in Python, whole or as fragments: the calls in them that say something of a job.
//!
//! Constants, literal arguments, defaults of options and fields, and simple arithmetic of them are followed;
//! a value that is computed otherwise is told by its key. Nothing is run, and nothing is imported.

mod around;
mod expression;
mod format;
mod notebook;
mod parts;
mod plain;
mod role;
mod scope;
mod token;
mod trained;
mod tree;

use super::format::Format;
use super::refused::Instead;
use super::registry;
use super::said::Said;
use super::uncovered::{DIFFUSERS, JAX, KERAS, NNUNET, TENSORFLOW, Tool, ULTRALYTICS};
use parts::{Calls, Parts};
use scope::{Scope, option_name};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub(super) use format::FORMAT;

/// Modules of tools that train otherwise, whatever else a script calls.
const OTHERS: &[(&str, Tool)] = &[
    ("diffusers", DIFFUSERS),
    ("ultralytics", ULTRALYTICS),
    ("nnunetv2", NNUNET),
    (
        "pytorch_lightning",
        ("PyTorch Lightning", Instead::Scenario),
    ),
    ("lightning", ("PyTorch Lightning", Instead::Scenario)),
];

/// Modules of tools that scripts of the libraries here import, too.
const BESIDE: &[(&str, Tool)] = &[
    ("tensorflow", TENSORFLOW),
    ("keras", KERAS),
    ("jax", JAX),
    (
        "sentence_transformers",
        ("Sentence Transformers", Instead::Scenario),
    ),
    ("timm", ("timm", Instead::Scenario)),
    ("mlx_lm", ("MLX", Instead::NotPyTorch)),
    ("setfit", ("SetFit", Instead::Scenario)),
];

/// A script.
pub(super) struct Script {
    /// Its file's name.
    pub name: String,
    text: String,
}

/// The Python that a text is or holds; nothing where it is something else.
pub(super) fn code(text: &str) -> Option<String> {
    if let Some(fenced) = notebook::fenced(text) {
        return Some(notebook::plain(&fenced));
    }
    let first = text.lines().next().unwrap_or_default();
    if first.starts_with("#!") {
        return first.contains("python").then(|| notebook::plain(text));
    }
    let imports = |line: &str| {
        let line = line.trim_start().trim_start_matches(">>> ");
        let from = line
            .strip_prefix("from ")
            .and_then(|rest| rest.split_once(" import "));
        let name = |name: &str| {
            !name.is_empty() && !name.contains(|c: char| !c.is_alphanumeric() && !"._".contains(c))
        };
        from.is_some_and(|(module, _)| name(module.trim()))
            || line.strip_prefix("import ").is_some_and(|rest| {
                let module = rest.split([',', ' ', '#']).next().unwrap_or_default();
                name(module)
            })
    };
    let detects = |line: &str| line.contains(".train(") && line.contains("imgsz=");
    let is_code = text.lines().any(|line| imports(line) || detects(line)) || calls_something(text);
    is_code.then(|| notebook::plain(text))
}

/// Whether a name before a bracket is of a call that is known.
fn calls_something(text: &str) -> bool {
    let called = |line: &str| {
        let mut rest = line;
        while let Some(at) = rest.find('(') {
            let before = rest[..at].trim_end_matches(' ');
            let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            let start = before.rfind(|c| !plain(c)).map_or(0, |at| at + 1);
            let name = before.get(start..).unwrap_or_default();
            if role::role(name).is_some_and(role::Role::tells) {
                return true;
            }
            rest = &rest[at + 1..];
        }
        false
    };
    text.lines().take(20_000).any(called)
}

/// The code of a notebook.
pub(super) fn notebook(map: &Map<String, Value>) -> Option<String> {
    notebook::cells(map).map(|code| notebook::plain(&code))
}

impl Script {
    pub(super) fn new(name: &str, text: String) -> Self {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
        Self { name, text }
    }

    /// The keys of every format that the script says, with what the command line gives.
    ///
    /// Options that it does not declare are left to the parser that fills in a trainer's configuration, or are
    /// nothing that is known.
    pub(super) fn read(&self, given: Said) -> Read {
        let tree = tree::read(&self.text);
        let values = given.entries.iter();
        let values: BTreeMap<String, Value> = values
            .map(|entry| (option_name(&entry.key), entry.value.clone()))
            .collect();
        let scope = Scope::new(&tree, values);
        let calls = Calls::new(&scope, &self.text);
        let says = calls.says_anything();
        let other = other_tool(&tree, says);
        let parses = calls.parser().is_some();
        let mut parts = calls.parts();
        let mut left = Said::default();
        for entry in given.entries {
            let name = option_name(&entry.key);
            let used = scope.used.borrow().contains(&name);
            if used {
                parts.own.add_as(&entry.key, "option", entry.value);
            } else if parses && !scope.declares(&name) {
                left.add(&entry.key, entry.value);
            } else {
                parts.own.add_as(&entry.key, "unused", entry.value);
            }
        }
        Read {
            says: says || !parts.own.entries.is_empty(),
            other,
            parts,
            left,
        }
    }
}

/// A script that was read.
pub(super) struct Read {
    /// Whether it says anything.
    pub says: bool,
    /// The tool that it trains with, where that is not followed.
    pub other: Option<Tool>,
    parts: Parts,
    /// Options for the configuration that a parser fills in.
    pub left: Said,
}

impl Read {
    /// Whether it has adapters or fewer bits, which no published example has.
    pub(super) fn is_changed(&self) -> bool {
        let fewer = ["load_in_4bit", "load_in_8bit", "other_quantization"];
        !self.parts.peft.is_empty() || fewer.iter().any(|key| self.parts.own.has(key))
    }

    /// Its keys by their formats.
    pub(super) fn into_parts(self) -> Vec<(&'static Format, Said)> {
        let parts = self.parts;
        let (name, trainer) = parts.trainer.unwrap_or(("trl", Said::default()));
        let mut trainer = trainer;
        trainer.extend(self.left);
        let all = [
            (Some(&FORMAT), parts.own),
            (registry::format(name), trainer),
            (registry::format("peft"), parts.peft),
            (registry::format("accelerate"), parts.accelerate),
            (registry::format("deepspeed"), parts.deepspeed),
            (registry::format("launcher"), parts.launcher),
        ];
        let all = all.into_iter().filter(|(_, said)| !said.is_empty());
        all.filter_map(|(format, said)| Some((format?, said)))
            .collect()
    }
}

/// The tool that a script trains with, where it is none of the tools that are followed.
fn other_tool(tree: &tree::Tree, says: bool) -> Option<Tool> {
    let known = if says { &[][..] } else { BESIDE };
    let of = |module: &String| {
        let first = module.split('.').next().unwrap_or_default();
        let mut all = OTHERS.iter().chain(known);
        all.find(|(name, _)| *name == first).map(|(_, tool)| *tool)
    };
    let detector = tree.calls.iter().any(|call| {
        let mut arguments = call.arguments.iter();
        let trains = call.callee.rsplit('.').next() == Some("train");
        trains && arguments.any(|own| own.name.as_deref() == Some("imgsz"))
    });
    let imported = tree.modules.iter().find_map(of);
    imported.or(detector.then_some(ULTRALYTICS))
}

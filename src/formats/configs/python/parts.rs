//! A program's calls as keys of the formats that there are.

use super::role::{Role, role};
use super::scope::Scope;
use super::tree::{Argument, Bound, Call, Id, Node};
use crate::configs::said::Said;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Keys of each format that a program says.
#[derive(Default)]
pub(super) struct Parts {
    /// The script's own: models, quantization, plain loops.
    pub own: Said,
    /// The arguments of `TrainingArguments`, or of TRL's configurations.
    pub trainer: Option<(&'static str, Said)>,
    pub peft: Said,
    pub accelerate: Said,
    pub deepspeed: Said,
    pub launcher: Said,
}

/// A program's calls with their roles.
pub(super) struct Calls<'a> {
    pub(super) scope: &'a Scope<'a>,
    text: &'a str,
    pub(super) roles: Vec<Option<Role>>,
    /// The full name of each call: aliases and own subclasses by what they stand for.
    pub(super) names: Vec<String>,
    /// Names that are bound to the result of each call.
    results: BTreeMap<usize, Vec<&'a str>>,
    /// Calls that are followed.
    pub(super) taken: BTreeSet<usize>,
}

impl<'a> Calls<'a> {
    pub(super) fn new(scope: &'a Scope<'a>, text: &'a str) -> Self {
        let names = scope.tree.calls.iter();
        let names: Vec<String> = names.map(|call| scope.full_name(&call.callee)).collect();
        let calls = scope.tree.calls.iter();
        let roles = calls.zip(&names).map(|(call, name)| {
            let own = role(name)?;
            scope.happens(call.guard).then_some(own)
        });
        let roles = roles.collect();
        let mut results: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for (name, bound) in &scope.tree.bound {
            if let Bound::To(id, _) = bound
                && let Node::Call(number) = scope.tree.nodes[*id]
            {
                results.entry(number).or_default().push(name);
            }
        }
        Self {
            results,
            scope,
            text,
            roles,
            names,
            taken: BTreeSet::new(),
        }
    }

    /// Whether some call says something of a job.
    pub(super) fn says_anything(&self) -> bool {
        let empty = [
            Role::LoadTokenizer,
            Role::LoadConfig,
            Role::Parser,
            Role::Tokenize,
            Role::Cast,
        ];
        let mut roles = self.roles.iter().flatten();
        roles.any(|role| !empty.contains(role)) || self.parser().is_some()
    }

    /// All that is said.
    pub(super) fn parts(mut self) -> Parts {
        let mut parts = Parts::default();
        let trainer = self.trainer(&mut parts);
        self.model(trainer, &mut parts);
        if let Some(trainer) = trainer {
            self.reference(trainer);
        }
        self.adapters(&mut parts);
        self.quantization(&mut parts);
        self.accelerate(&mut parts);
        self.environment(&mut parts.launcher);
        self.methods(&mut parts.own);
        if parts.trainer.is_none() {
            self.plain_loop(&mut parts.own);
        }
        self.lengths(&mut parts);
        self.others(&mut parts.own);
        if self.scope.asked_for_bf16.get() {
            parts.own.add("torch.cuda.is_bf16_supported()", true.into());
        }
        parts
    }

    pub(super) fn call(&self, number: usize) -> &'a Call {
        &self.scope.tree.calls[number]
    }

    /// The last part of a call's name; of a method that makes an object the class.
    pub(super) fn class(&self, number: usize) -> &str {
        let name = &self.names[number];
        let (before, last) = name.rsplit_once('.').unwrap_or(("", name));
        let made = ["from_pretrained", "from_config", "_from_config"].contains(&last);
        let name = if made { before } else { last };
        name.rsplit('.').next().unwrap_or(name)
    }

    pub(super) fn all(&self, wanted: Role) -> Vec<usize> {
        let all = self.roles.iter().enumerate();
        all.filter(|(_, role)| **role == Some(wanted))
            .map(|(number, _)| number)
            .collect()
    }

    /// An argument by its name, or by its place among those without names.
    pub(super) fn argument(&self, number: usize, name: &str, place: usize) -> Option<Id> {
        let arguments = &self.call(number).arguments;
        let named = arguments
            .iter()
            .find(|own| own.name.as_deref() == Some(name));
        let placed = || {
            let own = arguments.get(place)?;
            own.name.is_none().then_some(own)
        };
        named.or_else(placed).map(|own| own.value)
    }

    /// The call that made an argument's value.
    pub(super) fn maker(&self, number: usize, name: &str, place: usize) -> Option<usize> {
        self.scope
            .made_by(self.argument(number, name, place)?, number)
    }

    /// Adds what an argument says: a dictionary or a call of named arguments as its keys.
    pub(super) fn add(&self, said: &mut Said, key: &str, name: &str, id: Id, depth: usize) {
        let id = self.scope.resolve(id);
        let within = |inner: &str| (format!("{key}.{inner}"), format!("{name}.{inner}"));
        match &self.scope.tree.nodes[id] {
            Node::Dict(items) if depth < 8 && !items.is_empty() => {
                for (of, value) in items {
                    match of.map(|of| self.scope.value(of)) {
                        Some(Some(Value::String(of))) => {
                            let (key, name) = within(&of);
                            self.add(said, &key, &name, *value, depth + 1);
                        }
                        None => self.add(said, key, name, *value, depth + 1),
                        Some(_) => self.leave(said, key, name, *value),
                    }
                }
            }
            Node::Call(number) if depth < 8 && self.is_record(*number) => {
                for own in &self.call(*number).arguments {
                    match own.name.as_deref() {
                        Some("**") | None => self.add(said, key, name, own.value, depth + 1),
                        Some(of) => {
                            let (key, name) = within(of);
                            self.add(said, &key, &name, own.value, depth + 1);
                        }
                    }
                }
            }
            _ => match self.scope.value(id) {
                Some(Value::Object(map)) if !map.is_empty() => {
                    for entry in Said::tree(&map).entries {
                        let (key, name) = within(&entry.key);
                        said.add_as(&key, &name, entry.value);
                    }
                }
                Some(value) => said.add_as(key, name, value),
                None => self.leave(said, key, name, id),
            },
        }
    }

    /// Whether a call puts named values together: `dict(...)` or a configuration.
    fn is_record(&self, number: usize) -> bool {
        let class = self.class(number);
        let named = self
            .call(number)
            .arguments
            .iter()
            .any(|own| own.name.is_some());
        let classes = ["dict", "MixedPrecision"];
        classes.contains(&class)
            || named && (class.ends_with("Config") || class.ends_with("Policy"))
    }

    /// Notes an argument that is computed by its text.
    pub(super) fn leave(&self, said: &mut Said, key: &str, name: &str, id: Id) {
        said.compute(key, name, self.written(id).into());
    }

    pub(super) fn written(&self, id: Id) -> String {
        const LONGEST: usize = 80;
        let (from, to) = self.scope.tree.spans[id];
        let text = self.text.get(from..to).unwrap_or_default();
        let mut short = String::new();
        for word in text.split_whitespace() {
            if !short.is_empty() {
                short.push(' ');
            }
            short.extend(word.chars().take(LONGEST));
            if short.len() > LONGEST {
                break;
            }
        }
        short.chars().take(LONGEST).collect()
    }

    /// Adds all named arguments of a call except the names in `but`, and the ones that the program sets afterwards.
    pub(super) fn add_all(&mut self, said: &mut Said, number: usize, within: &str, but: &[&str]) {
        self.taken.insert(number);
        let class = self.class(number).to_owned();
        let call = self.call(number);
        let named = |own: &Argument| match own.name.as_deref() {
            None | Some("*") => None,
            Some(name) => Some(name.to_owned()),
        };
        for own in &call.arguments {
            let Some(name) = named(own) else { continue };
            if name == "**" {
                let known = self.scope.value(own.value).is_some();
                if but.contains(&"**") && !known {
                    continue;
                }
                self.spread(said, &class, within, own.value);
            } else if !but.contains(&name.as_str()) {
                self.add(
                    said,
                    &format!("{class}.{name}"),
                    &format!("{within}{name}"),
                    own.value,
                    0,
                );
            }
        }
        let results = self.names_of(number);
        for (path, bound) in &self.scope.tree.bound {
            let Some((of, name)) = path.rsplit_once('.') else {
                continue;
            };
            if let Bound::To(value, _) = bound
                && results.contains(&of)
            {
                self.add(said, path, &format!("{within}{name}"), *value, 0);
            }
        }
    }

    /// Adds what `**` spreads.
    fn spread(&self, said: &mut Said, class: &str, within: &str, id: Id) {
        if let Some(Value::Object(map)) = self.scope.value(id) {
            for entry in Said::tree(&map).entries {
                let key = format!("{class}.{}", entry.key);
                said.add_as(&key, &format!("{within}{}", entry.key), entry.value);
            }
            return;
        }
        let id = self.scope.resolve(id);
        let Node::Dict(items) = &self.scope.tree.nodes[id] else {
            return self.leave(said, &format!("{class}.**"), "**", id);
        };
        for (of, value) in items {
            let of = of.and_then(|of| self.scope.value(of));
            let of = of.as_ref().and_then(Value::as_str).unwrap_or("**");
            let (key, name) = (format!("{class}.{of}"), format!("{within}{of}"));
            self.add(said, &key, &name, *value, 0);
        }
    }

    /// Names that are bound to the result of a call.
    pub(super) fn names_of(&self, number: usize) -> &[&'a str] {
        self.results.get(&number).map_or(&[], Vec::as_slice)
    }
}

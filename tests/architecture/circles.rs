//! Files of a room and the files that each uses, read from paths that begin with `crate`, `super` or `self`.
//!
//! A door (`mod.rs`) that only hands on what its files have is looked through: who names
//! `crate::nn::attention::Rotary` uses `src/models/nn/attention/rotary.rs`.

use crate::source::{File, rust_files};
use std::collections::{BTreeMap, BTreeSet};

/// A module's path from the root of the library.
type Module = Vec<String>;

/// The files of `src/` by what they use of their own room.
pub struct Uses {
    /// Each file with those it uses.
    pub of: BTreeMap<String, BTreeSet<String>>,
}

struct Known {
    files: BTreeMap<Module, String>,
    /// Names that a door re-exports, each with its module.
    handed: BTreeMap<(Module, String), Module>,
}

impl Uses {
    /// Reads all files.
    pub fn read() -> Self {
        let files: Vec<(Module, File)> = rust_files("src")
            .filter(|file| file.room().is_some())
            .map(|file| (module(&file.path), file))
            .collect();
        let mut known = Known {
            files: BTreeMap::new(),
            handed: BTreeMap::new(),
        };
        for (module, file) in &files {
            known.files.insert(module.clone(), file.path.clone());
            if file.path.ends_with("/mod.rs") {
                for (name, path) in imports(&file.words_of_program()).all {
                    let path = from_root(module, &path);
                    known.handed.insert((module.clone(), name), path);
                }
            }
        }
        let mut of = BTreeMap::new();
        for (module, file) in &files {
            let words = file.words_of_program();
            let door = file.path.ends_with("/mod.rs");
            let given = imports(&words).public;
            let used: BTreeSet<String> = paths(&words)
                .into_iter()
                .filter(|path| !(door && given.contains(path)))
                .map(|path| from_root(module, &path))
                .filter(|path| path.first() == module.first())
                .filter_map(|path| known.file(&path))
                .filter(|used| *used != file.path)
                .collect();
            of.insert(file.path.clone(), used);
        }
        Self { of }
    }

    /// Files that use each other, each circle with all its files, without the uses that are left out.
    pub fn circles(&self, without: &BTreeSet<(&str, &str)>) -> Vec<BTreeSet<String>> {
        let reached: BTreeMap<&str, BTreeSet<&str>> = (self.of.keys())
            .map(|file| (file.as_str(), self.reached(file, without)))
            .collect();
        let mut circles = BTreeSet::new();
        for (file, others) in &reached {
            if others.contains(file) {
                let back = |other: &&&str| reached[**other].contains(file);
                circles.insert(
                    others
                        .iter()
                        .filter(back)
                        .map(|o| (*o).to_owned())
                        .collect(),
                );
            }
        }
        circles.into_iter().collect()
    }

    /// Every file that `from` uses, directly or through others.
    fn reached(&self, from: &str, without: &BTreeSet<(&str, &str)>) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut open = vec![from];
        while let Some(file) = open.pop() {
            for next in &self.of[file] {
                if !without.contains(&(file, next.as_str())) && found.insert(next.as_str()) {
                    open.push(next);
                }
            }
        }
        found
    }
}

impl Known {
    /// The file where what a path names stands.
    fn file(&self, path: &[String]) -> Option<String> {
        let mut at = 0;
        while at < path.len() && self.files.contains_key(&path[..=at]) {
            at += 1;
        }
        let (module, rest) = path.split_at(at);
        if let Some(name) = rest.first() {
            let handed = self.handed.get(&(module.to_vec(), name.clone()));
            if let Some(leads) = handed.filter(|leads| leads.as_slice() != path) {
                return self.file(leads);
            }
        }
        self.files.get(module).cloned()
    }
}

/// The module that a file is.
fn module(path: &str) -> Module {
    let path = path.strip_prefix("src/").unwrap_or(path);
    let path = path.split_once('/').map_or(path, |(_wing, path)| path);
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').map(str::to_owned).collect()
}

/// A path as it would be written after `crate::`.
fn from_root(module: &[String], path: &[String]) -> Module {
    let (first, rest) = path.split_first().expect("a path has a beginning");
    let start = match first.as_str() {
        "crate" => &[],
        "super" => &module[..module.len() - 1],
        _ => module,
    };
    start.iter().chain(rest).cloned().collect()
}

struct Imports {
    /// Paths that `use` makes known, by name.
    all: Vec<(String, Vec<String>)>,
    /// The paths of the ones that others may use.
    public: BTreeSet<Vec<String>>,
}

/// The imports of a file; paths that begin with a module of its own begin with `self` here.
fn imports(words: &[String]) -> Imports {
    let (mut all, mut public) = (Vec::new(), BTreeSet::new());
    for (at, word) in words.iter().enumerate() {
        if word != "use" {
            continue;
        }
        let before = &words[..at];
        let open = before.ends_with(&[")".to_owned()]) || before.ends_with(&["pub".to_owned()]);
        let mut found = Vec::new();
        tree(&words[at + 1..], &mut Vec::new(), &mut found);
        for (mut path, name) in found {
            if open {
                public.insert(path.clone());
            }
            if !["crate", "super", "self"].contains(&path[0].as_str()) {
                path.insert(0, "self".to_owned());
            }
            all.push((name, path));
        }
    }
    Imports { all, public }
}

/// All paths that begin with `crate`, `super` or `self`, those of groups in braces one by one.
fn paths(words: &[String]) -> Vec<Vec<String>> {
    let starts = ["crate", "super", "self"];
    let mut found = Vec::new();
    for at in 0..words.len() {
        let begins = starts.contains(&words[at].as_str())
            && words.get(at + 1).is_some_and(|word| word == "::")
            && (at == 0 || words[at - 1] != "::");
        if begins {
            let mut all = Vec::new();
            tree(&words[at..], &mut Vec::new(), &mut all);
            found.extend(all.into_iter().map(|(path, _)| path));
        }
    }
    found
}

/// The paths of a tree of imports, each with the name that it is known by; how many words it takes.
fn tree(
    words: &[String],
    before: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, String)>,
) -> usize {
    let depth = before.len();
    let mut at = 0;
    loop {
        match words.get(at).map(String::as_str) {
            Some("{") => {
                at += 1;
                while words.get(at).is_some_and(|word| word != "}") {
                    at += tree(&words[at..], before, found).max(1);
                    if words.get(at).is_some_and(|word| word == ",") {
                        at += 1;
                    }
                }
                before.truncate(depth);
                return at + 1;
            }
            Some(name) if is_name(name) => before.push(name.to_owned()),
            _ => {
                before.truncate(depth);
                return at;
            }
        }
        at += 1;
        if words.get(at).is_some_and(|word| word == "::") {
            at += 1;
            continue;
        }
        let mut name = before.last().cloned().unwrap_or_default();
        if words.get(at).is_some_and(|word| word == "as") {
            name = words.get(at + 1).cloned().unwrap_or_default();
            at += 2;
        }
        found.push((before.clone(), name));
        before.truncate(depth);
        return at;
    }
}

fn is_name(word: &str) -> bool {
    word.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[test]
fn paths_are_read_with_their_groups_and_names() {
    let file = File {
        path: "src/models/nn/build/lists.rs".to_owned(),
        text: "use crate::tape::{Tape, ops::{self as all, add}};
               pub(crate) use super::builder::Builder;
               fn f() { crate::units::g(super::h()); }
               #[cfg(test)]
               mod tests { use super::x; }"
            .to_owned(),
    };
    let words = file.words_of_program();
    let written = |path: &Vec<String>| path.join("::");
    let found: Vec<String> = paths(&words).iter().map(written).collect();
    assert_eq!(
        found,
        [
            "crate::tape::Tape",
            "crate::tape::ops::self",
            "crate::tape::ops::add",
            "super::builder::Builder",
            "crate::units::g",
            "super::h",
        ]
    );
    let Imports { all, public } = imports(&words);
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Tape", "all", "add", "Builder"]);
    let public: Vec<String> = public.iter().map(written).collect();
    assert_eq!(public, ["super::builder::Builder"]);
    let path = ["super", "builder", "Builder"].map(str::to_owned);
    let absolute = from_root(&module(&file.path), &path);
    assert_eq!(absolute.join("::"), "nn::build::builder::Builder");
}

#[test]
fn a_circle_is_found_and_the_use_that_closes_it_opens_it_again() {
    let uses = |of: &[(&str, &[&str])]| Uses {
        of: (of.iter())
            .map(|(file, used)| {
                let used = used.iter().map(|used| (*used).to_owned()).collect();
                ((*file).to_owned(), used)
            })
            .collect(),
    };
    let uses = uses(&[("a", &["b"]), ("b", &["c"]), ("c", &["a", "d"]), ("d", &[])]);
    let circle: BTreeSet<String> = ["a", "b", "c"].map(str::to_owned).into();
    assert_eq!(uses.circles(&BTreeSet::new()), [circle]);
    assert!(uses.circles(&BTreeSet::from([("c", "a")])).is_empty());
}

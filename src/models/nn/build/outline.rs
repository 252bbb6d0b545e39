//! The modules of a model that is built dry: as what, and with which parameters.

use crate::model::{Module, ModuleKind, Parameter};
use crate::tape::{ListId, Scopes};
use crate::units::Repetition;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Notes of modules while they are built, by their scopes.
#[derive(Default)]
pub(crate) struct Outline {
    noted: RefCell<Vec<(u32, Note)>>,
    lists: RefCell<Vec<List>>,
}

/// A note of a module about itself.
enum Note {
    Has(Parameter),
    Is(ModuleKind),
}

/// A list of `count` modules, of which as many are built as repeat.
struct List {
    id: ListId,
    repetition: Repetition,
    count: u64,
}

impl Outline {
    /// The module in `scope` has this parameter.
    pub(super) fn has(&self, scope: u32, parameter: Parameter) {
        self.noted.borrow_mut().push((scope, Note::Has(parameter)));
    }

    /// The module in `scope` is of this kind.
    pub(super) fn is(&self, scope: u32, kind: ModuleKind) {
        self.noted.borrow_mut().push((scope, Note::Is(kind)));
    }

    /// Notes a list of `count` modules that repeat like this.
    pub(super) fn list(&self, id: ListId, repetition: Repetition, count: u64) {
        self.lists.borrow_mut().push(List {
            id,
            repetition,
            count,
        });
    }

    /// The modules with parameters, and the output layers that give logits with another module's weight, in the order
    /// of `named_modules`.
    pub(crate) fn modules(self, scopes: &Scopes) -> Vec<Module> {
        let mut modules: BTreeMap<u32, (ModuleKind, Vec<Parameter>)> = BTreeMap::new();
        let mut below: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (scope, note) in self.noted.take() {
            let (kind, parameters) = modules.entry(scope).or_insert_with(|| {
                let (mut at, mut is_known) = (scope, false);
                while let Some(parent) = scopes.parent(at).filter(|_| !is_known) {
                    let all = below.entry(parent).or_default();
                    is_known = all.contains(&at);
                    if !is_known {
                        all.push(at);
                    }
                    at = parent;
                }
                (ModuleKind::Other, Vec::new())
            });
            match note {
                Note::Has(parameter) => parameters.push(parameter),
                Note::Is(is) => *kind = is,
            }
        }
        let is_module = |kind, own: &[Parameter]| !own.is_empty() || kind == ModuleKind::Output;
        let modules = modules.into_iter();
        let tree = Tree {
            scopes,
            below,
            modules: modules
                .filter(|(_, (kind, own))| is_module(*kind, own))
                .map(|(scope, (kind, own))| (scope, Module::of(kind, own)))
                .collect(),
            lists: self.lists.take(),
        };
        let mut all = Vec::new();
        tree.walk(0, &mut String::new(), &mut all);
        all
    }
}

/// The modules by where they are.
struct Tree<'a> {
    scopes: &'a Scopes,
    /// The scopes below each, in the order in which something in them was built.
    below: BTreeMap<u32, Vec<u32>>,
    modules: BTreeMap<u32, Module>,
    lists: Vec<List>,
}

impl Tree<'_> {
    /// Adds the modules in `scope`, which is at `path`.
    fn walk(&self, scope: u32, path: &mut String, all: &mut Vec<Module>) {
        if let Some(module) = self.modules.get(&scope) {
            all.push(module.at(path));
        }
        let Some(below) = self.below.get(&scope) else {
            return;
        };
        for &child in below {
            let Some((name, index)) = self.scopes.name(child) else {
                continue;
            };
            let is_in = |list: &&List| {
                let ListId {
                    scope: parent,
                    name: of,
                    first,
                    ..
                } = list.id;
                let built = list.repetition.head + list.repetition.period;
                let since = index.and_then(|index| index.checked_sub(first));
                parent == scope && of == name && since.is_some_and(|since| u64::from(since) < built)
            };
            let Some(list) = index.and_then(|_| self.lists.iter().find(is_in)) else {
                self.step(child, name, index, path, all);
                continue;
            };
            if index != Some(list.id.first) {
                continue;
            }
            let element = |place: u32| {
                let like = list.repetition.like(place as usize);
                let index = list.id.first + u32::try_from(like).unwrap_or(0);
                let mut below = below.iter().copied();
                below.find(|&one| self.scopes.name(one) == Some((name, Some(index))))
            };
            for place in 0..u32::try_from(list.count).unwrap_or(u32::MAX) {
                if let Some(child) = element(place) {
                    self.step(child, name, Some(list.id.first + place), path, all);
                }
            }
        }
    }

    /// A step below a scope.
    fn step(
        &self,
        scope: u32,
        name: &str,
        index: Option<u32>,
        path: &mut String,
        all: &mut Vec<Module>,
    ) {
        let before = path.len();
        // Those without a name are not written.
        if !name.is_empty() {
            if before > 0 {
                path.push('.');
            }
            path.push_str(name);
            if let Some(index) = index {
                path.push('.');
                path.push_str(&index.to_string());
            }
        }
        self.walk(scope, path, all);
        path.truncate(before);
    }
}

//! Scopes of a graph's modules, by their paths.

use crate::exported::Graph;
use crate::tape::Tape;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// The scopes of modules. A layer has an element of a list around it, without a name, by which wrappers know it.
pub(super) struct ModuleScopes {
    root: u32,
    by_path: BTreeMap<String, u32>,
    /// The scope around each layer.
    layers: BTreeMap<String, u32>,
    /// The scope of each call of a module.
    calls: Vec<u32>,
}

impl ModuleScopes {
    /// The scopes of the modules of a graph, of which those at `layers` are layers.
    pub(super) fn of(t: &Tape, graph: &Graph, layers: &[String]) -> Self {
        let mut scopes = Self {
            root: t.scope(),
            by_path: BTreeMap::new(),
            layers: BTreeMap::new(),
            calls: Vec::new(),
        };
        let places = layers.iter().zip(0_u32..);
        let places: BTreeMap<&str, u32> = places.map(|(path, at)| (path.as_str(), at)).collect();
        let each = graph.modules.iter();
        let calls = each.map(|module| scopes.make(t, &module.path, &places));
        let calls = calls.collect();
        scopes.calls = calls;
        scopes
    }

    fn make(&mut self, t: &Tape, path: &str, layers: &BTreeMap<&str, u32>) -> u32 {
        if path.is_empty() {
            return self.root;
        }
        if let Some(&scope) = self.by_path.get(path) {
            return scope;
        }
        let (outer, name) = path.rsplit_once('.').unwrap_or(("", path));
        let mut parent = self.make(t, outer, layers);
        if let Some(&at) = layers.get(path) {
            parent = t.child_scope(parent, "", Some(at));
            self.layers.insert(path.to_owned(), parent);
        }
        let scope = t.child_scope(parent, interned(name), None);
        self.by_path.insert(path.to_owned(), scope);
        scope
    }

    /// The scope of the module that has a parameter or a buffer.
    pub(super) fn around(&self, path: &str) -> u32 {
        let mut module = path;
        while let Some((outer, _)) = module.rsplit_once('.') {
            if let Some(&scope) = self.by_path.get(outer) {
                return scope;
            }
            module = outer;
        }
        self.root
    }

    /// The scope around a layer.
    pub(super) fn of_layer(&self, path: &str) -> Option<u32> {
        self.layers.get(path).copied()
    }

    /// The scope of a call of a module.
    pub(super) fn of_call(&self, module: u32) -> Option<u32> {
        self.calls.get(module as usize).copied()
    }
}

/// A name of a module or a parameter as scopes hold it. Names stay until the program ends: graphs have a few hundred different ones.
pub(super) fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = match NAMES.lock() {
        Ok(names) => names,
        Err(poisoned) => poisoned.into_inner(),
    };
    if let Some(known) = names.get(name) {
        return known;
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(name);
    name
}

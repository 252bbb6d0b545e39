//! Layers of a graph: the modules that activation checkpointing runs again as a whole, and that wrappers take for units.

use super::casts::Casts;
use crate::ask::{ModelRef, Scenario};
use crate::exported::{Body, Graph, Module, Node, ValueId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A call of a layer: nodes that follow one another.
#[derive(Debug)]
pub(super) struct LayerCall {
    /// Its nodes.
    pub(super) nodes: Range<usize>,
    /// The layer's place in [`Graph::modules`].
    pub(super) module: u32,
    /// Values that come from outside, in the order of their uses.
    pub(super) inputs: Vec<ValueId>,
    /// Values that are made or written here and used afterwards.
    pub(super) outputs: Vec<ValueId>,
}

/// The paths of a graph's layers. Of `wanted` each is a class, the path of a module, or that of a list, which means
/// its elements; where it is empty, layers are the elements of lists of modules that hold further modules. A layer
/// within another one counts as a part of that.
pub fn layer_paths(graph: &Graph, wanted: &[String]) -> Vec<String> {
    let holders = holders(graph);
    let is_layer = |module: &&Module| {
        if wanted.is_empty() {
            return is_element(&module.path) && holders.contains(module.path.as_str());
        }
        wanted.iter().any(|wanted| is_meant(module, wanted))
    };
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let layers = graph.modules.iter().filter(is_layer);
    let mut paths: Vec<&str> = layers.map(|module| module.path.as_str()).collect();
    paths.retain(|path| known.insert(path));
    let outermost = paths
        .iter()
        .filter(|path| !outer_paths(path).any(|outer| known.contains(outer)));
    outermost.map(|&path| path.to_owned()).collect()
}

/// The paths of the modules around one, without that of the model.
fn outer_paths(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('.').map(|(end, _)| &path[..end])
}

/// The paths of the modules that hold further ones.
fn holders(graph: &Graph) -> BTreeSet<&str> {
    let paths = graph.modules.iter().map(|module| module.path.as_str());
    paths.flat_map(outer_paths).collect()
}

/// The classes of modules that a graph's layers can be: classes of modules that hold further modules and occur more
/// than once.
pub fn layer_classes(scenario: &Scenario) -> Vec<String> {
    let ModelRef::Exported(model) = &scenario.model else {
        return Vec::new();
    };
    let Some(graph) = &model.graph else {
        return Vec::new();
    };
    let holders = holders(graph);
    let mut paths: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut classes = Vec::new();
    for module in &graph.modules {
        let class = module.class.rsplit('.').next().unwrap_or_default();
        let known = paths.entry(class).or_default();
        known.insert(&module.path);
        if known.len() == 2 && holders.contains(module.path.as_str()) {
            classes.push(class.to_owned());
        }
    }
    classes
}

/// Whether a module is one of a list.
fn is_element(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or_default();
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_meant(module: &Module, wanted: &str) -> bool {
    let class = module.class.rsplit('.').next().unwrap_or_default();
    let of_list = module
        .path
        .rsplit_once('.')
        .is_some_and(|(list, _)| list == wanted && is_element(&module.path));
    !module.path.is_empty()
        && (class == wanted || module.class == wanted || module.path == wanted || of_list)
}

/// The calls of the layers at those paths in the order of their nodes; values that are `held` are no inputs.
pub(super) fn calls(
    graph: &Graph,
    casts: &Casts,
    paths: &[String],
    held: &BTreeSet<ValueId>,
) -> Vec<LayerCall> {
    let body = &graph.body;
    let paths: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    let modules = graph.modules.iter();
    let are_layers: Vec<bool> = modules
        .map(|module| paths.contains(module.path.as_str()))
        .collect();
    let layer_of = |node: &Node| {
        let mut stack = node.stack.iter().copied();
        stack.find(|&module| are_layers.get(module as usize) == Some(&true))
    };
    let mut runs: Vec<(u32, Range<usize>)> = Vec::new();
    for (at, node) in body.nodes.iter().enumerate() {
        let is_silent = node.stack.is_empty() && node.outputs.iter().all(Option::is_none);
        match (layer_of(node), runs.last_mut()) {
            (Some(module), Some((last, nodes))) if *last == module && nodes.end == at => {
                nodes.end = at + 1;
            }
            (Some(module), _) => runs.push((module, at..at + 1)),
            // Sizes are asked for beside modules.
            (None, Some((_, nodes))) if is_silent && nodes.end == at => nodes.end = at + 1,
            (None, _) => {}
        }
    }
    let last_uses = last_uses(body);
    let each = runs.into_iter();
    each.map(|(module, nodes)| call(body, casts, (module, nodes), (held, &last_uses)))
        .collect()
}

/// The node that uses each value last; what the graph returns is used after all nodes.
fn last_uses(body: &Body) -> BTreeMap<ValueId, usize> {
    let mut last = BTreeMap::new();
    for (at, node) in body.nodes.iter().enumerate() {
        last.extend(node.tensors().map(|id| (id, at)));
    }
    let end = body.nodes.len();
    last.extend(body.outputs.iter().flatten().map(|id| (*id, end)));
    last
}

fn call(
    body: &Body,
    casts: &Casts,
    (module, nodes): (u32, Range<usize>),
    (held, last_uses): (&BTreeSet<ValueId>, &BTreeMap<ValueId, usize>),
) -> LayerCall {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    let mut made: BTreeSet<ValueId> = BTreeSet::new();
    for node in body.nodes.get(nodes.clone()).unwrap_or_default() {
        for id in node.tensors() {
            if !made.contains(&id) && !held.contains(&id) && !inputs.contains(&id) {
                inputs.push(id);
            }
        }
        let written = node.tensors().next();
        let written = written.filter(|_| node.writes_in_place());
        let base = written.and_then(|id| casts.base(id));
        for id in node.outputs.iter().flatten() {
            made.insert(*id);
        }
        let changed = [written, base].into_iter().flatten();
        let all = changed.chain(node.outputs.iter().flatten().copied());
        for id in all.filter(|id| !held.contains(id)) {
            let used_later = last_uses.get(&id).is_some_and(|&at| at >= nodes.end);
            if used_later && !outputs.contains(&id) {
                outputs.push(id);
            }
        }
    }
    LayerCall {
        nodes,
        module,
        inputs,
        outputs,
    }
}

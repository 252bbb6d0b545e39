//! When values go: after their last use, and not before the modules that they were given to have returned.

use crate::exported::{Body, ValueId};
use std::collections::BTreeMap;

/// The values that go after each node of a body.
#[derive(Default)]
pub(super) struct Lifetimes {
    after: Vec<Vec<ValueId>>,
}

/// Operations that a module's `forward` ends with, and of which it returns all results.
const RETURN_ALL: &[&str] = &["aten.lstm.input", "aten.gru.input"];

impl Lifetimes {
    /// Of a body whose inputs stay.
    pub(super) fn of(body: &Body) -> Self {
        let mut ends: BTreeMap<u32, usize> = BTreeMap::new();
        for (at, node) in body.nodes.iter().enumerate() {
            for &module in &node.stack {
                ends.insert(module, at);
            }
        }
        let mut made: BTreeMap<ValueId, usize> = BTreeMap::new();
        let mut last: BTreeMap<ValueId, usize> = BTreeMap::new();
        for (at, node) in body.nodes.iter().enumerate() {
            for id in node.tensors() {
                let Some(&producer) = made.get(&id) else {
                    continue;
                };
                // An argument of a module is a variable of its caller, or an element of its arguments, until the call has
                // returned.
                let of_producer = body.nodes.get(producer).map_or(&[][..], |node| &node.stack);
                let given_to = node
                    .stack
                    .iter()
                    .filter(|module| !of_producer.contains(module));
                let returned = given_to.filter_map(|module| ends.get(module)).max();
                let until = returned.copied().unwrap_or(at).max(at);
                let known = last.entry(id).or_insert(until);
                *known = (*known).max(until);
            }
            for id in node.outputs.iter().flatten() {
                made.insert(*id, at);
                last.insert(*id, at);
            }
        }
        for (at, node) in body.nodes.iter().enumerate() {
            let used = |id: &ValueId| last.get(id).is_some_and(|&until| until > at);
            if !RETURN_ALL.contains(&node.target.as_str())
                || !node.outputs.iter().flatten().any(used)
            {
                continue;
            }
            // The module returns all of them, and its caller unpacks them into variables of its own.
            let callers = node.stack.iter().rev().nth(1);
            if let Some(&until) = callers.and_then(|module| ends.get(module)) {
                for id in node.outputs.iter().flatten() {
                    let known = last.entry(*id).or_insert(until);
                    *known = (*known).max(until);
                }
            }
        }
        for id in body.outputs.iter().flatten() {
            last.remove(id);
        }
        let mut after = vec![Vec::new(); body.nodes.len()];
        for (id, at) in last {
            if let Some(gone) = after.get_mut(at) {
                gone.push(id);
            }
        }
        Self { after }
    }

    /// The values that go after a node.
    pub(super) fn after(&self, node: usize) -> &[ValueId] {
        self.after.get(node).map_or(&[], Vec::as_slice)
    }
}

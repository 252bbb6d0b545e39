//! When values go: after their last use, not before the modules that they were given to have returned, and with
//! the call whose variables they are.

use crate::exported::{Body, Held, Node, ValueId, Variables};
use std::collections::BTreeMap;

/// The values that go after each node of a body.
#[derive(Default)]
pub(super) struct Lifetimes {
    after: Vec<Vec<ValueId>>,
}

/// Operations that a module's `forward` ends with, and of which it returns all results.
const RETURN_ALL: &[&str] = &["aten.lstm.input", "aten.gru.input"];

/// Operations whose result takes the name of what it was made of as a rule: `x = x + f(x)`.
const RENAMING: &[&str] = &[
    "add",
    "add_",
    "sub",
    "sub_",
    "mul",
    "mul_",
    "div",
    "div_",
    "where",
    "masked_fill",
];

/// Number of parts from which on the joined tensors were a list.
const LIST: usize = 3;

/// A body's nodes as calls of modules within each other.
struct Calls<'a> {
    nodes: &'a [Node],
    /// The last node of each call.
    ends: BTreeMap<u32, usize>,
}

impl Calls<'_> {
    /// How many calls two nodes are in together, from the outermost on.
    fn common(&self, a: usize, b: usize) -> usize {
        let stack = |at: usize| self.nodes.get(at).map_or(&[][..], |node| &node.stack);
        let pairs = stack(a).iter().zip(stack(b));
        pairs.take_while(|(a, b)| a == b).count()
    }

    /// The last node of the call at a depth that a node is in; of the whole body at depth 0.
    fn end(&self, node: usize, depth: usize) -> usize {
        let call = depth.checked_sub(1).and_then(|depth| {
            let stack = &self.nodes.get(node)?.stack;
            self.ends.get(stack.get(depth)?)
        });
        call.copied().unwrap_or(self.nodes.len().saturating_sub(1))
    }

    /// The node until which a variable lives that this node made and those use: where it is used in several places of
    /// the call in which it is visible, until that call returns.
    fn variable(&self, made: usize, uses: &[usize]) -> Option<usize> {
        let last = *uses.last()?;
        let depth = uses.iter().map(|&at| self.common(made, at)).min()?;
        let within = |at: usize| self.nodes.get(at)?.stack.get(depth).copied();
        let mut places: Vec<(Option<u32>, usize)> = uses
            .iter()
            .map(|&at| match within(at) {
                Some(call) => (Some(call), 0),
                None => (None, at),
            })
            .collect();
        places.dedup();
        let takes_name =
            |node: &Node| within(last).is_none() && RENAMING.contains(&node.operation());
        let several = places.len() > 1 && !self.nodes.get(last).is_some_and(takes_name);
        several.then(|| self.end(made, depth))
    }

    /// The node until which a list lives that this value was put into before those uses join it.
    fn listed(&self, made: usize, uses: &[usize]) -> Option<usize> {
        let depth = uses.iter().map(|&at| self.common(made, at)).min()?;
        let within = |at: usize| self.nodes.get(at)?.stack.get(depth).copied();
        // A view is made where it is joined: `cat([x.view(..) for x in ..])`.
        let seen = self.nodes.get(made).map_or("", |node| node.operation());
        let is_view = matches!(
            seen,
            "view" | "reshape" | "flatten" | "permute" | "transpose" | "unsqueeze"
        );
        let listed = !is_view
            && uses.iter().any(|&at| {
                let node = self.nodes.get(at);
                let joins = |node: &&Node| {
                    matches!(node.operation(), "cat" | "stack") && node.tensors().count() >= LIST
                };
                within(at).is_none() && node.as_ref().is_some_and(joins)
            });
        listed.then(|| self.end(made, depth))
    }
}

impl Lifetimes {
    /// Of a body whose inputs stay, and those values; `variables` has what the source says of some others.
    pub(super) fn of(body: &Body, outputs: &[Option<ValueId>], variables: &Variables) -> Self {
        let mut calls = Calls {
            nodes: &body.nodes,
            ends: BTreeMap::new(),
        };
        for (at, node) in body.nodes.iter().enumerate() {
            for &module in &node.stack {
                calls.ends.insert(module, at);
            }
        }
        let mut made: BTreeMap<ValueId, usize> = BTreeMap::new();
        let mut uses: BTreeMap<ValueId, Vec<usize>> = BTreeMap::new();
        let mut last: BTreeMap<ValueId, usize> = BTreeMap::new();
        for (at, node) in body.nodes.iter().enumerate() {
            // The exporter asserts what it knows of a tensor before a cast.
            let is_assertion = node.operation() == "_assert_tensor_metadata";
            for id in node.tensors().filter(|_| !is_assertion) {
                let Some(&producer) = made.get(&id) else {
                    continue;
                };
                let until = given_until(&calls, producer, at);
                let known = last.entry(id).or_insert(until);
                *known = (*known).max(until);
                let all = uses.entry(id).or_default();
                if all.last() != Some(&at) {
                    all.push(at);
                }
            }
            for id in node.outputs.iter().flatten() {
                made.insert(*id, at);
                last.insert(*id, at);
            }
        }
        for (id, all) in &uses {
            let Some(&made) = made.get(id) else { continue };
            let listed = calls.listed(made, all);
            let inferred = || listed.max(calls.variable(made, all));
            let until = match variables.get(id) {
                Some(Held::Until(until)) => listed.max(Some(*until as usize)),
                Some(Held::Within(end)) => inferred().map(|until| until.min(*end as usize)),
                None => inferred(),
            };
            if let (Some(until), Some(known)) = (until, last.get_mut(id)) {
                *known = (*known).max(until);
            }
        }
        keep_returned(&calls, &mut last);
        for id in outputs.iter().flatten() {
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

/// The values that a body returns. Beside a loss, a value that is returned as it was before a cast is written as the
/// cast's result if the cast did nothing when the graph was exported: `logits` beside `logits.float()`.
pub(super) fn returned(body: &Body) -> Vec<Option<ValueId>> {
    let before_cast = |id: ValueId| {
        let mut nodes = body.nodes.iter();
        let cast = nodes.find(|node| node.outputs.contains(&Some(id)))?;
        (cast.operation() == "to").then(|| cast.tensors().next())?
    };
    let each = body.outputs.iter().enumerate();
    each.map(|(at, id)| match id {
        Some(id) if at > 0 => Some(before_cast(*id).unwrap_or(*id)),
        id => *id,
    })
    .collect()
}

/// The node until which a value lives by one use: an argument of a module is a variable of its caller, or an element
/// of its arguments, until the call has returned.
fn given_until(calls: &Calls, producer: usize, user: usize) -> usize {
    let stack = |at: usize| calls.nodes.get(at).map_or(&[][..], |node| &node.stack);
    let of_producer = stack(producer);
    let given_to = stack(user)
        .iter()
        .filter(|module| !of_producer.contains(module));
    let returned = given_to.filter_map(|module| calls.ends.get(module)).max();
    returned.copied().unwrap_or(user).max(user)
}

/// Keeps all results of modules that return several until their callers return, which unpack them into variables.
fn keep_returned(calls: &Calls, last: &mut BTreeMap<ValueId, usize>) {
    for (at, node) in calls.nodes.iter().enumerate() {
        let used = |id: &ValueId| last.get(id).is_some_and(|&until| until > at);
        if !RETURN_ALL.contains(&node.target.as_str()) || !node.outputs.iter().flatten().any(used) {
            continue;
        }
        let callers = node.stack.iter().rev().nth(1);
        if let Some(&until) = callers.and_then(|module| calls.ends.get(module)) {
            for id in node.outputs.iter().flatten() {
                let known = last.entry(*id).or_insert(until);
                *known = (*known).max(until);
            }
        }
    }
}

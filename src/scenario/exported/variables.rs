//! Variables of the Python source: the node until which a function's variable holds each value, as the stack trace of each
//! node tells it.
//!
//! A trace has a frame for the `forward` of each module that runs, outermost first, with the line of its statement. A value that is used
//! after the statement that made it is the statement's result: a name that the statement assigns holds it until another
//! statement of the same call assigns that name, or the call returns. Functions that are no `forward` have no frame: what
//! they hold is within one statement.

use super::graph::{Body, Held, ValueId, Variables};
use std::collections::BTreeMap;

/// The name of a module's function.
const FORWARD: &str = "forward";

/// A function that runs, and its statement.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Frame<'a> {
    file: &'a str,
    line: &'a str,
    function: &'a str,
    text: &'a str,
}

/// The frames of a stack trace, outermost first.
fn frames(trace: &str) -> Vec<Frame<'_>> {
    let mut lines = trace.lines().map(str::trim).peekable();
    let mut frames = Vec::new();
    while let Some(place) = lines.next() {
        let Some((file, rest)) = place
            .strip_prefix("File \"")
            .and_then(|at| at.split_once('"'))
        else {
            continue;
        };
        let mut parts = rest.trim_start_matches(", line ").splitn(2, ", in ");
        let (Some(line), Some(function)) = (parts.next(), parts.next()) else {
            continue;
        };
        let text = lines
            .next_if(|next| !next.starts_with("File \""))
            .unwrap_or_default();
        frames.push(Frame {
            file,
            line,
            function,
            text,
        });
    }
    frames
}

/// A statement of one call of a function: the nodes that it runs.
struct Statement<'a> {
    /// The number of the call.
    call: usize,
    text: &'a str,
    nodes: [usize; 2],
}

/// Statements by the calls in which they are and the names that they assign.
type Assignments<'a> = BTreeMap<(usize, &'a str), Vec<usize>>;

/// The statements that a node is in, by the depths of their functions.
type Within = Vec<usize>;

/// Statements and calls of a body, in the order of their nodes.
#[derive(Default)]
struct Source<'a> {
    statements: Vec<Statement<'a>>,
    /// The last node of each call.
    ends: Vec<usize>,
    /// Of each node; none where its trace does not tell which frame is which module's.
    within: Vec<Option<Within>>,
}

/// A frame of the node before, with the module in which it is.
#[derive(Clone, Copy)]
struct Running<'a> {
    frame: Frame<'a>,
    module: Option<u32>,
    call: usize,
    statement: usize,
}

impl<'a> Source<'a> {
    /// Of nodes with their modules and traces.
    fn of(body: &Body, traces: &[Option<&'a str>]) -> Self {
        let mut source = Self::default();
        let mut running: Vec<Running<'a>> = Vec::new();
        for (at, node) in body.nodes.iter().enumerate() {
            let trace = traces.get(at).copied().flatten();
            let frames = trace.map_or_else(Vec::new, frames);
            let forwards = frames.iter().filter(|frame| frame.function == FORWARD);
            if frames.is_empty() || forwards.count() != node.stack.len() {
                source.within.push(None);
                continue;
            }
            running = source.step(at, &frames, &node.stack, &running);
            let within = running.iter().map(|running| running.statement);
            source.within.push(Some(within.collect()));
        }
        source
    }

    /// The frames of a node, some of which go on from the node before.
    fn step(
        &mut self,
        at: usize,
        frames: &[Frame<'a>],
        stack: &[u32],
        before: &[Running<'a>],
    ) -> Vec<Running<'a>> {
        let mut modules = stack.iter();
        let mut module = None;
        let (mut goes_on, mut same_statement) = (true, true);
        let mut now: Vec<Running<'a>> = Vec::with_capacity(frames.len());
        for (depth, frame) in frames.iter().enumerate() {
            if frame.function == FORWARD {
                module = modules.next().copied();
            }
            let known = before.get(depth).filter(|known| {
                goes_on
                    && same_statement
                    && known.frame.file == frame.file
                    && known.frame.function == frame.function
                    && known.module == module
            });
            goes_on = known.is_some();
            same_statement = known.is_some_and(|known| known.frame.line == frame.line);
            let call = known.map_or_else(
                || {
                    self.ends.push(at);
                    self.ends.len() - 1
                },
                |known| known.call,
            );
            if let Some(end) = self.ends.get_mut(call) {
                *end = at;
            }
            let statement = known
                .filter(|_| same_statement)
                .map(|known| known.statement);
            let statement = statement.unwrap_or_else(|| {
                self.statements.push(Statement {
                    call,
                    text: frame.text,
                    nodes: [at, at],
                });
                self.statements.len() - 1
            });
            if let Some(statement) = self.statements.get_mut(statement) {
                statement.nodes[1] = at;
            }
            now.push(Running {
                frame: *frame,
                module,
                call,
                statement,
            });
        }
        now
    }

    /// The statements that assign each name, in their order, by their calls.
    fn assignments(&self) -> Assignments<'a> {
        let mut all = Assignments::new();
        for (at, statement) in self.statements.iter().enumerate() {
            for name in targets(statement.text) {
                all.entry((statement.call, name)).or_default().push(at);
            }
        }
        all
    }

    /// The last node for which the variable `name` holds what a statement assigns to it.
    fn held_until(
        &self,
        assignments: &Assignments,
        statement: &Statement,
        name: &str,
    ) -> Option<usize> {
        let nodes = |at: usize| self.statements.get(at).map(|other| other.nodes);
        let all = assignments.get(&(statement.call, name));
        let all = all.map_or(&[][..], Vec::as_slice);
        let before = |&at: &usize| nodes(at).is_some_and(|[first, _]| first <= statement.nodes[1]);
        let again = all.get(all.partition_point(before)).copied();
        let until = again.and_then(nodes).map(|[_, last]| last);
        until.or_else(|| self.ends.get(statement.call).copied())
    }
}

/// The names that a statement assigns: `x = ..`, `q, k, v = ..`, `x += ..`, `x: Tensor = ..`.
fn targets(text: &str) -> Vec<&str> {
    let Some((left, _)) = text.split_once(" = ").or_else(|| {
        let augmented = [" += ", " -= ", " *= ", " /= "];
        augmented.iter().find_map(|sign| text.split_once(sign))
    }) else {
        return Vec::new();
    };
    let left = left.split(':').next().unwrap_or(left);
    let left = left
        .trim()
        .trim_start_matches(['(', '['])
        .trim_end_matches([')', ']']);
    let names: Vec<&str> = left
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    let is_name = |name: &&str| {
        name.chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_')
            && !name.starts_with(|first: char| first.is_ascii_digit())
    };
    if names.iter().all(is_name) {
        names
    } else {
        Vec::new()
    }
}

fn number(node: usize) -> u32 {
    u32::try_from(node).unwrap_or(u32::MAX)
}

/// The variables of a body, whose nodes have these stack traces.
pub(super) fn of(body: &Body, traces: &[Option<&str>]) -> Variables {
    let source = Source::of(body, traces);
    let mut made: BTreeMap<ValueId, usize> = BTreeMap::new();
    let mut last: BTreeMap<ValueId, usize> = BTreeMap::new();
    for (at, node) in body.nodes.iter().enumerate() {
        if node.operation() != "_assert_tensor_metadata" {
            last.extend(node.tensors().map(|id| (id, at)));
        }
        made.extend(node.outputs.iter().flatten().map(|id| (*id, at)));
    }
    last.extend(
        body.outputs
            .iter()
            .flatten()
            .map(|id| (*id, body.nodes.len())),
    );
    // The results of each statement, in the order in which they are made.
    let mut results: BTreeMap<usize, Vec<ValueId>> = BTreeMap::new();
    let mut variables = Variables::new();
    let mut by_making: Vec<(usize, ValueId)> = made.iter().map(|(id, at)| (*at, *id)).collect();
    by_making.sort_unstable();
    for (at, id) in by_making {
        let Some(Some(within)) = source.within.get(at) else {
            continue;
        };
        let innermost = within.last().and_then(|&at| source.statements.get(at));
        let end = innermost.map_or(at, |statement| statement.nodes[1]);
        variables.insert(id, Held::Within(number(end)));
        let Some(&last) = last.get(&id) else { continue };
        for &statement in within.iter().rev() {
            let ends = source
                .statements
                .get(statement)
                .map(|statement| statement.nodes[1]);
            if ends.is_none_or(|end| last <= end) {
                break;
            }
            results.entry(statement).or_default().push(id);
        }
    }
    let assignments = source.assignments();
    for (statement, results) in results {
        let Some(statement) = source.statements.get(statement) else {
            continue;
        };
        // Several results of one name are in a container; of other counts the first name counts.
        let names = targets(statement.text);
        for (place, id) in results.iter().enumerate() {
            let own = if names.len() == results.len() {
                place
            } else {
                0
            };
            let name = names.get(own);
            let until = name.and_then(|name| source.held_until(&assignments, statement, name));
            let Some(until) = until.map(number) else {
                continue;
            };
            let known = variables.get(id).copied();
            let longer = match known {
                Some(Held::Until(known)) => until.max(known),
                _ => until,
            };
            variables.insert(*id, Held::Until(longer));
        }
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exported::{Argument, Node};

    fn node(inputs: &[ValueId], output: ValueId, stack: &[u32]) -> Node {
        let arguments = inputs
            .iter()
            .map(|id| ("x".to_owned(), Argument::Tensor(*id)));
        Node {
            target: "aten.relu.default".to_owned(),
            arguments: arguments.collect(),
            outputs: vec![Some(output)],
            stack: stack.to_vec(),
            source: None,
        }
    }

    #[test]
    fn statements_name_what_they_assign() {
        assert_eq!(targets("x = self.a(x)"), ["x"]);
        assert_eq!(targets("q, k, v = qkv.unbind(0)"), ["q", "k", "v"]);
        assert_eq!(targets("(a, b) = f()"), ["a", "b"]);
        assert_eq!(targets("x += y"), ["x"]);
        assert_eq!(targets("x: Tensor = y"), ["x"]);
        for none in [
            "return x",
            "f(x=1)",
            "hidden=self.norm(x),",
            "self.x = y",
            "a[0] = b",
            "if x == y:",
        ] {
            assert!(targets(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn a_name_holds_its_value_until_it_is_assigned_again_or_the_call_returns() {
        // a = f(x); b = g(a); a = h(b); return a + b, within a module whose caller adds once more.
        let frame = |line: u32, text: &str| {
            format!(
                "File \"net.py\", line {line}, in forward\n    y = self.inner(x)\n  File \"inner.py\", line {line}, in forward\n    {text}\n"
            )
        };
        let traces = [
            frame(1, "a = f(x)"),
            frame(1, "a = f(x)"),
            frame(2, "b = g(a)"),
            frame(3, "a = h(b)"),
            frame(4, "return a + b"),
        ];
        // The caller's line is one and the same.
        let traces: Vec<String> = traces
            .iter()
            .map(|trace| trace.replacen(|letter: char| letter.is_ascii_digit(), "9", 1))
            .collect();
        let outer = "File \"net.py\", line 10, in forward\n    return y * 2\n";
        let body = Body {
            inputs: vec![0],
            nodes: vec![
                node(&[0], 1, &[0, 1]),
                node(&[1], 2, &[0, 1]),
                node(&[2], 3, &[0, 1]),
                node(&[3], 4, &[0, 1]),
                node(&[4, 3], 5, &[0, 1]),
                node(&[5], 6, &[0]),
            ],
            outputs: vec![Some(6)],
        };
        let mut given: Vec<Option<&str>> =
            traces.iter().map(|trace| Some(trace.as_str())).collect();
        given.push(Some(outer));
        let variables = of(&body, &given);
        assert_eq!(variables[&1], Held::Within(1), "within one statement");
        assert_eq!(variables[&2], Held::Until(3), "a is assigned again");
        assert_eq!(
            variables[&3],
            Held::Until(4),
            "b stays until the call returns"
        );
        assert_eq!(variables[&5], Held::Until(5), "y is the caller's");
        given[2] = None;
        assert!(
            !of(&body, &given).contains_key(&3),
            "no trace, nothing is known"
        );
    }
}

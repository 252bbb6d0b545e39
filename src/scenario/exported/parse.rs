//! The program's JSON to a graph (`torch/_export/serde/schema.py`, torch 2.6 to 2.15).

use super::graph::{
    Argument, Body, Graph, Input, InputKind, Module, Node, Value as Named, ValueId,
};
use super::reading::Reading;
use super::unreadable::Unreadable;
use super::variables;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Graphs within graphs.
const DEEPEST: usize = 16;

/// The parts of an archive that are read.
pub(super) struct Parts<'a> {
    pub(super) program: &'a Value,
    /// The places of weights, by which two are known to share a storage.
    pub(super) weights: &'a Value,
}

/// The graph of a program.
pub(super) fn graph(parts: &Parts) -> Result<Graph, Unreadable> {
    let module = &parts.program["graph_module"];
    if !module["graph"]["nodes"].is_array() {
        return Err(Unreadable::NoGraph("graph_module.graph.nodes".to_owned()));
    }
    let mut reading = Reading::default();
    reading.graph.torch = parts.program["torch_version"].as_str().map(str::to_owned);
    reading.read_ranges(&parts.program["range_constraints"]);
    let missing = || Unreadable::NoGraph("graph_module.graph".to_owned());
    reading.graph.body = reading.body(&module["graph"]).ok_or_else(missing)?;
    let nodes = module["graph"]["nodes"].as_array().into_iter().flatten();
    let traces = nodes.map(|node| node["metadata"]["stack_trace"].as_str());
    let traces: Vec<Option<&str>> = traces.collect();
    reading.graph.variables = variables::of(&reading.graph.body, &traces);
    reading.read_inputs(module, parts.weights);
    if let Some(decomposed) = decomposed(&reading.graph) {
        return Err(Unreadable::Decomposed(decomposed));
    }
    Ok(reading.graph)
}

/// An operation that a program has only after `run_decompositions`: the parts of normalization, dropout and
/// products, where the program has none of the whole.
fn decomposed(graph: &Graph) -> Option<String> {
    const INNER: &[&str] = &[
        "aten.native_layer_norm.default",
        "aten._native_batch_norm_legit.default",
        "aten._native_batch_norm_legit_functional.default",
        "aten._native_batch_norm_legit_no_training.default",
        "aten.native_group_norm.default",
        "aten.convolution.default",
        "aten.native_dropout.default",
        "aten.addmm.default",
    ];
    const OUTER: &[&str] = &[
        "aten.linear.default",
        "aten.layer_norm.default",
        "aten.batch_norm.default",
        "aten.group_norm.default",
        "aten.dropout.default",
    ];
    let nodes = graph.nodes();
    let has = |names: &[&str]| {
        nodes
            .iter()
            .find(|node| names.contains(&node.target.as_str()))
    };
    let conv = |node: &&&Node| {
        node.target.starts_with("aten.conv") && !node.target.starts_with("aten.convolution")
    };
    if has(OUTER).is_some() || nodes.iter().any(|node| conv(&node)) {
        return None;
    }
    has(INNER).map(|node| node.target.clone())
}

impl<'a> Reading<'a> {
    /// A graph within, whose names are its own.
    fn inner_body(&mut self, given: &'a Value) -> Option<Body> {
        let names = std::mem::take(&mut self.names);
        let numbers = std::mem::take(&mut self.numbers);
        let body = self.body(given);
        (self.names, self.numbers) = (names, numbers);
        body
    }

    fn body(&mut self, given: &'a Value) -> Option<Body> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        for (name, number) in given["sym_int_values"].as_object().into_iter().flatten() {
            let size = self.size(number);
            self.numbers.insert(name.clone(), size);
        }
        for (name, meta) in given["tensor_values"].as_object()? {
            let tensor = Some(self.meta(meta));
            let id = ValueId::try_from(self.graph.values.len()).ok()?;
            self.graph.values.push(Named {
                name: name.clone(),
                tensor,
            });
            self.names.insert(name.clone(), id);
        }
        let of = |value: &Value| self.tensor_of(value.get("as_tensor")?);
        let inputs = given["inputs"].as_array().into_iter().flatten();
        let inputs = inputs
            .map(|input| of(input).unwrap_or(ValueId::MAX))
            .collect();
        let mut nodes = Vec::new();
        for node in given["nodes"].as_array()? {
            nodes.push(self.node(node));
        }
        let outputs = self.results(&given["outputs"]);
        self.depth -= 1;
        Some(Body {
            inputs,
            nodes,
            outputs,
        })
    }

    fn node(&mut self, given: &'a Value) -> Node {
        let target = given["target"].as_str().unwrap_or_default();
        let target = target.strip_prefix("torch.ops.").unwrap_or(target);
        let arguments = given["inputs"].as_array().into_iter().flatten();
        let arguments = arguments.map(|input| {
            let name = input["name"].as_str().unwrap_or_default().to_owned();
            let argument = &input["arg"];
            let inner = argument
                .get("as_graph")
                .and_then(|inner| self.inner_body(&inner["graph"]));
            let body = inner.map(|body| Argument::Body(Box::new(body)));
            (name, body.unwrap_or_else(|| self.argument(argument)))
        });
        let arguments = arguments.collect();
        let metadata = &given["metadata"];
        let stack = metadata["nn_module_stack"].as_str().unwrap_or_default();
        let stack = stack.split(';').filter_map(|call| self.module(call));
        let stack = stack.collect();
        Node {
            target: target.to_owned(),
            arguments,
            outputs: self.results(&given["outputs"]),
            stack,
            source: metadata["stack_trace"].as_str().and_then(line),
        }
    }

    /// A call of a module: `L__self__layer,layer,torch.nn.modules.linear.Linear`.
    fn module(&mut self, given: &'a str) -> Option<u32> {
        if let Some(&known) = self.modules.get(given) {
            return Some(known);
        }
        let mut parts = given.splitn(3, ',');
        let (call, path, class) = (parts.next()?, parts.next()?, parts.next()?);
        if call.starts_with("_empty_nn_module_stack") {
            return None;
        }
        let at = u32::try_from(self.graph.modules.len()).ok()?;
        self.graph.modules.push(Module {
            call: call.to_owned(),
            path: path.to_owned(),
            class: class.to_owned(),
        });
        self.modules.insert(given, at);
        Some(at)
    }

    /// Reads the kinds of the body's inputs from the signature.
    fn read_inputs(&mut self, module: &Value, weights: &Value) {
        let mut stored: BTreeMap<&str, usize> = BTreeMap::new();
        let mut known: BTreeSet<ValueId> = BTreeSet::new();
        let place = |path: &str| weights["config"][path]["path_name"].as_str();
        let specs = module["signature"]["input_specs"].as_array();
        for (at, spec) in specs.into_iter().flatten().enumerate() {
            let Some((kind, spec)) = spec.as_object().and_then(|spec| spec.iter().next()) else {
                continue;
            };
            let argument = &spec["arg"];
            let value = self.tensor_of(argument);
            let value = value.or_else(|| self.tensor_of(argument.get("as_tensor")?));
            let path = |key: &str| spec[key].as_str().unwrap_or_default().to_owned();
            let kind = match kind.as_str() {
                "parameter" => {
                    let path = path("parameter_name");
                    let tied_to = place(&path).and_then(|place| {
                        let first = *stored.entry(place).or_insert(at);
                        (first != at).then_some(first)
                    });
                    InputKind::Parameter { path, tied_to }
                }
                "buffer" => InputKind::Buffer {
                    path: path("buffer_name"),
                },
                "tensor_constant" | "custom_obj" => InputKind::Constant,
                "user_input" if value.is_some() => InputKind::User,
                _ => InputKind::Fixed,
            };
            let value = value.unwrap_or(ValueId::MAX);
            known.insert(value);
            self.graph.inputs.push(Input { value, kind });
        }
    }
}

/// The last line of a stack: where it is, and what it says.
fn line(stack: &str) -> Option<String> {
    let lines = stack.lines().map(str::trim);
    let mut at = lines.filter(|line| line.starts_with("File \""));
    at.next_back().map(str::to_owned)
}

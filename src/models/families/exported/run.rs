//! Runs the nodes of a graph.

use super::call::{Call, Results};
use super::casts::Casts;
use super::gaps::Gap;
use super::lifetimes::Lifetimes;
use super::table::{self, Known};
use crate::exported::{Argument, Body, Node, ValueId};
use crate::model::ExportedConfig;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;

/// A graph that runs.
pub(super) struct Running<'a> {
    pub(super) t: &'a Tape,
    pub(super) config: &'a ExportedConfig,
    /// Scopes of the calls of modules.
    pub(super) scopes: &'a [u32],
    pub(super) values: Vec<Option<Tensor>>,
    pub(super) casts: &'a Casts,
    /// Dtypes that values have had.
    pub(super) ran: Vec<Option<DType>>,
    pub(super) gaps: &'a RefCell<Vec<Gap>>,
}

impl Running<'_> {
    pub(super) fn put(&mut self, id: ValueId, tensor: Option<Tensor>) {
        if let (Some(tensor), Some(ran)) = (&tensor, self.ran.get_mut(id as usize)) {
            *ran = Some(tensor.dtype());
        }
        if let Some(place) = self.values.get_mut(id as usize) {
            *place = tensor;
        }
    }

    fn get(&self, id: ValueId) -> Option<Tensor> {
        self.values.get(id as usize)?.clone()
    }

    /// Runs a body, whose inputs are there, and gives what comes out.
    pub(super) fn body(&mut self, body: &Body, lifetimes: &Lifetimes) -> Vec<Option<Tensor>> {
        for (at, node) in body.nodes.iter().enumerate() {
            let scope = node
                .stack
                .last()
                .and_then(|&module| self.scopes.get(module as usize));
            match scope {
                Some(&scope) => self.t.in_scope(scope, || self.node(node)),
                None => self.node(node),
            }
            for &gone in lifetimes.after(at) {
                self.put(gone, None);
            }
        }
        let outputs = body.outputs.iter();
        outputs.map(|id| id.and_then(|id| self.get(id))).collect()
    }

    fn node(&mut self, node: &Node) {
        match table::find(&node.target) {
            Known::Nothing => {}
            Known::Region => self.region(node),
            Known::Arm(arm) => {
                let results = arm(&self.call(node));
                self.keep(node, results);
            }
            Known::WithoutGradient => {
                let results = table::without_gradient(&self.call(node));
                self.keep(node, results);
            }
            Known::Unknown => self.keep(node, None),
        }
    }

    fn call<'b>(&'b self, node: &'b Node) -> Call<'b> {
        Call {
            t: self.t,
            config: self.config,
            node,
            values: &self.values,
            casts: self.casts,
            ran: &self.ran,
        }
    }

    /// Keeps the results of a node, which must be of the shapes that the graph says.
    fn keep(&mut self, node: &Node, results: Results) {
        let wanted: Vec<Option<(Shape, DType)>> = node
            .outputs
            .iter()
            .map(|id| {
                let meta = self.config.graph.tensor((*id)?)?;
                Some((
                    self.config.shape(meta)?,
                    meta.dtype.unwrap_or(DType::Float32),
                ))
            })
            .collect();
        let fits = |results: &Vec<Tensor>| {
            let pairs = wanted.iter().zip(results);
            results.len() >= wanted.len()
                && pairs.into_iter().all(|(wanted, made)| {
                    wanted
                        .as_ref()
                        .is_none_or(|(shape, _)| shape == made.shape())
                })
        };
        let in_place = table::writes_in_place(node);
        let results = results.filter(fits).unwrap_or_else(|| {
            let gap = Gap::of(&self.config.graph, node);
            self.gaps.borrow_mut().push(gap);
            let inputs = self.call(node).all_tensors();
            let inputs: Vec<&Tensor> = inputs.iter().collect();
            let nothing = (Shape::from([0]), DType::Float32);
            let shapes: Vec<(Shape, DType)> =
                wanted.iter().map(|made| made.unwrap_or(nothing)).collect();
            self.t.unknown(&inputs, &shapes)
        });
        if let (true, Some(result)) = (in_place, results.first()) {
            let x = self.call(node).x_id();
            if let Some(id) = x {
                self.write_through(node, id, result);
                self.put(id, Some(result.clone()));
            }
        }
        for (id, result) in node.outputs.iter().zip(results) {
            if let Some(id) = id {
                self.put(*id, Some(result));
            }
        }
    }

    /// Puts what was written into a view into the tensor that it is a view of.
    fn write_through(&mut self, node: &Node, view: ValueId, result: &Tensor) {
        let Some(base) = self.casts.base(view) else {
            return;
        };
        let Some(tensor) = self.get(base) else { return };
        let source = self.call(node).tensor("src");
        let part = match node.operation() {
            "fill_" | "zero_" => None,
            _ => Some(source.as_ref().unwrap_or(result)),
        };
        let written = self.t.written_through(&tensor, *result.shape(), part);
        self.put(base, Some(written));
    }

    /// A graph within: `wrap_with_set_grad_enabled(flag, graph, ...)`, `wrap_with_autocast(...)`.
    fn region(&mut self, node: &Node) {
        let body = node
            .arguments
            .iter()
            .find_map(|(_, argument)| match argument {
                Argument::Body(body) => Some(body),
                _ => None,
            });
        let Some(body) = body else {
            return self.keep(node, None);
        };
        let after = node
            .arguments
            .iter()
            .skip_while(|(_, argument)| !matches!(argument, Argument::Body(_)));
        let given = after.filter_map(|(_, argument)| match argument {
            Argument::Tensor(id) => Some(*id),
            _ => None,
        });
        let given: Vec<Option<Tensor>> = given.map(|id| self.get(id)).collect();
        for (id, tensor) in body.inputs.iter().zip(given) {
            self.put(*id, tensor);
        }
        let lifetimes = Lifetimes::of(body);
        let t = self.t;
        let flag = node
            .arguments
            .iter()
            .find_map(|(_, argument)| match argument {
                Argument::Bool(flag) => *flag,
                _ => None,
            });
        let results = if node.target.contains("set_grad_enabled") {
            let before = t.set_grad_enabled(flag.unwrap_or(false) && t.is_grad_enabled());
            let results = self.body(body, &lifetimes);
            t.set_grad_enabled(before);
            results
        } else if node.target.contains("autocast") && flag == Some(false) {
            t.without_autocast(|| self.body(body, &lifetimes))
        } else {
            self.body(body, &lifetimes)
        };
        for id in &body.inputs {
            self.put(*id, None);
        }
        let results: Option<Vec<Tensor>> = results.into_iter().collect();
        self.keep(node, results);
    }
}

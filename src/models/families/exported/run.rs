//! Runs the nodes of a graph.

use super::call::{Call, Results};
use super::gaps::Gap;
use super::layers::LayerCall;
use super::lifetimes::{self, Lifetimes};
use super::program::Program;
use super::table::{self, Known};
use crate::ask::ActivationCheckpointing;
use crate::exported::{Argument, Body, Node, ValueId, Variables};
use crate::tape::{Function, Region, Results as Tensors, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// The dtypes that values have had in a forward pass, by their ids.
pub(super) type Ran = Rc<RefCell<Vec<Option<DType>>>>;

/// A graph that runs, or a part of one.
pub(super) struct Running<'a> {
    t: &'a Tape,
    program: &'a Rc<Program>,
    values: Vec<Option<Tensor>>,
    ran: Ran,
}

impl<'a> Running<'a> {
    /// A forward pass of which nothing has run.
    pub(super) fn new(t: &'a Tape, program: &'a Rc<Program>) -> Self {
        let ran = vec![None; program.held.len()];
        let running = Self::part(t, program, Rc::new(RefCell::new(ran)));
        let mut ran = running.ran.borrow_mut();
        for (dtype, held) in ran.iter_mut().zip(&program.held) {
            *dtype = held.as_ref().map(Tensor::dtype);
        }
        drop(ran);
        running
    }

    /// A part of a forward pass: what the model holds is there.
    fn part(t: &'a Tape, program: &'a Rc<Program>, ran: Ran) -> Self {
        Self {
            t,
            program,
            values: program.held.clone(),
            ran,
        }
    }

    /// The whole graph, whose inputs are there, and what comes out.
    pub(super) fn graph(&mut self) -> Vec<Option<Tensor>> {
        let program = Rc::clone(self.program);
        let body = &program.config.graph.body;
        let apart =
            program.checkpointing != ActivationCheckpointing::None || self.t.wraps_modules();
        let mut at = 0;
        for call in program.layers.iter().filter(|_| apart) {
            self.nodes(body, at..call.nodes.start, &program.lifetimes);
            self.layer(call);
            at = call.nodes.end;
        }
        self.nodes(body, at..body.nodes.len(), &program.lifetimes);
        self.outputs(&lifetimes::returned(body))
    }

    /// A layer: wrappers see what goes in and comes out, and it may be one that backward runs again.
    fn layer(&mut self, call: &LayerCall) {
        let program = Rc::clone(self.program);
        let inputs: Option<Vec<Tensor>> = call.inputs.iter().map(|id| self.get(*id)).collect();
        let scope = program.layer_scope(call);
        let (Some(mut inputs), Some(scope)) = (inputs, scope) else {
            let body = &program.config.graph.body;
            return self.nodes(body, call.nodes.clone(), &program.lifetimes);
        };
        let t = self.t;
        let results = t.in_scope(scope, || {
            t.before_module(&mut inputs.iter_mut().collect::<Vec<_>>());
            let mut results = self.checkpointed(call, &inputs);
            t.after_module(&mut results.iter_mut().collect::<Vec<_>>());
            results
        });
        for (id, result) in call.outputs.iter().zip(results) {
            self.put(*id, Some(result));
        }
        for at in call.nodes.clone() {
            for &gone in program.lifetimes.after(at) {
                self.put(gone, None);
            }
        }
    }

    fn checkpointed(&self, call: &LayerCall, inputs: &[Tensor]) -> Tensors {
        let (t, region) = (self.t, self.region(call));
        match (self.program.checkpointing, inputs) {
            (ActivationCheckpointing::None, _) | (_, []) => region(t, inputs),
            (ActivationCheckpointing::FullReentrant, _) => {
                let inputs: Vec<&Tensor> = inputs.iter().collect();
                t.checkpoint_reentrant(&inputs, region, Rc::new(()))
            }
            (_, [first, others @ ..]) => {
                let others = others.to_vec();
                let again: Region<Tensors> = Rc::new(move |t, first| {
                    let inputs = [std::slice::from_ref(first), &others].concat();
                    region(t, &inputs)
                });
                t.checkpoint(first, &again)
            }
        }
    }

    /// A layer as it can be run again.
    fn region(&self, call: &LayerCall) -> Function {
        let (program, ran) = (Rc::clone(self.program), Rc::clone(&self.ran));
        let nodes = call.nodes.clone();
        let (ids, outputs) = (call.inputs.clone(), call.outputs.clone());
        Rc::new(move |t, inputs| {
            let mut running = Running::part(t, &program, Rc::clone(&ran));
            for (id, input) in ids.iter().zip(inputs) {
                running.put(*id, Some(input.clone()));
            }
            let body = &program.config.graph.body;
            running.nodes(body, nodes.clone(), &program.lifetimes);
            let results = outputs.iter().map(|id| {
                let nothing = || t.empty("kernel", Shape::from([0]), DType::Float32);
                running.get(*id).unwrap_or_else(nothing)
            });
            results.collect()
        })
    }

    pub(super) fn put(&mut self, id: ValueId, tensor: Option<Tensor>) {
        let mut ran = self.ran.borrow_mut();
        if let (Some(tensor), Some(ran)) = (&tensor, ran.get_mut(id as usize)) {
            *ran = Some(tensor.dtype());
        }
        drop(ran);
        if let Some(place) = self.values.get_mut(id as usize) {
            *place = tensor;
        }
    }

    fn get(&self, id: ValueId) -> Option<Tensor> {
        self.values.get(id as usize)?.clone()
    }

    /// Runs a body, whose inputs are there, and gives what comes out.
    fn body(&mut self, body: &Body, lifetimes: &Lifetimes) -> Vec<Option<Tensor>> {
        self.nodes(body, 0..body.nodes.len(), lifetimes);
        self.outputs(&body.outputs)
    }

    fn outputs(&self, ids: &[Option<ValueId>]) -> Vec<Option<Tensor>> {
        ids.iter()
            .map(|id| id.and_then(|id| self.get(id)))
            .collect()
    }

    /// Runs some nodes of a body one after the other.
    fn nodes(&mut self, body: &Body, nodes: Range<usize>, lifetimes: &Lifetimes) {
        let each = body.nodes.get(nodes.clone()).unwrap_or_default();
        for (at, node) in nodes.zip(each) {
            let module = node.stack.last();
            let scope = module.and_then(|&module| self.program.scopes.of_call(module));
            match scope {
                Some(scope) => self.t.in_scope(scope, || self.node(node)),
                None => self.node(node),
            }
            for &gone in lifetimes.after(at) {
                self.put(gone, None);
            }
        }
    }

    fn node(&mut self, node: &Node) {
        let run = |arm: &dyn Fn(&Call) -> Results| {
            let ran = self.ran.borrow();
            arm(&self.call(node, &ran))
        };
        match table::find(&node.target) {
            Known::Nothing => {}
            Known::Region => self.inner_graph(node),
            Known::Arm(arm) => {
                let results = run(&arm);
                self.keep(node, results);
            }
            Known::WithoutGradient => {
                let results = run(&table::without_gradient);
                self.keep(node, results);
            }
            Known::Unknown => self.keep(node, None),
        }
    }

    fn call<'b>(&'b self, node: &'b Node, ran: &'b [Option<DType>]) -> Call<'b> {
        Call {
            t: self.t,
            program: self.program,
            node,
            values: &self.values,
            ran,
        }
    }

    /// Keeps the results of a node, which must be of the shapes that the graph says.
    fn keep(&mut self, node: &Node, results: Results) {
        let wanted: Vec<Option<(Shape, DType)>> = node
            .outputs
            .iter()
            .map(|id| {
                let meta = self.program.config.graph.tensor((*id)?)?;
                Some((
                    self.program.config.shape(meta)?,
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
        let in_place = node.writes_in_place();
        let results = results.filter(fits).unwrap_or_else(|| {
            let gap = Gap::of(&self.program.config.graph, node);
            self.program.gaps.borrow_mut().push(gap);
            let inputs = self.call(node, &[]).all_tensors();
            let inputs: Vec<&Tensor> = inputs.iter().collect();
            let nothing = (Shape::from([0]), DType::Float32);
            let shapes: Vec<(Shape, DType)> =
                wanted.iter().map(|made| made.unwrap_or(nothing)).collect();
            self.t.unknown(&inputs, &shapes)
        });
        if let (true, Some(result)) = (in_place, results.first()) {
            let x = self.call(node, &[]).x_id();
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

    /// Puts the values written into a view into its base tensor.
    fn write_through(&mut self, node: &Node, view: ValueId, result: &Tensor) {
        let Some(base) = self.program.casts.base(view) else {
            return;
        };
        let Some(tensor) = self.get(base) else { return };
        let source = self.call(node, &[]).tensor("src");
        let part = match node.operation() {
            "fill_" | "zero_" => None,
            _ => Some(source.as_ref().unwrap_or(result)),
        };
        let written = self.t.written_through(&tensor, *result.shape(), part);
        self.put(base, Some(written));
    }

    /// A graph within: `wrap_with_set_grad_enabled(flag, graph, ...)`, `wrap_with_autocast(...)`.
    fn inner_graph(&mut self, node: &Node) {
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
        let lifetimes = Lifetimes::of(body, &body.outputs, &Variables::new());
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

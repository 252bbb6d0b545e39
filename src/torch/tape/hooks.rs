//! Hooks: calls to a model's wrapper around its modules and within the backward pass.
//!
//! Source: `torch/nn/modules/module.py` (`register_forward_pre_hook`, `register_forward_hook`),
//! `torch/csrc/autograd/engine.cpp` (`call_tensor_pre_hooks`, `queue_callback`), torch 2.15.

use super::graph::{BackwardHook, Edge, Grads, Leaf};
use super::{Tape, Tensor};
use crate::units::{DType, Stream};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A wrapper of the modules of a model. Modules are named by their scopes.
pub trait ModuleHooks {
    /// Runs before the module; `inputs` may be replaced.
    fn before(&self, t: &Tape, module: u32, inputs: &mut [&mut Tensor]);

    /// Runs after the module; `outputs` may be replaced.
    fn after(&self, t: &Tape, module: u32, outputs: &mut [&mut Tensor]);

    /// Runs before a submodule whose only parameter is `weight`; `input` may be replaced.
    fn before_leaf(&self, _t: &Tape, _weight: &Tensor, _input: &mut Tensor) {}

    /// Runs after a submodule whose only parameter is `weight`; `output` may be replaced.
    fn after_leaf(&self, _t: &Tape, _weight: &Tensor, _output: &mut Tensor) {}

    /// The dtype of a submodule's weight for others, where it differs from the dtype that the submodule computes with.
    fn dtype_of_leaf(&self, _weight: &Tensor) -> Option<DType> {
        None
    }
}

/// A wrapper of every module: it gathers the module's own parameters around each call.
pub trait ParameterHooks {
    /// Before a module runs on tensors that it is given by their places, which may be replaced.
    fn before(&self, t: &Tape, module: &Called, inputs: &mut [&mut Tensor]);

    /// After it has given tensors, which may be replaced.
    fn after(&self, t: &Tape, module: &Called, outputs: &mut [&mut Tensor]);

    /// Gathers the parameters among some tensors that are not in memory, for code that reads them outside of modules.
    /// Returns their indices.
    fn hold(&self, _t: &Tape, _tensors: &[Tensor]) -> Vec<usize> {
        Vec::new()
    }

    /// Releases the parameters that [`ParameterHooks::hold`] gathered.
    fn give_back(&self, _t: &Tape, _held: &[usize]) {}
}

/// The wrapper of a model beside the trained one.
#[derive(Clone, Default)]
pub struct OwnHooks {
    modules: Option<Rc<dyn ModuleHooks>>,
    parameters: Option<Rc<dyn ParameterHooks>>,
}

impl OwnHooks {
    /// The hooks of a wrapper of some modules.
    pub fn of_modules(hooks: Rc<dyn ModuleHooks>) -> Self {
        Self {
            modules: Some(hooks),
            parameters: None,
        }
    }

    /// The hooks of a wrapper of every module.
    pub fn of_parameters(hooks: Rc<dyn ParameterHooks>) -> Self {
        Self {
            modules: None,
            parameters: Some(hooks),
        }
    }

    /// Calls `run`, which reads parameters of the model outside of its modules.
    pub(super) fn holding<R>(&self, t: &Tape, tensors: &[Tensor], run: impl FnOnce() -> R) -> R {
        let Some(hooks) = &self.parameters else {
            return run();
        };
        let held = hooks.hold(t, tensors);
        let result = run();
        hooks.give_back(t, &held);
        result
    }
}

/// A module that is called: the name of its operation, and its own parameters.
pub struct Called<'a> {
    /// Its operation.
    pub op: &'static str,
    /// Its parameters.
    pub own: &'a [Option<&'a Tensor>],
    /// Parameters in `own` that the module does not compute with while it runs, since something else does.
    pub away: &'a [Option<&'a Tensor>],
    /// Whether the hooks treat it as one module and do not see the modules in it
    /// (`deepspeed/runtime/zero/leaf_module_config.py`).
    pub is_leaf: bool,
}

impl Called<'static> {
    /// A module without parameters of its own.
    pub const fn bare(op: &'static str) -> Self {
        Self::with(op, &[])
    }
}

impl<'a> Called<'a> {
    /// A module with parameters of its own.
    pub const fn with(op: &'static str, own: &'a [Option<&'a Tensor>]) -> Self {
        Self {
            op,
            own,
            away: &[],
            is_leaf: false,
        }
    }
}

/// A hook on gradients of several tensors, with their places in the graph.
pub struct Hooked {
    _places: Vec<Edge>,
}

/// The hooks of a tape.
#[derive(Default)]
pub(super) struct Hooks {
    modules: RefCell<Option<Rc<dyn ModuleHooks>>>,
    parameters: RefCell<Option<Rc<dyn ParameterHooks>>>,
    /// The scope of the model that they wrap.
    root: Cell<u32>,
    /// Whether a leaf runs.
    in_leaf: Cell<bool>,
    /// The function that runs before a parameter takes its gradient.
    pub(super) arrival: RefCell<Option<BackwardHook>>,
    /// Functions that run when the current backward pass has ended (`queue_callback`).
    at_end: RefCell<Vec<BackwardHook>>,
}

impl Tape {
    /// Calls `hook` whenever a parameter has taken its gradient, as
    /// `register_post_accumulate_grad_hook` on all of them does: it sees this parameter only.
    pub fn on_gradient(&self, hook: impl Fn(&Self) + 'static) {
        self.gradient_hook.replace(Some(Rc::new(hook)));
    }

    /// Calls `hook` whenever a gradient comes to a parameter, before that takes it, as `register_hook` on all of
    /// them does.
    pub fn before_gradient(&self, hook: impl Fn(&Self) + 'static) {
        self.hooks.arrival.replace(Some(Rc::new(hook)));
    }

    /// Wraps the modules of the model that is built on this tape.
    pub fn wrap_modules(&self, hooks: Rc<dyn ModuleHooks>) {
        self.hooks.modules.replace(Some(hooks));
    }

    /// Runs `run` on a model of the current scope whose modules these hooks wrap, and no others.
    pub fn with_hooks<R>(&self, hooks: &OwnHooks, run: impl FnOnce() -> R) -> R {
        let modules = self.hooks.modules.replace(hooks.modules.clone());
        let parameters = self.hooks.parameters.replace(hooks.parameters.clone());
        let root = self.hooks.root.replace(self.scope());
        let result = run();
        self.hooks.root.set(root);
        self.hooks.modules.replace(modules);
        self.hooks.parameters.replace(parameters);
        result
    }

    /// Whether modules are wrapped.
    pub fn wraps_modules(&self) -> bool {
        self.hooks.modules.borrow().is_some() || self.wraps_parameters()
    }

    /// Wraps every module. Linear layers are functions of their own then ([`Tape::linear_function`]).
    pub fn wrap_parameters(&self, hooks: Rc<dyn ParameterHooks>) {
        self.hooks.parameters.replace(Some(hooks));
    }

    /// Whether every module is wrapped.
    pub(super) fn wraps_parameters(&self) -> bool {
        self.hooks.parameters.borrow().is_some()
    }

    /// Calls a module with one input by its place, and one result. Where the recomputation of a checkpointed region
    /// ends within it, it gives nothing.
    pub fn with_own<const N: usize>(
        &self,
        op: &'static str,
        own: [Option<&Tensor>; N],
        x: &Tensor,
        run: impl FnOnce(&Tensor) -> Tensor,
    ) -> Tensor {
        let wrapped = self.wraps_parameters();
        let (module, mut given) = (Called::with(op, &own), None);
        if wrapped {
            self.enter(&module, &mut [given.insert(x.clone())]);
        }
        let mut out = run(given.as_ref().unwrap_or(x));
        if wrapped {
            self.leave(&module, &mut [&mut out]);
        }
        out
    }

    /// The module that runs reads parameters of others.
    pub fn read_outside(&self, parameters: &[Option<&Tensor>]) {
        self.enter(&Called::with("external", parameters), &mut []);
    }

    /// The dtype of a parameter as code outside of its module sees it.
    pub fn dtype_outside(&self, parameter: &Tensor) -> DType {
        let hooks = self.hooks.modules.borrow();
        let of_leaf = hooks
            .as_ref()
            .and_then(|hooks| hooks.dtype_of_leaf(parameter));
        of_leaf.unwrap_or_else(|| parameter.dtype())
    }

    /// A module is called.
    pub fn enter(&self, module: &Called, inputs: &mut [&mut Tensor]) {
        if self.hooks.in_leaf.get() {
            return;
        }
        self.hooks.in_leaf.set(module.is_leaf);
        let hooks = self.hooks.parameters.borrow().clone();
        if let Some(hooks) = hooks.filter(|_| !self.recorder.is_muted()) {
            hooks.before(self, module, inputs);
        }
    }

    /// A module has given its results.
    pub fn leave(&self, module: &Called, outputs: &mut [&mut Tensor]) {
        if self.hooks.in_leaf.get() && !module.is_leaf {
            return;
        }
        self.hooks.in_leaf.set(false);
        let hooks = self.hooks.parameters.borrow().clone();
        if let Some(hooks) = hooks.filter(|_| !self.recorder.is_muted()) {
            hooks.after(self, module, outputs);
        }
    }

    /// The module of the current scope is called with tensors.
    pub fn before_module(&self, inputs: &mut [&mut Tensor]) {
        let hooks = self.hooks.modules.borrow().clone();
        if let Some(hooks) = hooks {
            hooks.before(self, self.scope(), inputs);
        }
        self.enter(&Called::bare(self.module_name()), inputs);
    }

    /// Calls the module of the current scope, which is not a layer, with one input and one result: wrappers of
    /// modules can take it for one of theirs.
    pub fn around_module(&self, x: &Tensor, run: impl FnOnce(&Tensor) -> Tensor) -> Tensor {
        if self.hooks.modules.borrow().is_none() {
            return run(x);
        }
        let mut x = x.clone();
        self.before_part(&mut [&mut x]);
        let mut out = run(&x);
        self.after_part(&mut [&mut out]);
        out
    }

    /// The module of the current scope, which is a part of a layer or beside layers, is called with tensors.
    pub fn before_part(&self, inputs: &mut [&mut Tensor]) {
        if let Some(hooks) = self.hooks_of_parts() {
            hooks.before(self, self.scope(), inputs);
        }
    }

    /// The module of the current scope has returned tensors.
    pub fn after_part(&self, outputs: &mut [&mut Tensor]) {
        if let Some(hooks) = self.hooks_of_parts() {
            hooks.after(self, self.scope(), outputs);
        }
    }

    /// The wrapper of modules; `None` once a recomputation has made all saved tensors and the rest of it runs muted.
    fn hooks_of_parts(&self) -> Option<Rc<dyn ModuleHooks>> {
        let hooks = self.hooks.modules.borrow().clone();
        hooks.filter(|_| !self.recorder.is_muted())
    }

    fn module_name(&self) -> &'static str {
        let is_root = self.scope() == self.hooks.root.get();
        if is_root { "root" } else { "layer" }
    }

    /// The module of the current scope has given tensors.
    pub fn after_module(&self, outputs: &mut [&mut Tensor]) {
        let hooks = self.hooks.modules.borrow().clone();
        if let Some(hooks) = hooks {
            hooks.after(self, self.scope(), outputs);
        }
        self.leave(&Called::bare(self.module_name()), outputs);
    }

    /// A linear layer `[.., inputs]` to `[.., outputs]` of this weight alone, called as a module.
    pub fn linear_module(&self, x: &Tensor, weight: &Tensor) -> Tensor {
        let hooks = self.hooks.modules.borrow().clone();
        let Some(hooks) = hooks else {
            return self.linear(x, weight, None);
        };
        let mut x = x.clone();
        hooks.before_leaf(self, weight, &mut x);
        let mut output = self.linear(&x, weight, None);
        drop(x);
        hooks.after_leaf(self, weight, &mut output);
        output
    }

    /// `x` as a tensor that keeps its gradient, which it takes on `stream`, and runs `hook` there when it has
    /// (`AccumulateGrad.register_hook`).
    pub fn leaf(&self, x: &Tensor, stream: Stream, hook: BackwardHook) -> Tensor {
        let leaf = Leaf {
            hook: Some(hook),
            stream,
            ..Leaf::default()
        };
        x.detach().with_edge(Edge::Leaf(Rc::new(leaf)))
    }

    /// Runs `hook` when the gradient of `x` is complete, before the operation that made `x` goes backward, or
    /// before `x` takes it where it keeps it (`x.register_hook`). Nothing happens where no gradient flows to it.
    pub fn on_gradient_of(&self, x: &Tensor, hook: BackwardHook) {
        match x.resolved_edge() {
            Some(Edge::Node(node, _)) => node.hooks.borrow_mut().push(hook),
            Some(Edge::Leaf(leaf)) => leaf.hooks.borrow_mut().push(hook),
            Some(Edge::Redirected(_)) | None => {}
        }
    }

    /// Runs `hook` when the gradients of all `tensors` are complete (`register_multi_grad_hook`). Returns the handle
    /// that removes the hook: until then it holds the nodes of `tensors`, and with them the leaves that keep gradients.
    pub fn on_gradients_of(&self, tensors: &[&Tensor], hook: &BackwardHook) -> Hooked {
        let missing = Rc::new(Cell::new(tensors.len()));
        for x in tensors {
            let (missing, hook) = (Rc::clone(&missing), Rc::clone(hook));
            let counted = move |t: &Tape| {
                missing.set(missing.get() - 1);
                if missing.get() == 0 {
                    hook(t);
                }
            };
            self.on_gradient_of(x, Rc::new(counted));
        }
        let places = tensors.iter().filter_map(|x| x.resolved_edge());
        Hooked {
            _places: places.collect(),
        }
    }

    /// A `torch.autograd.Function` that returns its inputs as they are, and runs `hook` when gradients have
    /// come to all of its outputs. Where no gradient flows to an input nothing happens.
    pub fn pass_through(&self, inputs: &mut [&mut Tensor], hook: BackwardHook) {
        self.identity(inputs, move |t, _| hook(t));
    }

    /// Puts aside the gradient of one tensor when it comes.
    pub fn keep_gradient(&self, x: &mut Tensor, kept: Rc<RefCell<Option<Tensor>>>) {
        self.identity(&mut [x], move |_, gradients| {
            kept.replace(gradients.first().cloned().flatten());
        });
    }

    fn identity(&self, inputs: &mut [&mut Tensor], hook: impl Fn(&Self, &Grads) + 'static) {
        let trained: Vec<Tensor> = (inputs.iter().filter(|x| x.requires_grad()))
            .map(|x| (**x).clone())
            .collect();
        let given: Vec<&Tensor> = trained.iter().collect();
        if !self.records(&given) {
            return;
        }
        let mut node = self.unshared_node(
            &given,
            Box::new(move |t, gradients| {
                hook(t, gradients);
                gradients.clone()
            }),
            None,
        );
        node.is_function = true;
        let node = Rc::new(node);
        let trained = inputs.iter_mut().filter(|x| x.requires_grad());
        for (output, x) in (0..).zip(trained) {
            let edge = Edge::Node(Rc::clone(&node), output);
            **x = x.view_with(*x.shape(), x.strides(), Some(edge));
        }
    }

    /// Runs `hook` when the backward pass that is going on has ended.
    pub fn when_backward_ends(&self, hook: BackwardHook) {
        self.hooks.at_end.borrow_mut().push(hook);
    }

    /// A backward pass has ended.
    pub(super) fn backward_ended(&self) {
        self.wait_for_leaves();
        for hook in self.hooks.at_end.take() {
            hook(self);
        }
    }
}

impl Tensor {
    /// Its place in the graph, where a wrapper has put it.
    pub(super) fn resolved_edge(&self) -> Option<Edge> {
        resolved(self.edge()?)
    }

    /// Puts a tensor that was registered as one that a wrapper redirects in another place of the graph: that of `x`, or
    /// outside of it.
    pub fn redirect(&self, x: Option<&Tensor>) {
        if let Some(Edge::Redirected(place)) = self.edge() {
            place.replace(x.and_then(Tensor::resolved_edge));
        }
    }
}

/// The edge itself or, for a redirected one, the edge that the wrapper has put in its place.
pub(super) fn resolved(edge: &Edge) -> Option<Edge> {
    match edge {
        Edge::Redirected(place) => place.borrow().clone(),
        edge => Some(edge.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::{Backend, Category};
    use crate::units::{DType, Shape};

    #[test]
    fn a_hook_on_gradients_runs_when_all_are_there_and_holds_those_that_leaves_keep() {
        let t = Tape::new(Backend::default());
        let input = || t.allocate("x", Shape::from([512]), DType::Float32, Category::Inputs);
        let [x, y] = [t.input_leaf(&input()), t.input_leaf(&input())];
        let runs = Rc::new(Cell::new(0));
        let counted = Rc::clone(&runs);
        let hook: BackwardHook = Rc::new(move |_| counted.set(counted.get() + 1));
        let _held = t.on_gradients_of(&[&x, &y], &hook);
        let sum = t.add(&x, &y);
        assert_eq!(runs.get(), 0);
        t.backward(&t.sum_all(&sum));
        assert_eq!(runs.get(), 1);
        assert!(x.gradient().is_some());
    }
}

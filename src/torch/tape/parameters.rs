//! Parameters that get gradients, for the optimizer to step over.

use super::graph::{Edge, Leaf, ParameterId, Redirect};

use super::recorder::Recorder;
use super::tensor::Like;
use super::{Category, Storage, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A parameter and where its gradient is.
pub(super) enum Parameter {
    /// A parameter that modules compute with.
    Present(Present),
    /// A parameter of a module that was left out (Note [Layers that repeat], `folds.rs`).
    LeftOut(LeftOut),
}

/// The tensor that modules compute with, and where they leave its gradient.
#[derive(Clone)]
pub(super) struct Present {
    pub(super) tensor: Tensor,
    pub(super) leaf: Rc<Leaf>,
}

/// A parameter or buffer of a model, as a wrapper finds it.
#[derive(Clone)]
pub struct Registered {
    /// The tensor that modules compute with.
    pub tensor: Tensor,
    /// The module that has it.
    pub scope: u32,
    /// Its role in the module.
    pub role: Role,
}

/// A wrapper's work over the tensors of a model.
pub(super) type OnceMade = Box<dyn FnOnce(&Tape, &[Registered])>;

/// Sorts registered tensors in the order of `model.parameters()`: module by module, the adapters of a layer behind its
/// own parameters.
pub fn by_module(registered: &mut [Registered]) {
    let mut first = BTreeMap::new();
    for (place, entry) in registered.iter().enumerate() {
        first.entry(entry.scope).or_insert(place);
    }
    registered.sort_by_key(|entry| first.get(&entry.scope).copied());
}

/// The role of a tensor in its module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A parameter that gets a gradient.
    Trained,
    /// A parameter that gets none.
    Frozen,
    /// A buffer.
    Buffer,
    /// A parameter that another takes the place of.
    Untied,
    /// A buffer that the next one is made from.
    Draft,
}

impl Role {
    /// The category of its memory.
    pub const fn category(self) -> Category {
        match self {
            Self::Trained | Self::Frozen | Self::Untied => Category::Parameters,
            Self::Buffer | Self::Draft => Category::Buffers,
        }
    }
}

/// A choice among parameters.
type Chosen = fn(&Tensor) -> bool;

/// The parameters, and the gradients, that are visible to loops over all parameters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shown {
    one: Option<ParameterId>,
    gradients: [Option<Chosen>; 2],
}

impl Shown {
    /// Whether the gradients of all parameters are shown.
    fn is_whole(&self) -> bool {
        self.gradients.iter().all(Option::is_none)
    }

    /// Whether the gradient of a parameter is shown.
    fn shows(&self, parameter: &Tensor) -> bool {
        (self.gradients.iter().flatten()).all(|which| which(parameter))
    }
}

/// A parameter that was not built. Only the optimizer visits it, and there can be a hundred thousand of them.
pub(super) struct LeftOut {
    /// The parameter and its gradient but for their storages.
    pub(super) like: Rc<[Like; 2]>,
    pub(super) storage: Rc<Storage>,
    pub(super) grad: Cell<Option<Rc<Storage>>>,
    /// Whether its layer was left out, not just a module of that.
    pub(super) of_layer: bool,
}

impl LeftOut {
    /// Shows it with its gradient to `f`, as tensors that reuse the ones of the parameter before.
    fn show(
        &self,
        [tensor, grad]: &mut [Option<Tensor>; 2],
        f: impl FnOnce(&Tensor, Option<&Tensor>),
    ) {
        let [like, grad_like] = &*self.like;
        let tensor = like.over(&self.storage, tensor);
        let held = self.grad.take();
        let grad = held.as_ref().map(|held| grad_like.over(held, grad));
        self.grad.set(held.clone());
        f(tensor, grad);
    }
}

/// Layers that were left out, one after the other, in a loop over all parameters.
#[derive(Default)]
struct LayersPassed {
    /// The first parameter of each layer.
    first: Option<Rc<[Like; 2]>>,
    /// Events and storages before the last of them, and of the one before.
    begun: [usize; 2],
    passed: [usize; 2],
}

/// All events of a layer with fewer are written: to compare them takes longer than to read them.
const MANY_EVENTS: usize = 256;

impl LayersPassed {
    /// The next parameter. Of layers where the loop does the same few are written.
    fn come_to(&mut self, parameter: &LeftOut, recorder: &Recorder) {
        let is_first = |first: &Rc<[Like; 2]>| Rc::ptr_eq(first, &parameter.like);
        if self.first.as_ref().is_none_or(is_first) {
            let now = [recorder.event_count(), recorder.count()];
            let passed = [now[0] - self.begun[0], now[1] - self.begun[1]];
            if passed == self.passed && passed[0] >= MANY_EVENTS {
                recorder.leave_out(passed);
            }
            *self = Self {
                first: Some(Rc::clone(&parameter.like)),
                begun: now,
                passed,
            };
        }
    }
}

impl Tape {
    /// A parameter that gets a gradient.
    pub fn parameter(&self, shape: Shape, dtype: DType) -> Tensor {
        self.into_parameter(&self.memory_of_parameter("parameter", shape, dtype))
    }

    /// `torch.nn.Parameter(x)`: x's storage as a parameter that gets a gradient.
    pub fn into_parameter(&self, x: &Tensor) -> Tensor {
        x.set_category(Category::Parameters);
        let id = self.next_parameter_id();
        let leaf = Rc::new(Leaf {
            parameter: Cell::new(Some(id)),
            distributed: self.placement().is_distributed(),
            ..Leaf::default()
        });
        let edge = if self.redirects() {
            Edge::Redirected(Redirect::default())
        } else {
            Edge::Leaf(Rc::clone(&leaf))
        };
        let tensor = x.placed(self.placement()).with_edge(edge);
        let present = Present {
            tensor: tensor.clone(),
            leaf,
        };
        self.parameters
            .borrow_mut()
            .push(Parameter::Present(present));
        self.register(&tensor, Role::Trained);
        tensor
    }

    /// A parameter, made by `op`, that gets no gradient.
    pub fn frozen_parameter(&self, op: &'static str, shape: Shape, dtype: DType) -> Tensor {
        self.frozen(&self.memory_of_parameter(op, shape, dtype))
    }

    /// A parameter that gets no gradient, without a storage until [`Tape::give_storage_of_parameter`].
    pub fn frozen_parameter_without_storage(&self, shape: Shape, dtype: DType) -> Tensor {
        self.frozen(&self.without_storage(shape, dtype))
    }

    /// Allocates the storage of a parameter, as `op` does, unless parameters are elsewhere.
    pub fn give_storage_of_parameter(&self, op: &'static str, parameter: &Tensor) {
        if !self.parameters_elsewhere.get() {
            self.give_storage(op, parameter);
        }
    }

    fn frozen(&self, tensor: &Tensor) -> Tensor {
        let mut tensor = tensor.placed(self.placement());
        if self.redirects() {
            tensor = tensor.with_edge(Edge::Redirected(Redirect::default()));
        }
        self.register(&tensor, Role::Frozen);
        tensor
    }

    fn memory_of_parameter(&self, op: &'static str, shape: Shape, dtype: DType) -> Tensor {
        let make = || self.allocate(op, shape, dtype, Category::Parameters);
        if self.parameters_elsewhere.get() {
            self.without_memory(make)
        } else {
            make()
        }
    }

    /// The buffer `name`: a tensor of a module that is not trained.
    pub fn buffer(&self, name: &'static str, shape: Shape, dtype: DType) -> Tensor {
        let tensor = self.allocate(name, shape, dtype, Category::Buffers);
        self.register(&tensor, Role::Buffer);
        tensor
    }

    /// Elements of all parameters that are trained, those of layers that are left out included.
    pub fn trained_elements(&self) -> u64 {
        let mut elements = 0;
        self.for_each_parameter(|_, parameter, _| {
            elements += parameter.numel() * self.multiplicity(self.scope_of(parameter));
        });
        elements
    }

    /// Registers a tensor that the model does not keep, if a wrapper runs once all modules are made.
    pub fn register_while_made(&self, tensor: &Tensor, role: Role) {
        if self.once_made.borrow().is_some() {
            self.register(tensor, role);
        }
    }

    /// Sets the function of a wrapper that runs when all modules of a model are made, before its adapters are. It is
    /// given the parameters and buffers that are registered so far.
    pub fn once_modules_are_made(&self, run: impl FnOnce(&Self, &[Registered]) + 'static) {
        self.once_made.replace(Some(Box::new(run)));
    }

    /// Ends the making of a model's modules, and runs the wrapper's function. Notes of tensors that the model does not
    /// keep are dropped.
    pub fn modules_are_made(&self) {
        let Some(run) = self.once_made.take() else {
            return;
        };
        let mut made = self.take_registered();
        by_module(&mut made);
        run(self, &made);
        made.retain(|entry| !matches!(entry.role, Role::Untied | Role::Draft));
        self.register_again(made);
    }

    /// From here on parameters and buffers are noted for a wrapper of the model, which `redirects`
    /// parameters if it puts them in other places of the graph ([`Tensor::redirect`]).
    pub fn register_parameters(&self, redirects: bool) {
        self.registered.replace(Some((redirects, Vec::new())));
    }

    /// Takes the registered tensors, and ends registering.
    pub fn take_registered(&self) -> Vec<Registered> {
        let registered = self.registered.take();
        registered.map_or_else(Vec::new, |(_, registered)| registered)
    }

    /// Whether parameters and buffers are noted.
    pub fn is_registering(&self) -> bool {
        self.registered.borrow().is_some()
    }

    /// Registers tensors that were taken once more.
    pub fn register_again(&self, noted: Vec<Registered>) {
        self.registered.replace(Some((false, noted)));
    }

    fn redirects(&self) -> bool {
        let registered = self.registered.borrow();
        registered.as_ref().is_some_and(|(redirects, _)| *redirects)
    }

    fn register(&self, tensor: &Tensor, role: Role) {
        if let Some((_, registered)) = &mut *self.registered.borrow_mut() {
            registered.push(Registered {
                tensor: tensor.clone(),
                scope: self.scope(),
                role,
            });
        }
    }

    fn next_parameter_id(&self) -> ParameterId {
        ParameterId::try_from(self.parameters.borrow().len()).unwrap_or(ParameterId::MAX)
    }

    /// The parameters, as long as none is left out.
    pub(super) fn present_parameters(&self) -> Vec<Present> {
        let parameters = self.parameters.borrow();
        let present = parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Present(present) => Some(present.clone()),
            Parameter::LeftOut(_) => None,
        });
        present.collect()
    }

    /// Makes every parameter that gets a gradient a slice of one new tensor `[P]`
    /// (`_flatten_dense_tensors` of copies, whose slices become the parameters' data).
    pub fn flatten_parameters(&self) -> Tensor {
        let parameters = self.present_parameters();
        let copy = |p: &Present| self.clone_contiguous(&p.tensor.detach());
        let copies: Vec<Tensor> = parameters.iter().map(copy).collect();
        let numel = Shape::from([copies.iter().map(Tensor::numel).sum()]);
        let dtype = copies.first().map_or(DType::Float32, Tensor::dtype);
        let flat = self.allocate("cat", numel, dtype, Category::Parameters);
        copies.into_iter().rev().for_each(drop);
        for parameter in &parameters {
            parameter.tensor.free_storage();
        }
        flat
    }

    /// Puts the parameters so far in another order: `places` has a key for each, by which they are
    /// sorted.
    pub fn sort_parameters<K: Ord>(&self, places: impl Iterator<Item = K>) {
        let made = self.parameters.take();
        let mut placed: Vec<(K, Parameter)> = places.zip(made).collect();
        placed.sort_by(|(a, _), (b, _)| a.cmp(b));
        let sorted = placed.into_iter().map(|(_, parameter)| parameter);
        let sorted: Vec<Parameter> = sorted.collect();
        for (place, parameter) in (0..).zip(&sorted) {
            if let Parameter::Present(p) = parameter {
                p.leaf.parameter.set(Some(place));
            }
        }
        self.parameters.replace(sorted);
    }

    /// The parameters that get gradients, in the order in which they were made, with theirs.
    pub fn for_each_parameter(&self, mut f: impl FnMut(usize, &Tensor, Option<&Tensor>)) {
        let mut forms = [None, None];
        let shown = self.shown.get();
        let mut show = |i: usize, tensor: &Tensor, grad: Option<&Tensor>| {
            f(i, tensor, grad.filter(|_| shown.shows(tensor)));
        };
        self.for_each_shown(|i, parameter| match parameter {
            Parameter::Present(p) => show(i, &p.tensor, p.leaf.grad.borrow().as_ref()),
            Parameter::LeftOut(p) => p.show(&mut forms, |tensor, grad| show(i, tensor, grad)),
        });
    }

    /// Takes every gradient, in the order of the parameters, none of which is left out.
    pub fn take_gradients(&self) -> Vec<Tensor> {
        let mut taken = Vec::new();
        self.for_each_shown(|_, parameter| {
            if let Parameter::Present(p) = parameter {
                taken.extend(p.leaf.grad.take());
            }
        });
        taken
    }

    /// Drops every gradient, in the order of the parameters.
    pub fn drop_gradients(&self) {
        let mut forms = [None, None];
        let shown = self.shown.get();
        self.for_each_shown(|_, parameter| match parameter {
            Parameter::Present(p) if shown.shows(&p.tensor) => drop(p.leaf.grad.take()),
            Parameter::LeftOut(p) => {
                let mut leaves = shown.is_whole();
                if !leaves {
                    p.show(&mut forms, |tensor, _| leaves = shown.shows(tensor));
                }
                if leaves {
                    drop(p.grad.take());
                }
            }
            Parameter::Present(_) => {}
        });
    }

    fn for_each_shown(&self, mut f: impl FnMut(usize, &Parameter)) {
        let parameters = self.parameters.borrow();
        let shown = match self.shown.get().one {
            Some(one) => one as usize..one as usize + 1,
            None => 0..parameters.len(),
        };
        let mut layers = LayersPassed::default();
        for (i, parameter) in shown.clone().zip(parameters.get(shown).unwrap_or_default()) {
            if let Parameter::LeftOut(p) = parameter
                && p.of_layer
            {
                layers.come_to(p, &self.recorder);
            }
            f(i, parameter);
        }
    }

    /// Runs `f` as if there were this parameter only.
    pub(super) fn with_parameter(&self, one: ParameterId, f: impl FnOnce()) {
        let before = self.shown.get();
        let one = Some(one);
        self.shown.set(Shown { one, ..before });
        f();
        self.shown.set(before);
    }

    /// Runs `f` as if only the parameters that `which` names had gradients; within another such call, the parameters
    /// that both name.
    pub fn with_gradients_of(&self, which: Chosen, f: impl FnOnce(&Self)) {
        let before = self.shown.get();
        let [outer, inner] = before.gradients;
        self.shown.set(Shown {
            gradients: [outer.or(inner), Some(which)],
            ..before
        });
        f(self);
        self.shown.set(before);
    }

    /// Runs `build`, whose parameters are its own: the optimizer does not come to them.
    pub fn with_own_parameters<R>(&self, build: impl FnOnce() -> R) -> R {
        let others = self.parameters.take();
        let built = build();
        self.parameters.replace(others);
        built
    }

    /// Runs `step` as if these tensors, each with its gradient, were the parameters.
    pub fn with_parameters(
        &self,
        stand_ins: &[(Tensor, Option<Tensor>)],
        step: impl FnOnce(&Self),
    ) {
        self.with_own_parameters(|| {
            self.replace_parameters(stand_ins.iter().cloned());
            step(self);
        });
    }

    /// From here on these tensors, each with its gradient, are the parameters.
    pub fn replace_parameters(&self, stand_ins: impl Iterator<Item = (Tensor, Option<Tensor>)>) {
        let stand_in = |(tensor, grad)| {
            Parameter::Present(Present {
                tensor,
                leaf: Rc::new(Leaf {
                    grad: RefCell::new(grad),
                    ..Leaf::default()
                }),
            })
        };
        self.parameters.replace(stand_ins.map(stand_in).collect());
    }
}

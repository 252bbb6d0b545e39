//! Building a model's parameters under the names that PyTorch gives them.

use super::call::Call;
use super::divisions::Divisions;
use super::facts::Facts;
use super::loading::Loading;
use super::named;
use super::outline::Outline;
use super::recast::{self, Recast};
use crate::ask::{LigerKernels, Program, Quantization};
use crate::model::{Architecture, ModuleKind, Parameter, ResolvedSpec, TensorStyle};
use crate::nn::adapters::Target;
use crate::tape::{Category, Role, Tape, Tensor};
use crate::units::{DType, Repetition, Shape};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The plan that all modules of one model are built with.
pub(crate) struct Plan<'a> {
    pub(crate) tape: &'a Tape,
    pub(crate) spec: &'a ResolvedSpec,
    /// Elements of the parameters so far, each with its scope.
    pub(super) parameters: RefCell<Vec<(u32, u64)>>,
    /// Elements of a list that options can name.
    pub(crate) named: u64,
    /// Whether a module has asked for its place in a list.
    pub(crate) asked_index: Cell<bool>,
    /// Layers that get adapters, in the order in which they are built.
    pub(crate) targets: RefCell<Vec<Target>>,
    /// Copies of parameters that are trained in their place, with their scopes, and how many layers
    /// with adapters come before.
    pub(super) copies: RefCell<Vec<(u32, Tensor, usize)>>,
    /// The tensors that they are copies of.
    pub(super) copied: RefCell<Vec<Tensor>>,
    /// Weights that are dropped at the end because others are tied in their place.
    pub(super) untied: RefCell<Vec<Tensor>>,
    /// Parameters of a quantized model that are cast when all of it is loaded.
    pub(super) loaded: RefCell<Vec<Recast>>,
    /// Parts of names of modules whose parameters are cast back from float32.
    pub(super) cast_back: Option<[&'static str; 3]>,
    /// The parts of names of modules that are in float32 whatever others are in.
    pub(super) wide: Option<[&'static str; 3]>,
    /// The table that all quantized scales are made with.
    pub(crate) scale_code: OnceCell<Tensor>,
    /// The modules that have a copy of it.
    pub(super) own_scale_codes: RefCell<Vec<u32>>,
    /// How the model will be called.
    pub(super) call: Rc<Call>,
    /// How its modules are divided among ranks.
    pub(super) divisions: Option<Divisions>,
    /// Weights to come from a checkpoint once the modules are there.
    pub(super) loading: Option<Loading>,
    /// Weights that are copied apart when a checkpoint is written, with their scopes.
    pub(super) joined: RefCell<Vec<(u32, Shape, DType)>>,
    /// The modules, where the model is built only to know them.
    pub(crate) outline: Option<Outline>,
}

impl<'a> Plan<'a> {
    /// Nothing is built yet.
    pub(crate) fn new(tape: &'a Tape, spec: &'a ResolvedSpec, call: &Rc<Call>) -> Self {
        Self {
            tape,
            spec,
            call: Rc::clone(call),
            divisions: Divisions::of(spec),
            parameters: RefCell::default(),
            named: named::up_to(spec),
            asked_index: Cell::new(false),
            targets: RefCell::default(),
            copies: RefCell::default(),
            copied: RefCell::default(),
            untied: RefCell::default(),
            loaded: RefCell::default(),
            cast_back: recast::cast_back(spec),
            wide: spec.scenario.widens().then(|| recast::names(spec)),
            scale_code: OnceCell::new(),
            own_scale_codes: RefCell::default(),
            loading: Loading::of(spec),
            joined: RefCell::default(),
            outline: None,
        }
    }

    /// Nothing is built yet of a model that is built only to know its modules.
    pub(crate) fn dry(tape: &'a Tape, spec: &'a ResolvedSpec, call: &Rc<Call>) -> Self {
        Self {
            outline: Some(Outline::default()),
            ..Self::new(tape, spec, call)
        }
    }

    /// Whether the parameter `name` of the module at `path` gets a gradient.
    fn trains(&self, path: impl FnOnce() -> String, name: &str) -> bool {
        self.spec.lora.is_none() && !self.freezes(path, name)
    }

    /// Whether the options freeze the parameter `name` of the module at `path`.
    fn freezes(&self, path: impl FnOnce() -> String, name: &str) -> bool {
        let frozen = &self.spec.frozen;
        if frozen.is_empty() {
            return false;
        }
        let path = path() + "." + name;
        frozen.iter().any(|part| path.contains(part.as_str()))
    }
}

/// A place in a model where a module is built: its path, as in `model.layers.3.self_attn`, which names its parameters,
/// and the dtype of the weights.
pub(crate) struct Builder<'a> {
    pub(crate) plan: &'a Plan<'a>,
    pub(super) dtype: DType,
    /// Whether the module's parameters are cast back from float32.
    pub(super) cast_back: bool,
    /// The scope of the module, whose path is the module's.
    pub(crate) scope: u32,
    /// Its index in a module list.
    pub(super) index: usize,
    /// How that list repeats, as far as is known.
    pub(super) repetition: Option<Repetition>,
    /// How it is divided, where that is not what the plan says.
    pub(super) style: Option<TensorStyle>,
    /// Whether each rank gets the gradients of its own tokens.
    pub(super) summed: bool,
    /// Whether a checkpoint has its weights apart, expert by expert.
    pub(super) apart: bool,
}

impl<'a> Builder<'a> {
    /// The model itself.
    pub(crate) fn new(plan: &'a Plan<'a>, dtype: DType) -> Self {
        let scope = plan.tape.scope();
        Self {
            plan,
            dtype,
            cast_back: false,
            scope,
            index: 0,
            repetition: None,
            style: None,
            summed: false,
            apart: false,
        }
    }

    /// A second builder of this module.
    pub(crate) fn same(&self) -> Self {
        Self { ..*self }
    }

    /// A builder of the module of a scope that was made before.
    pub(crate) fn of_scope(&self, scope: u32) -> Self {
        Self { scope, ..*self }
    }

    /// The submodule `name`.
    pub(crate) fn at(&self, name: &'static str) -> Self {
        self.child(name, None, None)
    }

    /// Element `index` of the module list `name`.
    pub(crate) fn item(&self, name: &'static str, index: u32) -> Self {
        self.child(name, Some(index), None)
    }

    pub(crate) fn child(
        &self,
        name: &'static str,
        index: Option<u32>,
        repetition: Option<Repetition>,
    ) -> Self {
        let scope = self.plan.tape.child_scope(self.scope, name, index);
        let index = index.map_or(0, |index| index as usize);
        let named =
            |parts: &Option<[&str; 3]>| (parts.iter().flatten()).any(|part| name.contains(part));
        let cast_back = self.cast_back || named(&self.plan.cast_back);
        Self {
            dtype: if cast_back {
                self.quantization().compute_dtype.dtype()
            } else if named(&self.plan.wide) {
                DType::Float32
            } else {
                self.dtype
            },
            cast_back,
            scope,
            index,
            repetition,
            style: None,
            summed: false,
            apart: false,
            ..*self
        }
    }

    /// The index in a module list of the module, or of one that it is as; or 0: for modules that differ
    /// by it.
    pub(crate) fn index(&self) -> usize {
        if let Some(repetition) = self.repetition {
            return repetition.like(self.index);
        }
        self.differs();
        self.index
    }

    /// The index of the module in a module list, for uses that make no other module of it.
    pub(crate) fn position(&self) -> u64 {
        self.index as u64
    }

    /// The module differs from others of its list, or is called otherwise.
    pub(crate) fn differs(&self) {
        self.plan.asked_index.set(true);
    }

    /// Whether the module is the first of a module list, which may always differ.
    pub(crate) fn is_first(&self) -> bool {
        self.index == 0
    }

    /// The dtype of the weights.
    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    /// The module's parameter `name`, in the dtype of the weights.
    pub(crate) fn parameter(&self, name: &'static str, shape: impl Into<Shape>) -> Tensor {
        self.parameter_in(name, shape, self.dtype)
    }

    /// A parameter in a dtype of its own.
    pub(crate) fn parameter_in(
        &self,
        name: &'static str,
        shape: impl Into<Shape>,
        dtype: DType,
    ) -> Tensor {
        let t = self.plan.tape;
        let trains = self.plan.trains(|| t.scope_path(self.scope), name);
        self.loaded_parameter(name, shape.into(), dtype, trains)
    }

    /// Whether the options freeze the module's parameter `name`.
    pub(crate) fn freezes(&self, name: &str) -> bool {
        let path = || self.plan.tape.scope_path(self.scope);
        self.plan.freezes(path, name)
    }

    /// A parameter in the dtype of the weights that is never trained.
    pub(crate) fn frozen(&self, shape: impl Into<Shape>) -> Tensor {
        self.loaded_parameter("weight", shape.into(), self.dtype, false)
    }

    /// A parameter that is loaded, and made `dtype` later where training from quantized weights is
    /// prepared.
    fn loaded_parameter(
        &self,
        name: &'static str,
        shape: Shape,
        dtype: DType,
        trains: bool,
    ) -> Tensor {
        let t = self.plan.tape;
        self.has(name, shape);
        let (shape, placement) = self.own_part(name, shape);
        let narrow = self.loaded_dtype();
        t.in_scope(self.scope, || {
            let widened = narrow != self.dtype && narrow != dtype;
            let back = self.cast_back && narrow == dtype;
            if widened || back {
                let loaded = t.allocate("empty", shape, narrow, Category::Parameters);
                self.comes(name, &loaded);
                let parameter = t.without_storage(shape, dtype);
                self.plan.loaded.borrow_mut().push(Recast {
                    scope: self.scope,
                    loaded,
                    parameter: parameter.clone(),
                    back,
                });
                return parameter;
            }
            let parameter = t.placed(placement, || {
                if trains {
                    t.parameter(shape, dtype)
                } else {
                    t.frozen_parameter("parameter", shape, dtype)
                }
            });
            self.comes(name, &parameter);
            parameter
        })
    }

    /// A parameter that `__init__` makes, and once more when `between` has been made: its memory is
    /// that of the second, its place among the parameters that of the first.
    pub(crate) fn parameter_made_again<T>(
        &self,
        name: &'static str,
        shape: impl Into<Shape>,
        between: impl FnOnce() -> T,
    ) -> (Tensor, T) {
        let shape = shape.into();
        let _first = self.plan.tape.empty("untied", shape, self.dtype);
        self.parameter_after(name, shape, between)
    }

    /// A parameter whose place among the parameters is before what `between` makes, its memory after.
    pub(crate) fn parameter_after<T>(
        &self,
        name: &'static str,
        shape: impl Into<Shape>,
        between: impl FnOnce() -> T,
    ) -> (Tensor, T) {
        let (t, shape) = (self.plan.tape, shape.into());
        if !self.plan.trains(|| t.scope_path(self.scope), name) {
            let made = between();
            return (self.fixed(name, shape, self.dtype), made);
        }
        self.has(name, shape);
        let parameter = t.in_scope(self.scope, || {
            t.parameter_without_storage(shape, self.dtype)
        });
        let made = between();
        t.in_scope(self.scope, || t.give_storage("parameter", &parameter));
        self.comes(name, &parameter);
        (parameter, made)
    }

    /// Whether the module is trained as a whole, in a copy.
    pub(crate) fn is_copied(&self) -> bool {
        let path = || self.plan.tape.scope_path(self.scope);
        let lora = self.plan.spec.lora.as_ref();
        lora.is_some_and(|lora| !lora.modules_to_save.is_empty() && lora.saves(&path()))
    }

    /// The tensor that the module computes with instead of its own `parameter`: a copy that is trained, where
    /// PEFT trains the whole module (`ModulesToSaveWrapper`, made when all adapters are).
    pub(crate) fn trained_copy(&self, parameter: Tensor) -> Tensor {
        if !self.is_copied() {
            return parameter;
        }
        let t = self.plan.tape;
        self.count(parameter.numel());
        let (shape, dtype) = (*parameter.shape(), parameter.dtype());
        let copy = t.in_scope(self.scope, || t.parameter_without_storage(shape, dtype));
        let mut copies = self.plan.copies.borrow_mut();
        copies.push((self.scope, copy.clone(), self.plan.targets.borrow().len()));
        self.plan.copied.borrow_mut().push(parameter);
        copy
    }

    /// A parameter that is never trained, in a dtype that it keeps.
    pub(crate) fn fixed(
        &self,
        name: &'static str,
        shape: impl Into<Shape>,
        dtype: DType,
    ) -> Tensor {
        let shape = shape.into();
        self.has(name, shape);
        let t = self.plan.tape;
        let parameter = t.in_scope(self.scope, || t.frozen_parameter(name, shape, dtype));
        self.comes(name, &parameter);
        parameter
    }

    /// The module has the parameter `name`.
    pub(super) fn has(&self, name: &'static str, shape: Shape) {
        self.count(shape.numel());
        if let Some(outline) = &self.plan.outline {
            outline.has(self.scope, Parameter { name, shape });
        }
    }

    /// The module is of this kind.
    pub(crate) fn is_a(&self, kind: ModuleKind) {
        if let Some(outline) = &self.plan.outline {
            outline.is(self.scope, kind);
        }
    }

    /// Counts elements of parameters.
    pub(crate) fn count(&self, elements: u64) {
        self.plan
            .parameters
            .borrow_mut()
            .push((self.scope, elements));
    }

    /// Facts of the framework version.
    pub fn facts(&self) -> Facts {
        Facts::of(self.plan.spec)
    }

    /// How the model will be called.
    pub(crate) fn call(&self) -> Rc<Call> {
        Rc::clone(&self.plan.call)
    }

    /// Whether the model is given a mask with padding.
    pub(crate) fn has_padding_mask(&self) -> bool {
        self.plan.spec.padding_mask
    }

    /// The Liger kernels in place of modules.
    pub(crate) fn liger(&self) -> LigerKernels {
        self.plan.spec.liger
    }

    /// Whether Liger computes the gated products of layers without experts: in a mixture it replaces
    /// only the experts.
    pub(crate) fn liger_gates(&self) -> bool {
        let mixes = matches!(&self.plan.spec.architecture,
            Architecture::Decoder(config) if config.experts.is_some());
        self.liger().gated && !mixes
    }

    /// Whether Liger's norms write gradients in place.
    pub(crate) fn liger_norms_in_place(&self) -> bool {
        let family = self.plan.spec.architecture.family();
        let liger = family.and_then(|family| family.liger);
        liger.is_none_or(|liger| liger.norms_in_place)
    }

    /// How linear layers are held.
    pub(crate) fn quantization(&self) -> Quantization {
        self.plan.spec.quantization
    }

    /// A weight that `__init__` allocates and that is dropped when another is tied in its place.
    /// Its memory stays in the allocator's cache. A model that is only evaluated was loaded to the
    /// device after that.
    pub(crate) fn untied(&self, shape: impl Into<Shape>) {
        if self.plan.spec.program == Program::Evaluation || self.quantization().is_on() {
            return;
        }
        let weight = self.plan.tape.empty("untied", shape.into(), self.dtype);
        (self.plan.tape).in_scope(self.scope, || {
            self.plan.tape.register_while_made(&weight, Role::Untied);
        });
        self.plan.untied.borrow_mut().push(weight);
    }

    /// The model inside ties its weights at the end of its own `__init__`: those so far are dropped.
    pub(crate) fn ties(&self) {
        self.plan.untied.take();
    }

    /// A weight that `__init__` allocates and replaces by another at once.
    pub(crate) fn replaced(&self, shape: impl Into<Shape>) {
        let t = self.plan.tape;
        t.in_scope(self.scope, || {
            drop(t.empty("untied", shape.into(), self.dtype));
        });
    }

    /// The module's buffer `name` that says which tokens are earlier, `torch.tril(torch.ones(...))`.
    pub(crate) fn triangle(&self, name: &'static str, shape: impl Into<Shape>) -> Tensor {
        let shape = shape.into();
        let t = self.plan.tape;
        let ones = t.in_scope(self.scope, || {
            let ones = t.allocate("ones", shape, DType::Bool, Category::Buffers);
            t.register_while_made(&ones, Role::Draft);
            ones
        });
        let triangle = self.buffer(name, shape, DType::Bool);
        drop(ones);
        triangle
    }

    /// The module's buffer `name`: a tensor of the model that is not trained.
    pub(crate) fn buffer(
        &self,
        name: &'static str,
        shape: impl Into<Shape>,
        dtype: DType,
    ) -> Tensor {
        let t = self.plan.tape;
        let dtype = self.plan.spec.buffer_dtype(dtype);
        let buffer = t.in_scope(self.scope, || t.buffer(name, shape.into(), dtype));
        self.buffer_comes(&buffer);
        buffer
    }
}

//! `PartitionedParameterCoordinator` (`partitioned_param_coordinator.py`): which parameters are gathered and
//! given back when. The first pass is recorded; in later ones parameters are fetched ahead, whenever a module
//! is called or goes backward, one without parameters, too.

mod enter;
mod one_by_one;
mod release;
mod uses;

use super::init::{Division, Part, Parts};
use crate::ask::{OffloadDevice, Zero};
use crate::model::ResolvedSpec;
use crate::tape::{Category, Collective, Registered, Role, Storage, Tape, Tensor};
use crate::units::{DType, Queue, Shape, Stream, Wait};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// The name of the outermost module.
pub(super) const ROOT: &str = "root";

/// Modules that have no parameters of their own and read others' outside of their modules, by one of which they are
/// named: layers of PEFT around others, and around modules whose parameters have adapters, and gated MLPs of
/// flash-linear-attention, which hand a weight to a fused function.
const READERS: [&str; 3] = ["adapted", "wrapped", "fused_mlp"];

/// The status of a parameter (`ZeroParamStatus`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Apart,
    InFlight,
    Available,
}

/// The state of the trace of modules (`ZeRoTraceMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trace {
    Invalid,
    Record,
    Complete,
}

/// A module: the index of its first parameter, and the name of its operation.
type Module = (usize, &'static str);

/// A module that is called, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    module: Module,
    /// Indices of its parameters; for a leaf, of the parameters of all modules in it.
    own: Vec<usize>,
    /// Parameters that are elsewhere while it runs.
    away: Vec<usize>,
    is_leaf: bool,
    /// The scope of a layer, which has other modules in it.
    layer: Option<u32>,
}

/// A gather that is going on (`AllGatherCoalescedHandle`), of which each parameter holds the buffer.
struct Gather {
    members: Vec<usize>,
    _flat: Option<Tensor>,
    complete: Cell<bool>,
}

/// A parameter, of which every rank has a part.
pub(super) struct Parameter {
    /// The tensor that modules compute with, which has a storage while it is gathered.
    pub(super) tensor: Tensor,
    scope: u32,
    trained: bool,
    /// `ds_tensor.ds_numel`.
    pub(super) part: u64,
    /// `ds_persist`.
    persists: bool,
    status: Cell<Status>,
    /// `ds_active_sub_modules`.
    active: RefCell<Vec<Module>>,
    /// `most_recent_step_id_param_fetched_for`.
    fetched_for: Cell<Option<usize>>,
    gather: RefCell<Option<Rc<Gather>>>,
    /// `ds_secondary_tensor`.
    secondary: RefCell<Option<Storage>>,
}

/// The parameters of a model, and the state of their gathers and releases.
pub(super) struct Coordinator {
    settings: Zero,
    ranks: u64,
    /// Modules between the called module and the model in it.
    shells: &'static [&'static str],
    /// The stream of gathers that overlap with computation.
    overlapping: Stream,
    pub(super) parameters: Vec<Parameter>,
    places: BTreeMap<usize, usize>,
    trace: Cell<Trace>,
    /// `submodule_order`.
    uses: RefCell<Vec<Use>>,
    /// `param_order`, with the step of its use.
    order: RefCell<Vec<(usize, usize)>>,
    queue: RefCell<VecDeque<(usize, usize)>>,
    step: Cell<usize>,
    /// `n_available_params`.
    available: Cell<i64>,
    /// `active_backward_submodules`.
    backward: RefCell<Vec<Use>>,
    /// Parameters that modules read outside of their own (`register_external_parameter`), by the module that reads
    /// them.
    external: RefCell<BTreeMap<Module, Vec<usize>>>,
    /// `FWD_MODULE_STACK`: the modules that run.
    running: RefCell<Vec<Module>>,
    /// `ds_recompute_parameters`.
    recomputed: RefCell<BTreeMap<Module, Vec<usize>>>,
}

impl Coordinator {
    /// Partitions all parameters among the `registered` tensors, with their modules, in the order of the model;
    /// parameters in `built` are partitioned already.
    pub(super) fn new(
        t: &Tape,
        spec: &ResolvedSpec,
        overlapping: Stream,
        registered: Vec<Registered>,
        built: &Parts,
    ) -> (Self, Vec<Tensor>) {
        let (settings, ranks) = (spec.parallelism.dp.zero, spec.mesh.shard);
        let division = Division::of(spec);
        let mut parts = Vec::new();
        let parameters = registered.into_iter();
        let parameters = parameters.filter(|entry| entry.role != Role::Buffer);
        let parameters = parameters.map(|entry| {
            let Part { own, secondary } = built.take(t, division, &entry);
            parts.push(own);
            let Registered {
                tensor,
                scope,
                role,
                ..
            } = entry;
            let trained = role == Role::Trained;
            t.let_data_go(&tensor);
            Parameter {
                persists: tensor.numel() <= settings.stage3_param_persistence_threshold,
                part: division.part(&tensor),
                scope,
                trained,
                status: Cell::new(Status::Apart),
                active: RefCell::default(),
                fetched_for: Cell::new(None),
                gather: RefCell::default(),
                secondary: RefCell::new(secondary),
                tensor,
            }
        });
        let parameters: Vec<Parameter> = parameters.collect();
        let identities = parameters.iter().map(|p| p.tensor.identity());
        let coordinator = Self {
            places: identities.zip(0..).collect(),
            settings,
            ranks,
            shells: &[],
            overlapping,
            parameters,
            trace: Cell::new(Trace::Invalid),
            uses: RefCell::default(),
            order: RefCell::default(),
            queue: RefCell::default(),
            step: Cell::new(0),
            available: Cell::new(0),
            backward: RefCell::default(),
            external: RefCell::default(),
            running: RefCell::default(),
            recomputed: RefCell::default(),
        };
        (coordinator, parts)
    }

    /// Sets the modules that the model is within.
    pub(super) fn around(self, shells: &'static [&'static str]) -> Self {
        Self { shells, ..self }
    }

    fn stream(&self) -> Stream {
        if self.settings.overlaps() {
            self.overlapping
        } else {
            Stream::MAIN
        }
    }

    /// The place of a parameter.
    pub(super) fn place(&self, tensor: &Tensor) -> Option<usize> {
        self.places.get(&tensor.identity()).copied()
    }

    /// `reset_step`: a forward pass of the model begins.
    pub(super) fn begin(&self, t: &Tape) {
        self.clean_in_flight(t);
        match self.trace.get() {
            Trace::Invalid => self.trace.set(Trace::Record),
            Trace::Record => {
                let mut order = Vec::new();
                for (step, used) in self.uses.borrow().iter().enumerate() {
                    let mut own = self.own_of(used, false);
                    own.sort_unstable();
                    order.extend(own.into_iter().map(|at| (at, step)));
                }
                self.order.replace(order);
                self.trace.set(Trace::Complete);
            }
            Trace::Complete => {}
        }
        self.queue
            .replace(self.order.borrow().iter().copied().collect());
        for parameter in &self.parameters {
            parameter.fetched_for.set(None);
        }
        self.step.set(0);
        self.available.set(0);
    }

    /// `_clean_inflight_param_registry`.
    fn clean_in_flight(&self, t: &Tape) {
        for at in 0..self.parameters.len() {
            if self.parameters[at].gather.borrow().is_some() {
                self.wait(t, at);
                self.release_parameter(t, at);
            }
        }
    }

    /// `trace_prologue` and `record_module`.
    fn follow(&self, t: &Tape, used: &Use) {
        if self.trace.get() == Trace::Complete
            && self
                .uses
                .borrow()
                .get(self.step.get())
                .map(|used| used.module)
                != Some(used.module)
        {
            self.trace.set(Trace::Invalid);
            self.uses.borrow_mut().clear();
            self.order.borrow_mut().clear();
            self.queue.borrow_mut().clear();
            self.clean_in_flight(t);
        }
        if self.trace.get() == Trace::Record {
            self.uses.borrow_mut().push(used.clone());
        }
    }

    /// `fetch_sub_module`.
    pub(super) fn fetch(&self, t: &Tape, used: &Use, forward: bool) {
        self.follow(t, used);
        if !forward
            && !self
                .backward
                .borrow()
                .iter()
                .any(|other| other.module == used.module)
        {
            self.backward.borrow_mut().push(used.clone());
        }
        let own = self.own_of(used, forward);
        self.gather(t, &own);
        let owner = self.backward.borrow().last().map(|owner| owner.module);
        let owner = owner.filter(|_| forward && t.is_in_backward());
        for &at in &own {
            let parameter = &self.parameters[at];
            let owner = owner.filter(|_| !parameter.trained);
            let mut active = parameter.active.borrow_mut();
            for user in [Some(used.module), owner].into_iter().flatten() {
                if !active.contains(&user) {
                    active.push(user);
                }
            }
            if let Some(owner) = owner {
                self.recomputed
                    .borrow_mut()
                    .entry(owner)
                    .or_default()
                    .push(at);
            }
            if parameter.gather.borrow().is_some() {
                t.wait(Wait::Limit(Queue::Fetches));
                self.wait(t, at);
                t.wait(Wait::Event(Queue::Fetches, self.stream()));
            }
        }
        t.wait_stream(t.stream(), self.stream());
        if self.trace.get() == Trace::Complete {
            self.prefetch(t, &own);
        }
        self.step.set(self.step.get() + 1);
    }

    /// Parameters of a module that are trained.
    pub(super) fn trained_of(&self, used: &Use) -> Vec<usize> {
        let mut trained: Vec<usize> = (self.own_of(used, false).into_iter())
            .filter(|&at| self.parameters[at].trained)
            .collect();
        trained.sort_unstable();
        trained
    }

    /// Gathers the parameters that the next modules need.
    fn prefetch(&self, t: &Tape, own: &[usize]) {
        let step = self.step.get();
        let mut queue = self.queue.borrow_mut();
        let is_new = |at: &&usize| {
            let fetched_for = self.parameters[**at].fetched_for.get();
            fetched_for.is_none_or(|fetched_for| fetched_for < step)
        };
        let mut missing = own.iter().filter(is_new).count();
        while missing > 0
            && let Some((at, used_at)) = queue.pop_front()
        {
            self.parameters[at].fetched_for.set(Some(used_at));
            missing -= 1;
        }
        let size = i64::try_from(self.settings.stage3_prefetch_bucket_size).unwrap_or(i64::MAX);
        if size == 0 {
            return;
        }
        let most = i64::try_from(self.settings.stage3_max_live_parameters).unwrap_or(i64::MAX);
        let most = (most - self.available.get()).min(size);
        let (mut ahead, mut elements) = (Vec::new(), 0);
        while elements < most
            && let Some((at, used_at)) = queue.pop_front()
        {
            let parameter = &self.parameters[at];
            let before = parameter.fetched_for.get();
            parameter.fetched_for.set(before.max(Some(used_at)));
            if parameter.status.get() == Status::Apart && !ahead.contains(&at) {
                ahead.push(at);
                elements += i64::try_from(parameter.tensor.numel()).unwrap_or(i64::MAX);
            }
        }
        drop(queue);
        self.gather(t, &ahead);
    }

    /// `all_gather_coalesced` of the parameters that are not there: one by itself takes the buffer itself.
    fn gather(&self, t: &Tape, places: &[usize]) {
        let apart = |at: &usize| self.parameters[*at].status.get() == Status::Apart;
        let mut members: Vec<usize> = places.iter().copied().filter(apart).collect();
        members.sort_unstable();
        if members.is_empty() {
            return;
        }
        let mut padded = 0;
        for &at in &members {
            let parameter = &self.parameters[at];
            let elements = i64::try_from(parameter.tensor.numel()).unwrap_or(i64::MAX);
            self.available
                .set(self.available.get().saturating_add(elements));
            parameter.status.set(Status::InFlight);
            padded += parameter.part * self.ranks;
        }
        let dtype = self.parameters[members[0]].tensor.dtype();
        self.gathers(t, padded, dtype);
        let flat = t.on_stream(self.stream(), || {
            let flat = if let [at] = members[..] {
                let parameter = &self.parameters[at];
                parameter.tensor.take_storage(&hold(t, parameter, padded));
                None
            } else {
                let shape = Shape::from([padded]);
                Some(t.allocate("empty", shape, dtype, Category::Temporaries))
            };
            drop(self.copied_parts(t, &members));
            flat
        });
        let gather = Rc::new(Gather {
            complete: Cell::new(flat.is_none()),
            _flat: flat,
            members,
        });
        for &at in &gather.members {
            self.parameters[at].gather.replace(Some(Rc::clone(&gather)));
        }
    }

    /// The ranks gather `elements` elements.
    fn gathers(&self, t: &Tape, elements: u64, dtype: DType) {
        t.communicates_elements(Collective::AllGather, (elements, dtype), self.ranks);
    }

    /// Copies of the parts that are on the host.
    fn copied_parts(&self, t: &Tape, members: &[usize]) -> Vec<Tensor> {
        let on_host = self.settings.offload_param == OffloadDevice::Cpu;
        let members = members.iter().filter(|_| on_host);
        let copy = |&at: &usize| {
            let parameter = &self.parameters[at];
            t.empty(
                "_to_copy",
                Shape::from([parameter.part]),
                parameter.tensor.dtype(),
            )
        };
        members.map(copy).collect()
    }

    /// The gather of a parameter is waited for: all of its parameters are copied out.
    fn wait(&self, t: &Tape, at: usize) {
        let Some(gather) = self.parameters[at].gather.take() else {
            return;
        };
        t.on_stream(self.stream(), || {
            if !gather.complete.replace(true) {
                for &member in &gather.members {
                    let parameter = &self.parameters[member];
                    let elements = parameter.tensor.numel();
                    parameter.tensor.take_storage(&hold(t, parameter, elements));
                    parameter.status.set(Status::Available);
                }
            }
            self.parameters[at].status.set(Status::Available);
            drop(gather);
        });
    }

    /// Ends a step: persistent parameters are gathered again, and second copies expire.
    pub(super) fn step_ended(&self, t: &Tape) {
        let persistent: Vec<usize> = (0..self.parameters.len())
            .filter(|&at| {
                self.parameters[at].persists && self.parameters[at].status.get() == Status::Apart
            })
            .collect();
        let copies = self.copied_parts(t, &persistent);
        if !persistent.is_empty() {
            t.wait(Wait::Device);
        }
        for at in persistent {
            let parameter = &self.parameters[at];
            let padded = parameter.part * self.ranks;
            self.gathers(t, padded, parameter.tensor.dtype());
            parameter.tensor.take_storage(&hold(t, parameter, padded));
            parameter.status.set(Status::Available);
        }
        drop(copies);
        // The secondary partitions of frozen parameters stay (`invalidate_secondary_tensor`).
        for parameter in self.parameters.iter().filter(|p| p.trained) {
            parameter.secondary.take();
        }
    }
}

/// Memory for `elements` elements of a parameter.
fn hold(t: &Tape, parameter: &Parameter, elements: u64) -> Storage {
    let (shape, dtype): (Shape, DType) = (Shape::from([elements]), parameter.tensor.dtype());
    t.in_scope(parameter.scope, || {
        t.hold("empty", &shape, dtype, Category::Temporaries)
    })
}

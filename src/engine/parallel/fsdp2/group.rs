//! A group of parameters that are gathered together (`FSDPParamGroup`).

use super::Fsdp2;
use super::copies::copy_out;
use crate::ask::{Fsdp, Mesh};
use crate::model::ResolvedSpec;
use crate::parallel::shards::RowShard;
use crate::tape::{Category, Collective, GradientDType, Placement, Registered, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::{Cell, RefCell};

/// The state of a group (`TrainingState`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Idle,
    Forward,
    PreBackward,
    PostBackward,
}

/// A parameter of a group (`FSDPParam`).
pub(super) struct Parameter {
    /// The tensor that modules compute with, which has a storage while it is gathered.
    pub(super) unsharded: Tensor,
    /// The module that has it.
    pub(super) scope: u32,
    /// This rank's part of it, without the padding; nothing on the device where it is offloaded.
    pub(super) shard: Tensor,
    /// Elements of a chunk with its padding.
    pub(super) padded: u64,
    /// The dtype that its gradient gets as it is reduced, where that is wider than its own
    /// (`_fsdp_params_with_wider_grad_dtype`).
    pub(super) deferred: Option<DType>,
    /// The reduced gradient of this rank's part.
    pub(super) gradient: RefCell<Option<Tensor>>,
}

impl Parameter {
    /// Bytes of a chunk with its padding as it is gathered.
    fn padded_bytes(&self) -> u64 {
        self.padded * self.unsharded.dtype().size()
    }
}

/// The ranks that a group's parameters are divided among.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sharing {
    /// How many there are.
    pub(super) ranks: u64,
    /// The number of this rank among them.
    place: u64,
    /// Whether gradients are divided by another number than that of these ranks
    /// (`set_gradient_divide_factor`).
    pub(super) divides: bool,
}

impl Sharing {
    /// Ranks of a group of a run: for experts that ranks divide, the ranks that have the same
    /// (`DistributedConfig.efsdp_size`, transformers 5.23).
    pub(super) fn of(spec: &ResolvedSpec, of_experts: bool) -> Self {
        let mesh = &spec.mesh;
        let apart = spec.expert_ranks().filter(|_| of_experts);
        let all = mesh.shard * if of_experts { mesh.tp } else { 1 };
        let place = mesh.place_in_shard() * all / mesh.shard;
        Self {
            ranks: all / apart.unwrap_or(1),
            place: place / apart.unwrap_or(1),
            divides: of_experts,
        }
    }

    /// This rank's part of a parameter.
    pub(super) fn part(self, shape: &Shape) -> RowShard {
        RowShard::of(shape, self.place, self.ranks)
    }

    /// Among ranks that one copy of the parameters is divided among, one past the last place, from this rank's
    /// on, at which ranks have as many rows of a parameter.
    pub(super) fn alike_until(self, shape: &Shape, mesh: &Mesh) -> u64 {
        let until = RowShard::alike_until(shape, self.place, self.ranks);
        (until * mesh.shard).div_ceil(self.ranks)
    }
}

/// A group of parameters.
pub(super) struct Group {
    pub(super) sharing: Sharing,
    /// Whether gathered parameters are given back after forward.
    pub(super) reshards: bool,
    /// The modules that it is made of, where it is not one alone, and which of them are still to run.
    modules: Vec<u32>,
    to_run: RefCell<Vec<u32>>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) state: Cell<State>,
    pub(super) unsharded: Cell<bool>,
    /// Whether gradients wait for a backward pass that reduces them (`_post_backward_pending`).
    pub(super) pending: Cell<bool>,
    /// The buffer of a gather that nobody has waited for (`_all_gather_result`).
    pub(super) gathering: RefCell<Option<Tensor>>,
    /// The buffer of the all-reduce of a hybrid mesh (`_all_reduce_state`).
    pub(super) reduced: RefCell<Option<Tensor>>,
    /// Places of this group's forward passes in their order.
    pub(super) post_forward: RefCell<Vec<usize>>,
    offloaded: bool,
}

impl Group {
    pub(super) fn new(
        settings: &Fsdp,
        sharing: Sharing,
        reshards: bool,
        modules: Vec<u32>,
    ) -> Self {
        Self {
            sharing,
            reshards,
            modules,
            to_run: RefCell::default(),
            parameters: Vec::new(),
            state: Cell::new(State::Idle),
            unsharded: Cell::new(false),
            pending: Cell::new(false),
            gathering: RefCell::default(),
            reduced: RefCell::default(),
            post_forward: RefCell::default(),
            offloaded: settings.cpu_offload,
        }
    }

    /// Adds a parameter, of which this rank has a part in the dtype `stored`, where it was loaded already, and whose
    /// gradient is reduced in `reduce`: its place in the group.
    pub(super) fn add(
        &mut self,
        t: &Tape,
        (entry, loaded): (&Registered, Option<Tensor>),
        [stored, reduce]: [DType; 2],
    ) -> usize {
        let part = self.sharing.part(entry.tensor.shape());
        let shard = t.in_scope(entry.scope, || {
            if self.offloaded {
                t.without_storage(part.local, stored)
            } else {
                let padded = Shape::from([part.padded]);
                let empty = || t.allocate("to_empty", padded, stored, Category::Parameters);
                loaded.unwrap_or_else(empty).part(part.local)
            }
        });
        entry.tensor.free_storage();
        let wider = reduce.size() > entry.tensor.dtype().size();
        if wider {
            entry.tensor.set_gradient_dtype(GradientDType::Is(reduce));
        }
        // The gradient of a copy is summed in the wider dtype (`may_reduce_grad_outside_dp`).
        let defers = wider && !entry.tensor.placement().is_copy();
        let placement = match entry.tensor.placement() {
            Placement::Local => Placement::Local,
            Placement::Divided | Placement::Copied | Placement::Summed => Placement::Divided,
            Placement::OfExperts => Placement::OfExperts,
        };
        self.parameters.push(Parameter {
            unsharded: entry.tensor.clone(),
            scope: entry.scope,
            shard: shard.placed(placement),
            padded: part.padded,
            deferred: defers.then_some(reduce),
            gradient: RefCell::default(),
        });
        self.parameters.len() - 1
    }

    /// The layer that it is, or is within; the model's scope for others.
    pub(super) fn layer(&self, t: &Tape) -> u32 {
        let first = self.parameters.first();
        let layer = first.and_then(|parameter| t.outermost_item(parameter.scope));
        layer.unwrap_or(0)
    }

    /// One of the group's modules is called (`wrapped_pre_hook`).
    pub(super) fn begins(&self) {
        let mut to_run = self.to_run.borrow_mut();
        if to_run.is_empty() {
            to_run.clone_from(&self.modules);
        }
    }

    /// A module of it has given its result: whether that was the last one (`wrapped_post_hook`).
    pub(super) fn ends_with(&self, module: u32) -> bool {
        let mut to_run = self.to_run.borrow_mut();
        to_run.retain(|other| *other != module);
        to_run.is_empty()
    }

    /// The model has run: whether some of its modules had not.
    pub(super) fn completes(&self) -> bool {
        !self.to_run.take().is_empty()
    }

    /// `_to_sharded`: gathered parameters go.
    pub(super) fn reshard(&self) {
        if self.unsharded.replace(false) {
            for parameter in &self.parameters {
                parameter.unsharded.free_storage();
            }
        }
    }

    /// `_set_unsharded_grad_dtypes`: gradients that are reduced after this backward pass, or added to some that are
    /// there, are taken as they come, others in the dtype in which they are reduced.
    pub(super) fn set_gradient_dtypes(&self, defers: bool, syncs: bool) {
        for parameter in &self.parameters {
            let Some(dtype) = parameter.deferred else {
                continue;
            };
            let x = &parameter.unsharded;
            if !defers {
                x.set_gradient_dtype(GradientDType::Is(dtype));
            } else if syncs || x.gradient().is_some() {
                x.set_gradient_dtype(GradientDType::Any);
            }
        }
    }

    /// This rank's part of a parameter, with its gradient.
    pub(super) fn shard_with_gradient(&self, place: usize) -> (Tensor, Option<Tensor>) {
        let parameter = &self.parameters[place];
        (parameter.shard.clone(), parameter.gradient.borrow().clone())
    }

    pub(super) fn drop_gradient(&self, place: usize) {
        self.parameters[place].gradient.take();
    }

    /// Inputs of the gather: this rank's parts, cast where they are stored in another dtype and copied
    /// where they are on the host.
    fn gather_inputs(&self, t: &Tape) -> Vec<Tensor> {
        let temporary = |elements, dtype| {
            let shape = Shape::from([elements]);
            t.allocate("empty", shape, dtype, Category::Temporaries)
        };
        let is_cast = |p: &&Parameter| p.shard.dtype() != p.unsharded.dtype();
        if self.offloaded {
            let inputs = self.parameters.iter().map(|p| {
                let copied = temporary(p.padded, p.shard.dtype());
                if is_cast(&p) {
                    temporary(p.padded, p.unsharded.dtype())
                } else {
                    copied
                }
            });
            return inputs.collect();
        }
        let cast = self.parameters.iter().filter(is_cast);
        let elements: u64 = cast.map(|p| p.padded).sum();
        let dtype = self.parameters.first().map(|p| p.unsharded.dtype());
        let dtype = dtype.filter(|_| elements > 0);
        dtype
            .map(|dtype| temporary(elements, dtype))
            .into_iter()
            .collect()
    }
}

impl Fsdp2 {
    /// `unshard`: the collective that gathers a group begins.
    pub(super) fn unshard(&self, t: &Tape, at: usize) {
        let group = &self.groups[at];
        if group.unsharded.get()
            || group.gathering.borrow().is_some()
            || group.parameters.is_empty()
        {
            return;
        }
        if group.sharing.ranks == 1 {
            group
                .gathering
                .replace(Some(t.empty("empty", Shape::from([0]), DType::Float32)));
            return;
        }
        // Of several dtypes bytes are gathered.
        let bytes = group
            .parameters
            .iter()
            .map(Parameter::padded_bytes)
            .sum::<u64>();
        let shape = Shape::from([bytes * group.sharing.ranks]);
        t.communicates(Collective::AllGather, shape.numel(), group.sharing.ranks);
        // One that a caller asks for (`get_all_gather_streams`).
        let stream = if group.state.get() == State::Idle {
            t.stream()
        } else {
            self.streams.copy_in
        };
        let output = t.on_stream(stream, || {
            let _inputs = group.gather_inputs(t);
            t.allocate("empty", shape, DType::UInt8, Category::Temporaries)
        });
        group.gathering.replace(Some(output));
    }

    /// `wait_for_unshard`: the gathered buffer is copied out to the parameters.
    pub(super) fn wait_for_unshard(&self, t: &Tape, at: usize) {
        let group = &self.groups[at];
        let Some(gathered) = group.gathering.take() else {
            return;
        };
        let forward = group.state.get() == State::Forward;
        if forward {
            self.last_gathered.take();
        }
        for parameter in &group.parameters {
            let copy = |elements, op| {
                t.in_scope(parameter.scope, || {
                    let (shape, dtype) = (Shape::from([elements]), parameter.unsharded.dtype());
                    t.hold(op, &shape, dtype, Category::Temporaries)
                })
            };
            let cast = parameter.shard.dtype() != parameter.unsharded.dtype();
            let input =
                (group.sharing.ranks == 1 && cast).then(|| copy(parameter.padded, "_to_copy"));
            parameter
                .unsharded
                .take_storage(&copy(parameter.padded * group.sharing.ranks, "empty"));
            drop(input);
        }
        if group.sharing.ranks > 1 {
            let parts = group.parameters.iter();
            let parts: Vec<u64> = parts.map(Parameter::padded_bytes).collect();
            copy_out(t, &parts, group.sharing.ranks);
        }
        group.unsharded.set(true);
        if forward && group.sharing.ranks > 1 {
            self.last_gathered.replace(Some(gathered));
        }
    }
}

//! `torch.distributed.fsdp.fully_shard`: every layer, and the model around them, is a group of parameters
//! that are gathered before the group's modules run and given back after.
//!
//! Source: `torch/distributed/fsdp/_fully_shard/{_fsdp_state,_fsdp_param_group,_fsdp_collectives}.py`,
//! torch 2.15; methods name the function they mirror.

mod context;
mod copies;
mod group;
mod load;
mod modules;
mod reduce;
mod save;
mod stages;

use super::tensor::by_mesh;
use super::wrapper::{ModelParameter, OnRank, Wrapper};
use crate::ask::{AdapterDtype, ComputeDtype, Fsdp, Lora, Mesh};
use crate::model::ResolvedSpec;
use crate::tape::{Category, ModuleHooks, Placement, Registered, Role, Tape, Tensor};
use crate::units::DType;
use context::Streams;
use group::{Group, Sharing, State};
use modules::Modules;
pub(super) use stages::Fsdp2Stages;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

/// The groups of a model, with their shared state (`FSDPCommContext`).
pub(super) struct Fsdp2 {
    own: Weak<Self>,
    settings: Fsdp,
    streams: Streams,
    /// Ranks that hold the same part, and reduce gradients among them.
    replicas: u64,
    /// The dtype in which gradients are reduced.
    reduce: DType,
    /// The root first, then its modules in order.
    groups: Vec<Group>,
    /// The modules that are groups.
    modules: Modules,
    /// For the optimizer: group and place in it of each parameter that is trained, in the model's order.
    trained: Vec<(usize, usize)>,
    /// All parameters as they were made.
    all: Vec<(u32, ModelParameter)>,
    /// Up to which place ranks have as many rows of each.
    alike_until: u64,
    /// The buffer that the last forward gather left (`all_gather_state`).
    last_gathered: RefCell<Option<Tensor>>,
    /// Inputs of the reduce-scatters that go on (`reduce_scatter_states`).
    reducing: RefCell<Vec<Tensor>>,
    /// Groups in the order in which their forwards ended.
    order: RefCell<Vec<usize>>,
    /// The group that a forward pass, or the recomputation of a checkpoint, began with (`iter_forward_root`).
    forward_root: Cell<Option<usize>>,
    /// Whether gradients are reduced in this micro-batch.
    syncs: Cell<bool>,
    /// Whether gathered parameters are given back after a backward pass.
    reshards: Cell<bool>,
    /// Whether the caller says when all backward passes are over (`manual_backward_finalization`).
    finalized_by_caller: Cell<bool>,
    /// Whether the end of this backward pass is looked after.
    ends: Cell<bool>,
    /// Whether the tape's parameters are this rank's parts.
    handed_over: Cell<bool>,
}

/// A parameter's group, and its place in that.
type PlaceInGroup = (usize, usize);

/// Places of trained parameters, in the order of the model's parameters.
fn trained_places(t: &Tape, places: &[(Tensor, PlaceInGroup)]) -> Vec<PlaceInGroup> {
    let mut trained = Vec::new();
    t.for_each_parameter(|_, parameter, _| {
        let found = places.iter().find(|(tensor, _)| tensor.is(parameter));
        trained.extend(found.map(|(_, place)| *place));
    });
    trained
}

impl Fsdp2 {
    /// Shards the model whose parameters and buffers were registered, and wraps its modules.
    pub(super) fn wrapping(t: &Tape, spec: &ResolvedSpec, registered: &[Registered]) -> Rc<Self> {
        let fsdp = Self::new(t, spec, registered, Modules::of, 0);
        t.wrap_modules(Rc::clone(&fsdp) as Rc<dyn ModuleHooks>);
        fsdp
    }

    /// Shards a model beside the trained one, in the same groups.
    pub(super) fn beside(t: &Tape, spec: &ResolvedSpec, registered: &[Registered]) -> Rc<Self> {
        Self::new(t, spec, registered, Modules::of, 1)
    }

    /// Shards a model beside the trained one, all of it in one group.
    pub(super) fn whole(t: &Tape, spec: &ResolvedSpec, registered: &[Registered]) -> Rc<Self> {
        Self::new(t, spec, registered, |t, _, _| Modules::whole(t), 1)
    }

    /// Shards a model in groups, or the stage that is the `root`th on this rank, whose parameters and buffers were
    /// registered, and which has no storages yet.
    fn new(
        t: &Tape,
        spec: &ResolvedSpec,
        registered: &[Registered],
        grouping: fn(&Tape, &ResolvedSpec, &[Registered]) -> Modules,
        root: u8,
    ) -> Rc<Self> {
        let dp = &spec.parallelism.dp;
        let mesh = &spec.mesh;
        let precision = dp.fsdp.mixed_precision;
        let gathers_in_another = dp.compute_dtype().is_some();
        // Adapters that PEFT makes on the meta device stay as they are made; on the host they can follow their base.
        let follows = |lora: &Lora| spec.around.loads() && lora.adapter_dtype == AdapterDtype::Base;
        let in_float32 = spec.lora.as_ref().is_some_and(|lora| !follows(lora));
        let stored = |entry: &Registered| match entry.role {
            _ if !gathers_in_another => entry.tensor.dtype(),
            Role::Trained if in_float32 => DType::Float32,
            _ => spec.stored_weights(),
        };
        let trained = registered.iter().find(|entry| entry.role == Role::Trained);
        let reduce = precision
            .reduce
            .map(ComputeDtype::dtype)
            .or(trained.map(stored))
            .unwrap_or(DType::Float32);
        // Parameters that are added to a model after it is sharded are in no group.
        let (apart, registered): (Vec<_>, Vec<_>) = (registered.iter().cloned())
            .partition(|entry| spec.adapts_shards() && entry.role == Role::Trained);
        let registered = &registered[..];
        let modules = grouping(t, spec, registered);
        let group = |at| {
            let sharing = Sharing::of(spec, modules.are_experts(at));
            let reshards = modules.reshards(dp, at);
            Group::new(&dp.fsdp, sharing, reshards, modules.of_group(at))
        };
        let mut groups: Vec<Group> = (0..modules.groups).map(group).collect();
        let (mut places, mut all) = (Vec::new(), Vec::new());
        // The first rank sends the weights that others receive.
        let sends = spec.around.loads() && mesh.rank.dp == 0;
        let mut alike_until = if sends { 1 } else { mesh.shard };
        let mut loaded = if spec.around.loads() {
            load::distributed(t, spec, registered, |entry| {
                let at = modules.around(t, entry.scope);
                (stored(entry), Sharing::of(spec, modules.are_experts(at)))
            })
        } else {
            vec![None; registered.len()]
        };
        for (entry, loaded) in registered.iter().zip(&mut loaded) {
            let at = modules.around(t, entry.scope);
            match entry.role {
                Role::Buffer if spec.builds_on_meta() => t.in_scope(entry.scope, || {
                    t.give_storage_for(Category::Buffers, "to_empty", &entry.tensor);
                }),
                Role::Buffer | Role::Draft => {}
                Role::Trained | Role::Frozen | Role::Untied => {
                    let trained = entry.role == Role::Trained;
                    let stored = stored(entry);
                    let elements = entry.tensor.numel();
                    let sharing = Sharing::of(spec, modules.are_experts(at));
                    let until = sharing.alike_until(entry.tensor.shape(), mesh);
                    alike_until = alike_until.min(until);
                    let parameter = ModelParameter {
                        elements,
                        bytes: elements * stored.size(),
                        layer: modules.layer(at),
                        trained,
                        ranks: sharing.ranks,
                    };
                    all.push((entry.scope, parameter));
                    places.push((
                        entry.tensor.clone(),
                        (
                            at,
                            groups[at].add(t, (entry, loaded.take()), [stored, reduce]),
                        ),
                    ));
                }
            }
        }
        let trained = trained_places(t, &places);
        for entry in &apart {
            t.in_scope(entry.scope, || {
                t.give_storage_for(Category::Parameters, "empty", &entry.tensor);
            });
        }
        if !spec.around.loads() {
            t.empty_cache();
        }
        Rc::new_cyclic(|own| Self {
            own: Weak::clone(own),
            settings: dp.fsdp,
            streams: Streams::of(root),
            replicas: mesh.replicate,
            reduce,
            groups,
            modules,
            trained,
            all,
            alike_until,
            last_gathered: RefCell::default(),
            reducing: RefCell::default(),
            order: RefCell::default(),
            forward_root: Cell::default(),
            syncs: Cell::new(true),
            reshards: Cell::new(true),
            finalized_by_caller: Cell::new(false),
            ends: Cell::new(false),
            handed_over: Cell::new(spec.adapts_shards()),
        })
    }

    /// Parts that this rank steps over, with their gradients.
    fn own(&self) -> Vec<(Tensor, Option<Tensor>)> {
        (self.trained.iter())
            .map(|&(group, place)| self.groups[group].shard_with_gradient(place))
            .collect()
    }

    fn groups_drop_gradients(&self) {
        for &(group, place) in &self.trained {
            self.groups[group].drop_gradient(place);
        }
    }

    fn shared(&self) -> Option<Rc<Self>> {
        self.own.upgrade()
    }

    /// `FSDPState._pre_backward`.
    fn pre_backward(&self, t: &Tape, at: usize) {
        let group = &self.groups[at];
        if !self.ends.replace(true)
            && let Some(own) = self.shared()
        {
            t.when_backward_ends(Rc::new(move |t| own.end_backward(t)));
        }
        if group.state.replace(State::PreBackward) == State::PreBackward {
            return;
        }
        self.unshard(t, at);
        self.wait_for_unshard(t, at);
        group.set_gradient_dtypes(true, self.syncs.get());
        let targets = self.prefetched(at, false);
        if targets.is_empty() {
            self.prefetch_before(t, at);
        } else {
            self.prefetch_explicitly(t, &targets, State::PreBackward);
        }
    }

    /// `_backward_prefetch`: gathers the group whose forward ended before this one's.
    fn prefetch_before(&self, t: &Tape, at: usize) {
        let Some(index) = self.groups[at].post_forward.borrow_mut().pop() else {
            return;
        };
        let before = index.checked_sub(1);
        let target = before.and_then(|before| self.order.borrow().get(before).copied());
        if let Some(target) = target {
            let state = self.groups[target].state.replace(State::PreBackward);
            self.unshard(t, target);
            self.groups[target].state.set(state);
        }
    }

    /// Groups that are gathered explicitly when a group is gathered: the layers after or before it
    /// (`set_modules_to_forward_prefetch` and `set_modules_to_backward_prefetch` of layers).
    fn prefetched(&self, at: usize, forward: bool) -> Vec<usize> {
        let layers = self.modules.layers();
        if !layers.contains(&at) {
            return Vec::new();
        }
        let count = usize::try_from(self.settings.explicit_prefetch).unwrap_or(usize::MAX);
        if forward {
            layers
                .iter()
                .copied()
                .filter(|&layer| layer > at)
                .take(count)
                .collect()
        } else {
            let before = layers.iter().rev().copied();
            before.filter(|&layer| layer < at).take(count).collect()
        }
    }

    fn prefetch_explicitly(&self, t: &Tape, targets: &[usize], phase: State) {
        for &target in targets {
            let state = self.groups[target].state.replace(phase);
            self.unshard(t, target);
            self.groups[target].state.set(state);
        }
    }

    /// `_post_forward` of a group, whose modules gave these tensors.
    fn post_forward(&self, t: &Tape, at: usize, outputs: &[&mut Tensor]) {
        let group = &self.groups[at];
        if !t.is_in_backward() && !group.parameters.is_empty() {
            if group.reshards {
                group.reshard();
            }
            let mut order = self.order.borrow_mut();
            group.post_forward.borrow_mut().push(order.len());
            order.push(at);
        }
        for x in outputs.iter().filter(|x| x.requires_grad()) {
            if let Some(own) = self.shared() {
                t.on_gradient_of(x, Rc::new(move |t| own.pre_backward(t, at)));
            }
        }
        group.state.set(State::Idle);
    }

    /// `force_complete_post_forward`: groups of which a module was not called, as a head whose weight alone is read.
    fn complete_forward(&self, t: &Tape, outputs: &[&mut Tensor]) {
        for at in (1..self.groups.len()).rev() {
            if self.groups[at].completes() {
                self.post_forward(t, at, outputs);
            }
        }
    }

    /// `_root_post_backward_final_callback`.
    fn end_backward(&self, t: &Tape) {
        for at in 0..self.groups.len() {
            let has_some = !self.groups[at].parameters.is_empty();
            if has_some && self.groups[at].state.get() != State::PostBackward {
                self.post_backward(t, at);
            }
            self.groups[at].state.set(State::Idle);
        }
        self.ends.set(false);
        self.forward_root.set(None);
        if self.finalized_by_caller.get() {
            self.last_gathered.take();
        } else {
            self.end_iteration();
        }
    }

    /// `_end_backward_iteration`.
    fn end_iteration(&self) {
        for group in &self.groups {
            group.reduced.take();
            group.gathering.take();
            group.post_forward.borrow_mut().clear();
        }
        self.last_gathered.take();
        self.order.borrow_mut().clear();
        self.reducing.borrow_mut().clear();
    }
}

impl ModuleHooks for Fsdp2 {
    fn before(&self, t: &Tape, module: u32, inputs: &mut [&mut Tensor]) {
        let Some(at) = self.modules.group_of(module) else {
            return;
        };
        let group = &self.groups[at];
        group.begins();
        let recomputes = group.state.get() == State::PreBackward;
        if recomputes && !group.unsharded.get() {
            self.unshard(t, at);
            self.wait_for_unshard(t, at);
        }
        let precision = &self.settings.mixed_precision;
        if let Some(dtype) = precision.param.filter(|_| precision.cast_forward_inputs) {
            for x in inputs.iter_mut().filter(|x| x.dtype().is_float()) {
                **x = t.to(x, dtype.dtype());
            }
        }
        if recomputes {
            return;
        }
        self.forward_root.set(self.forward_root.get().or(Some(at)));
        let enters = group.state.replace(State::Forward) != State::Forward;
        self.unshard(t, at);
        self.wait_for_unshard(t, at);
        if enters
            && t.is_grad_enabled()
            && !group.parameters.is_empty()
            && let Some(own) = self.shared()
        {
            t.pass_through(inputs, Rc::new(move |t| own.post_backward(t, at)));
        }
        self.prefetch_explicitly(t, &self.prefetched(at, true), State::Forward);
    }

    fn after(&self, t: &Tape, module: u32, outputs: &mut [&mut Tensor]) {
        let Some(at) = self.modules.group_of(module) else {
            return;
        };
        if self.groups[at].ends_with(module) && self.groups[at].state.get() != State::PreBackward {
            self.post_forward(t, at, outputs);
            if at == 0 {
                self.complete_forward(t, outputs);
            }
            if self.forward_root.get() == Some(at) {
                self.last_gathered.take();
                self.forward_root.set(None);
            }
        }
        if let Some(dtype) = self.settings.mixed_precision.output {
            for x in outputs.iter_mut().filter(|x| x.dtype().is_float()) {
                **x = t.to(x, dtype.dtype());
            }
        }
    }
}

impl Wrapper for Fsdp2 {
    fn alike_until(&self, _mesh: &Mesh) -> u64 {
        self.alike_until
    }

    fn begin_micro_batch(&self, _t: &Tape, syncs: bool) {
        self.sync(syncs);
    }

    fn on_rank(&self, t: &Tape, run: OnRank) {
        if self.settings.cpu_offload {
            // The host clips and steps.
            return;
        }
        if self.handed_over.get() {
            return by_mesh(t, run);
        }
        t.with_parameters(&self.own(), |t| by_mesh(t, run));
    }

    fn sums_norms(&self) -> bool {
        !self.trained.is_empty() && self.groups.iter().any(|group| group.sharing.ranks > 1)
    }

    fn flag_sums(&self) -> u64 {
        let Some(&(group, place)) = self.trained.first().filter(|_| !self.settings.cpu_offload)
        else {
            return 0;
        };
        // One sum over ranks that share the parameter, and one over ranks that divide it.
        match self.groups[group].parameters[place].unsharded.placement() {
            Placement::Divided | Placement::OfExperts => 2,
            _ => 1,
        }
    }

    fn drop_gradients(&self, t: &Tape) {
        if self.handed_over.get() {
            return t.drop_gradients();
        }
        self.groups_drop_gradients();
    }

    fn hand_over(&self, t: &Tape) -> bool {
        if !self.handed_over.replace(true) {
            t.replace_parameters(self.own().into_iter());
            self.groups_drop_gradients();
        }
        true
    }

    fn gather_to_save(&self, t: &Tape) {
        self.gather_one_by_one(t);
    }

    fn parameters(&self) -> Option<Vec<(u32, ModelParameter)>> {
        Some(self.all.clone())
    }

    fn trainable(&self, t: &Tape) -> Option<u64> {
        if self.trained.is_empty() {
            return None;
        }
        let elements = self.trained.iter().map(|&(group, place)| {
            let parameter = &self.groups[group].parameters[place];
            parameter.shard.numel() * t.multiplicity(parameter.scope)
        });
        Some(elements.sum())
    }
}

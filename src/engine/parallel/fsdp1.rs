//! `torch.distributed.fsdp.FullyShardedDataParallel`: the parameters of every layer, and those of the model
//! around them, become one flat parameter that is gathered before the module runs and given back after.
//!
//! Source: `torch/distributed/fsdp/{_runtime_utils,_flat_param,_init_utils,_exec_order_utils}.py`,
//! torch 2.15; methods name the function they mirror.

mod build;
mod clip;
mod handle;
mod layout;
mod reduce;
mod save;

use super::units::Layers;
use super::wrapper::{ModelParameter, OnRank, Wrapper};
use crate::ask::{BackwardPrefetch, Fsdp, Mesh};
use crate::tape::{BackwardHook, Category, ModuleHooks, Tape, Tensor};
use crate::units::{DType, Shape, Wait};
pub(super) use build::shards;
use handle::{ALL_REDUCE, Handle, POST_BACKWARD, PRE_UNSHARD, State, UNSHARD};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

/// The place of a parameter.
#[derive(Clone, Copy)]
struct Place {
    /// Its handle.
    handle: usize,
    /// Its place in that.
    original: usize,
}

/// The flat parameters of a model, with their shared state.
pub(super) struct Fsdp1 {
    own: Weak<Self>,
    settings: Fsdp,
    /// Whether ranks that hold the same shard reduce gradients among them.
    replicates: bool,
    /// Ranks that hold the same, and reduce gradients among them.
    replicas: u64,
    /// The root's handle first, then each layer's, followed by the handles of modules within the layer that are units.
    handles: Vec<Handle>,
    /// The modules that are layers, and the handle of each.
    layers: Layers,
    of_layer: Vec<usize>,
    /// Modules within layers that are units, by their weights.
    leaves: Vec<(Tensor, usize)>,
    /// For the optimizer, where parameters stay as they are: each that is trained, in the model's order.
    trained: Vec<Place>,
    /// All parameters as they were made.
    all: Vec<(u32, ModelParameter)>,
    /// Buffers in floating point, which the first forward casts.
    buffers: RefCell<Vec<Tensor>>,
    /// `_is_root is not None`: the first forward has begun.
    initialized: Cell<bool>,
    /// Handles in the order in which their first forwards began, for all passes.
    pre_forward: RefCell<Vec<usize>>,
    /// Handles in the order in which their forwards ended in this pass.
    post_forward: RefCell<Vec<usize>>,
    first_pass: Cell<bool>,
    /// Whether gradients are reduced in this micro-batch (`_sync_gradients`).
    syncs: Cell<bool>,
    /// `_post_backward_callback_queued`.
    ends: Cell<bool>,
    /// `_zero_scalar`.
    zero: RefCell<Option<Tensor>>,
    /// Whether the tape's parameters are the ones that the optimizer steps over.
    handed_over: Cell<bool>,
}

impl Fsdp1 {
    fn shared(&self) -> Option<Rc<Self>> {
        self.own.upgrade()
    }

    fn handle_of(&self, module: u32) -> Option<usize> {
        if module == 0 {
            return Some(0);
        }
        let layer = self.layers.of_module(module)?;
        self.of_layer.get(layer).copied()
    }

    fn handle_of_leaf(&self, weight: &Tensor) -> Option<usize> {
        let found = self.leaves.iter().find(|(leaf, _)| leaf.is(weight));
        found.map(|&(_, at)| at)
    }

    /// `_lazy_init`.
    fn initialize(&self, t: &Tape) {
        if self.initialized.replace(true) {
            return;
        }
        for buffer in self.buffers.take() {
            let cast = t.hold(
                "_to_copy",
                buffer.shape(),
                buffer.dtype(),
                Category::Buffers,
            );
            buffer.free_storage();
            buffer.take_storage(&cast);
        }
        for handle in &self.handles {
            t.in_scope(handle.scope, || handle.init_attributes(t));
        }
    }

    /// `_root_pre_forward`.
    fn root_pre_forward(&self, t: &Tape) {
        self.initialize(t);
        if self.settings.forward_prefetch {
            for handle in &self.handles {
                handle.needs_pre_forward.set(true);
                handle.prefetched.set(false);
            }
        }
        for stream in [UNSHARD, PRE_UNSHARD] {
            t.wait_stream(stream, t.stream());
        }
        self.reset_gradients();
    }

    fn reset_gradients(&self) {
        for handle in &self.handles {
            handle.reset_gradient();
        }
    }

    /// `_pre_forward`.
    fn begin_forward(&self, t: &Tape, at: usize, inputs: &mut [&mut Tensor]) {
        let handle = &self.handles[at];
        if handle.state.get() == State::BackwardPre {
            return;
        }
        if at == 0 {
            self.root_pre_forward(t);
            // `_root_cast_forward_input`.
            if let Some(dtype) = self.settings.mixed_precision.param {
                for x in inputs.iter_mut().filter(|x| x.dtype().is_float()) {
                    **x = t.to(x, dtype.dtype());
                }
            }
        }
        if self.first_pass.get() && handle.pre_forward_index.get().is_none() {
            let mut order = self.pre_forward.borrow_mut();
            handle.pre_forward_index.set(Some(order.len()));
            order.push(at);
        }
        handle.state.set(State::Forward);
        if !handle.prefetched.get() {
            handle.unshard(t);
        }
        handle.needs_pre_forward.set(false);
        t.wait_stream(t.stream(), UNSHARD);
        self.prefetch(t, at);
        if !t.is_grad_enabled() || handle.registered.replace(true) || handle.trains() {
            return;
        }
        // `_register_post_backward_reshard_only_hook`.
        let trained: Vec<&Tensor> = (inputs.iter().map(|x| &**x))
            .filter(|x| x.requires_grad())
            .collect();
        let Some(own) = self.shared().filter(|_| !trained.is_empty()) else {
            return;
        };
        let hook: BackwardHook = Rc::new(move |t| {
            own.handles[at].state.set(State::BackwardPost);
            own.post_backward_reshard(t, at);
        });
        let hooked = t.on_gradients_of(&trained, &hook);
        handle.hooked.replace(Some(hooked));
    }

    /// `_post_forward`.
    fn end_forward(&self, t: &Tape, at: usize, outputs: &mut [&mut Tensor]) {
        let handle = &self.handles[at];
        if handle.state.get() == State::BackwardPre {
            return;
        }
        let mut order = self.post_forward.borrow_mut();
        if handle.post_forward_index.get().unwrap_or(0) == 0 {
            handle.post_forward_index.set(Some(order.len()));
        }
        order.push(at);
        drop(order);
        handle.reshard(t, !handle.is_root && handle.common.reshards_after_forward);
        if t.is_grad_enabled() {
            if handle.is_root {
                self.ends.set(false);
            }
            handle.needs_pre_backward.set(false);
            handle.ran_pre_backward.set(false);
            for x in outputs.iter().filter(|x| x.requires_grad()) {
                handle.needs_pre_backward.set(true);
                if let Some(own) = self.shared() {
                    t.on_gradient_of(x, Rc::new(move |t| own.pre_backward(t, at)));
                }
            }
        }
        handle.state.set(State::Idle);
    }

    /// `_pre_backward_hook`.
    fn pre_backward(&self, t: &Tape, at: usize) {
        let handle = &self.handles[at];
        if handle.ran_pre_backward.get() {
            return;
        }
        if handle.is_root
            && !self.ends.replace(true)
            && let Some(own) = self.shared()
        {
            t.when_backward_ends(Rc::new(move |t| own.end_backward(t)));
            self.reset_gradients();
        }
        handle.state.set(State::BackwardPre);
        // Units that ran after this one in forward are done.
        for other in &self.handles {
            other.in_graph.take();
        }
        if handle.needs_pre_backward.replace(false) {
            if !handle.prefetched.get() {
                handle.unshard(t);
            }
            t.wait_stream(t.stream(), UNSHARD);
        }
        self.prefetch(t, at);
        handle.prepare_for_backward();
        handle.ran_pre_backward.set(true);
    }

    /// `_prefetch_handle`: gathers the next handle, where prefetching is on in this state.
    fn prefetch(&self, t: &Tape, at: usize) {
        let handle = &self.handles[at];
        let state = handle.state.get();
        let backward = match state {
            State::BackwardPre => self.settings.backward_prefetch == BackwardPrefetch::Pre,
            State::BackwardPost => self.settings.backward_prefetch == BackwardPrefetch::Post,
            State::Forward | State::Idle => false,
        };
        let next = if backward {
            let before = handle
                .post_forward_index
                .get()
                .and_then(|index| index.checked_sub(1));
            let next = before.and_then(|before| self.post_forward.borrow().get(before).copied());
            next.filter(|&next| self.handles[next].needs_pre_backward.get())
        } else if state == State::Forward && self.settings.forward_prefetch {
            let after = handle.pre_forward_index.get().map(|index| index + 1);
            let next = after.and_then(|after| self.pre_forward.borrow().get(after).copied());
            next.filter(|&next| self.handles[next].needs_pre_forward.get())
        } else {
            None
        };
        let Some(next) = next
            .map(|next| &self.handles[next])
            .filter(|next| !next.prefetched.get())
        else {
            return;
        };
        let as_if = if backward {
            State::BackwardPre
        } else {
            State::Forward
        };
        let before = next.state.replace(as_if);
        next.unshard(t);
        next.state.set(before);
        next.prefetched.set(true);
    }

    /// `_post_backward_final_callback`.
    fn end_backward(&self, t: &Tape) {
        if self.syncs.get() {
            t.wait_stream(t.stream(), POST_BACKWARD);
            if self.replicates {
                t.wait_stream(t.stream(), ALL_REDUCE);
            }
            if self.settings.cpu_offload {
                t.wait(Wait::Host(t.stream()));
            }
        }
        self.first_pass.set(false);
        self.post_forward.borrow_mut().clear();
        for handle in &self.handles {
            t.in_scope(handle.scope, || self.end_backward_of(t, handle));
        }
        self.ends.set(false);
    }

    fn end_backward_of(&self, t: &Tape, handle: &Handle) {
        // `_catch_all_reshard`.
        if handle.is_unsharded.get() || handle.skipped_views.get() {
            handle.reshard(t, self.frees_in_backward(handle));
        }
        handle.in_graph.take();
        // `_finalize_params`.
        handle.registered.set(false);
        handle.hooked.take();
        if handle.trains() && self.syncs.get() {
            handle.prepare_for_optimizer();
            handle.post_backward_called.set(false);
        }
        handle.ran_pre_backward.set(false);
        handle.needs_pre_backward.set(false);
        handle.post_forward_index.set(None);
        handle.state.set(State::Idle);
        handle.prefetched.set(false);
    }

    /// Tensors that the optimizer steps over.
    fn optimized(&self) -> Vec<(Tensor, Option<Tensor>)> {
        if self.settings.use_orig_params {
            let originals = self.trained.iter();
            return originals
                .map(|place| self.handles[place.handle].original(place.original))
                .collect();
        }
        let trained = self.handles.iter().filter(|handle| handle.trains());
        trained
            .map(|handle| (handle.local.clone(), handle.flat.gradient()))
            .collect()
    }
}

impl ModuleHooks for Fsdp1 {
    fn before(&self, t: &Tape, module: u32, inputs: &mut [&mut Tensor]) {
        if let Some(at) = self.handle_of(module) {
            self.begin_forward(t, at, inputs);
        }
    }

    fn after(&self, t: &Tape, module: u32, outputs: &mut [&mut Tensor]) {
        if let Some(at) = self.handle_of(module) {
            self.end_forward(t, at, outputs);
        }
    }

    fn before_leaf(&self, t: &Tape, weight: &Tensor, input: &mut Tensor) {
        if let Some(at) = self.handle_of_leaf(weight) {
            self.begin_forward(t, at, &mut [input]);
        }
    }

    fn after_leaf(&self, t: &Tape, weight: &Tensor, output: &mut Tensor) {
        if let Some(at) = self.handle_of_leaf(weight) {
            self.end_forward(t, at, &mut [output]);
        }
    }

    /// Original parameters of a unit that is not gathered are views of its shard (`_use_sharded_views`).
    fn dtype_of_leaf(&self, weight: &Tensor) -> Option<DType> {
        let handle = &self.handles[self.handle_of_leaf(weight)?];
        handle.dtype_of_views()
    }
}

impl Wrapper for Fsdp1 {
    fn alike_until(&self, mesh: &Mesh) -> u64 {
        mesh.place_in_shard() + 1
    }

    fn begin_micro_batch(&self, _t: &Tape, syncs: bool) {
        self.syncs.set(syncs);
    }

    fn on_rank(&self, t: &Tape, run: OnRank) {
        if self.settings.cpu_offload {
            // The host clips and steps.
            return;
        }
        if self.handed_over.get() {
            return run(t);
        }
        t.with_parameters(&self.optimized(), |t| run(t));
    }

    fn clip(&self, t: &Tape, run: OnRank) {
        let mut zero = self.zero.borrow_mut();
        zero.get_or_insert_with(|| {
            let zero = t.empty("tensor", Shape::new(&[]), DType::Float32);
            t.synchronize_stream(); // its value comes from the host
            zero
        });
        if !self.handles.iter().any(|handle| handle.common.shards) {
            return self.on_rank(t, run);
        }
        if self.settings.cpu_offload {
            return clip::clip_on_host(t);
        }
        // All handles in order, the parameters of each as they lie in it.
        if self.handed_over.get() {
            let (mut of_root, mut of_layers) = (Vec::new(), Vec::new());
            t.for_each_parameter(|_, parameter, gradient| {
                let is_in_layer = t.outermost_item(t.scope_of(parameter)).is_some();
                let gradients = if is_in_layer {
                    &mut of_layers
                } else {
                    &mut of_root
                };
                gradients.extend(gradient.cloned());
            });
            of_root.append(&mut of_layers);
            return clip::clip_grad_norm(t, &of_root);
        }
        let gradients = self.handles.iter().flat_map(|handle| {
            let flat = handle
                .flat
                .gradient()
                .filter(|_| !self.settings.use_orig_params);
            let originals = (0..handle.originals.len())
                .filter(|&at| self.settings.use_orig_params && handle.originals[at].trained)
                .filter_map(|at| handle.original(at).1);
            flat.into_iter().chain(originals)
        });
        clip::clip_grad_norm(t, &gradients.collect::<Vec<_>>());
    }

    fn hand_over(&self, t: &Tape) -> bool {
        t.replace_parameters(self.optimized().into_iter());
        self.drop_gradients(t);
        self.handed_over.set(true);
        true
    }

    fn drop_gradients(&self, t: &Tape) {
        if self.handed_over.get() {
            if !self.settings.use_orig_params {
                t.drop_gradients();
            }
            return;
        }
        for handle in &self.handles {
            if self.settings.use_orig_params {
                handle.shows_gradients.set(false);
            } else {
                handle.flat.set_gradient(None);
            }
        }
    }

    fn gather_to_save(&self, t: &Tape) {
        self.gather_one_by_one(t);
    }

    fn parameters(&self) -> Option<Vec<(u32, ModelParameter)>> {
        Some(self.all.clone())
    }

    fn trainable(&self, t: &Tape) -> Option<u64> {
        let of = |handle: &Handle| {
            let elements = if self.settings.use_orig_params {
                let trained = handle.originals.iter().filter(|original| original.trained);
                trained.map(|original| original.shard.numel()).sum()
            } else if handle.trains() {
                handle.local.numel()
            } else {
                0
            };
            elements * t.multiplicity(handle.scope)
        };
        Some(self.handles.iter().map(of).sum())
    }
}

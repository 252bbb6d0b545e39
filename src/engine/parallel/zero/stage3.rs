//! `DeepSpeedZeroOptimizer_Stage3` (`stage3.py`): every rank has a part of each parameter, of its gradient
//! and of its optimizer states; modules gather theirs around each call (`parameter_offload.py`).

use super::Timer;
use super::coordinator::Coordinator;
use super::init::Parts;
use super::norm;
use super::sub_groups::sub_groups;
use crate::ask::{OffloadDevice, Zero};
use crate::model::ResolvedSpec;
use crate::parallel::wrapper::{OnRank, Wrapper};
use crate::tape::{Called, Category, Collective, ParameterHooks, Registered, Tape, Tensor};
use crate::units::{DType, Queue, Shape, Stream, Wait};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::{Rc, Weak};

/// `reduce_and_partition_stream`.
const REDUCTION: Stream = Stream::side(1);
/// `__allgather_stream` of its parameters.
const ALL_GATHER: Stream = Stream::side(2);

/// Modules of PEFT within its own model (`PeftModel.base_model` and `LoraModel.model`, peft 0.21).
const PEFT: &[&str] = &["base_model", "adapted_model"];

/// Elements of which the norm is taken at once where the optimizer is on the host
/// (`_constant_buffered_norm2`).
const NORM_BUFFER: u64 = 250_000_000;

/// The gradient of a module's result, which `register_full_backward_hook` keeps until that of its input is there.
type Kept = Rc<RefCell<Option<Tensor>>>;

/// Parameters that are stepped over together (`fp16_groups`).
struct Group {
    /// Their places in the model.
    members: Vec<usize>,
    /// `fp32_partitioned_groups_flat`.
    master: Tensor,
}

/// The optimizer of stage 3.
pub(in crate::parallel) struct Stage3 {
    own: Weak<Self>,
    settings: Zero,
    low: DType,
    /// `gradient_accumulation_dtype`: adapters that nobody cast have gradients in another one than the model's.
    accumulated: DType,
    /// `communication_data_type`.
    communicated: DType,
    ranks: u64,
    coordinator: Coordinator,
    groups: Vec<Group>,
    /// This rank's parts of the parameters: parts of trained parameters lie in one buffer.
    _parts: Vec<Tensor>,
    /// `ipg_bucket.buffer`.
    bucket: Option<Tensor>,
    /// `grad_partitions_flat_buffer`, and `inf_or_nan_tracker`.
    gradients: Option<[Tensor; 2]>,
    /// Parameters whose gradients are in the bucket.
    waiting: RefCell<Vec<usize>>,
    elements: Cell<u64>,
    /// States that the optimizer has made before.
    _states: Vec<Tensor>,
    /// Parameters of modules that stand for all modules in them, whose gradients are reduced when such a module's
    /// backward is over, and the output gradient that waits for the backward of the running module.
    of_leaves: RefCell<BTreeSet<usize>>,
    output_gradient: RefCell<Option<Kept>>,
    clips: bool,
    boundary: Cell<bool>,
    timer: Timer,
    norms: RefCell<Vec<Tensor>>,
    global_norm: RefCell<Option<Tensor>>,
}

impl Stage3 {
    /// `__init__`, around the model whose parameters are there.
    pub(in crate::parallel) fn new(
        t: &Tape,
        spec: &ResolvedSpec,
        registered: Vec<Registered>,
        built: &Parts,
    ) -> Rc<Self> {
        let settings = spec.parallelism.dp.zero;
        let ranks = spec.mesh.shard;
        let offloads = settings.offload_optimizer == OffloadDevice::Cpu;
        let states = super::states_of_model(t, spec);
        let (coordinator, mut parts) = Coordinator::new(t, spec, ALL_GATHER, registered, built);
        // Distillation calls the model without its head by itself.
        let coordinator = match spec.lora {
            Some(_) if !spec.objective.has_teacher() => coordinator.around(PEFT),
            _ => coordinator,
        };
        let mut trained = Vec::new();
        t.for_each_parameter(|_, parameter, _| trained.extend(coordinator.place(parameter)));
        let low = trained
            .first()
            .map_or(spec.weights, |&at| parts[at].dtype());
        let flat = |op, elements, dtype, category| {
            t.allocate(op, Shape::from([elements]), dtype, category)
        };
        // `inf_or_nan_tracker`.
        let tracker = (!offloads).then(|| flat("zeros", 1, DType::Bool, Category::Buffers));
        // `defragment`, by way of the host.
        let own: u64 = trained.iter().map(|&at| parts[at].numel()).sum();
        if settings.offload_param == OffloadDevice::None {
            for &at in &trained {
                parts[at].free_storage();
            }
            t.empty_cache();
            parts.push(flat("_to_copy", own, low, Category::Parameters));
        }
        let mut groups: Vec<Group> = Vec::new();
        for members in sub_groups(&trained, &parts, settings.sub_group_size) {
            let elements: u64 = members.iter().map(|&at| parts[at].numel()).sum();
            let wide = || {
                flat(
                    "_to_copy",
                    elements,
                    DType::Float32,
                    Category::MasterWeights,
                )
            };
            let master = if offloads {
                t.without_storage(Shape::from([elements]), DType::Float32)
            } else {
                let converted = (low != DType::Float32).then(wide);
                let master = wide();
                drop(converted);
                master
            };
            groups.push(Group { members, master });
        }
        let _states_of_parts = (!offloads).then(|| {
            let largest = groups.iter().map(|group| group.master.numel()).max();
            let _gradients = t.empty("zeros", Shape::from([largest.unwrap_or(0)]), DType::Float32);
            super::states_of_parts(t, spec, groups.iter().map(|group| &group.master))
        });
        let communicated = super::communicated(spec);
        let bucket = settings.contiguous_gradients.then(|| {
            flat(
                "empty",
                settings.reduce_bucket_size,
                communicated,
                Category::Communication,
            )
        });
        let zero = Rc::new_cyclic(|weak| Self {
            own: Weak::clone(weak),
            settings,
            low,
            accumulated: spec.weights,
            communicated,
            ranks,
            coordinator,
            groups,
            _parts: parts,
            bucket,
            gradients: tracker.map(|tracker| {
                let gradients = flat("zeros", own, spec.weights, Category::Gradients);
                [gradients, tracker]
            }),
            waiting: RefCell::default(),
            elements: Cell::new(0),
            _states: states,
            of_leaves: RefCell::default(),
            output_gradient: RefCell::default(),
            clips: spec.clip_grad_norm,
            boundary: Cell::new(true),
            timer: Timer::default(),
            norms: RefCell::default(),
            global_norm: RefCell::default(),
        });
        if spec.around.loads() {
            zero.coordinator.gather_to_hook(t);
        }
        t.wrap_parameters(Rc::clone(&zero) as Rc<dyn ParameterHooks>);
        let hooked = Rc::clone(&zero);
        t.on_gradient(move |t| hooked.reduce_parameter(t));
        zero
    }

    fn offloads(&self) -> bool {
        self.settings.offload_optimizer == OffloadDevice::Cpu
    }

    fn stream(&self) -> Stream {
        if self.settings.overlaps() {
            REDUCTION
        } else {
            Stream::MAIN
        }
    }

    /// `reduce_independent_p_g_buckets_and_remove_grads`: the gradient of one parameter is there.
    fn reduce_parameter(&self, t: &Tape) {
        let mut ready = None;
        t.for_each_parameter(|_, parameter, _| ready = Some(parameter.clone()));
        let Some(at) = ready.and_then(|tensor| self.coordinator.place(&tensor)) else {
            return;
        };
        if !self.of_leaves.borrow().contains(&at) {
            self.put_into_bucket(t, at);
        }
    }

    /// `reduce_leaf_module_grads`.
    fn reduce_leaf(&self, t: &Tape, members: &[usize]) {
        for &at in members {
            let reduced = self.waiting.borrow().contains(&at);
            if !reduced && self.coordinator.parameters[at].tensor.gradient().is_some() {
                self.put_into_bucket(t, at);
            }
        }
    }

    fn put_into_bucket(&self, t: &Tape, at: usize) {
        t.wait_stream(self.stream(), t.stream());
        let tensor = &self.coordinator.parameters[at].tensor;
        let (elements, size) = (tensor.numel(), self.settings.reduce_bucket_size);
        if self.elements.get() > 0 && self.elements.get() + elements > size {
            self.reduce_bucket(t);
        }
        let fits = self.elements.get() + elements <= size;
        if let (Some(bucket), true, Some(gradient)) = (&self.bucket, fits, tensor.gradient()) {
            t.record_stream(&gradient, self.stream());
            tensor.set_gradient(Some(bucket.part(*tensor.shape())));
        }
        self.waiting.borrow_mut().push(at);
        self.elements.set(self.elements.get() + elements);
    }

    /// `__reduce_and_partition_ipg_grads`.
    fn reduce_bucket(&self, t: &Tape) {
        let mut members = self.waiting.take();
        self.elements.set(0);
        members.sort_unstable();
        if members.is_empty() {
            return;
        }
        t.wait(Wait::Limit(Queue::Reductions));
        let parts = members
            .iter()
            .map(|&at| self.coordinator.parameters[at].part);
        let whole = (parts.sum::<u64>() * self.ranks, self.communicated);
        t.communicates_elements(Collective::ReduceScatter, whole, self.ranks);
        t.on_stream(self.stream(), || {
            let gradient = |at: usize| self.coordinator.parameters[at].tensor.gradient();
            let converts = self.communicated != self.low;
            let converted: Vec<Tensor> = (members.iter().filter(|_| converts))
                .filter_map(|&at| Some(t.to(&gradient(at)?, self.communicated)))
                .collect();
            // `reduce_scatter_coalesced`: parts of all are put together for each rank.
            let whole = |at: usize| {
                self.coordinator.parameters[at]
                    .tensor
                    .numel()
                    .is_multiple_of(self.ranks)
            };
            let input = match members[..] {
                [one] if whole(one) => None,
                _ => {
                    let parts = members
                        .iter()
                        .map(|&at| self.coordinator.parameters[at].part);
                    let elements = parts.sum::<u64>() * self.ranks;
                    Some(t.empty("cat", Shape::from([elements]), self.communicated))
                }
            };
            let converts_back = self.communicated != self.accumulated;
            let back = |&at: &usize| {
                let part = Shape::from([self.coordinator.parameters[at].part]);
                t.empty("_to_copy", part, self.accumulated)
            };
            let own = members.iter().filter(|_| converts_back);
            let mut parts: Vec<Tensor> = own.map(back).collect();
            // A gradient that is reduced in place stays until parts of it are kept.
            let input = input.or_else(|| converted.first().cloned());
            let input = input.filter(|_| !converts_back);
            drop(converted);
            let mut copied = None;
            for at in members {
                self.keep_part(t, at, &mut copied);
            }
            drop((copied, input));
            while parts.pop().is_some() {}
            t.wait(Wait::Event(Queue::Reductions, self.stream()));
        });
    }

    /// `partition_grads` of one parameter.
    fn keep_part(&self, t: &Tape, at: usize, copied: &mut Option<Tensor>) {
        let parameter = &self.coordinator.parameters[at];
        if self.offloads() {
            let shape = Shape::from([parameter.part]);
            let copy = t.empty("_to_copy", shape, self.accumulated);
            copied.replace(copy.clone());
            if self.boundary.get() {
                let mut left = parameter.part;
                let mut total = None;
                while left > 0 {
                    let elements = left.min(NORM_BUFFER);
                    let piece = copy.part(Shape::from([elements]));
                    let wide = t.to(&piece, DType::Float64);
                    let norm = t.reduce("norm", &wide, Shape::new(&[]), DType::Float64);
                    drop(wide);
                    let square = t.empty("pow", Shape::new(&[]), DType::Float64);
                    drop(norm);
                    total.get_or_insert(square);
                    left -= elements;
                }
                let norm = t.empty("pow", Shape::new(&[]), DType::Float64);
                drop(total);
                self.norms.borrow_mut().push(norm);
                drop(t.to(&copy, DType::Float32));
            }
        }
        if let Some(gradient) = parameter.tensor.gradient() {
            t.record_stream(&gradient, self.stream());
        }
        parameter.tensor.set_gradient(None);
    }

    /// `step` where the optimizer is on the device.
    fn step_here(&self, t: &Tape, run: OnRank) {
        let part = |&at: &usize| Shape::from([self.coordinator.parameters[at].part]);
        let gradient = |shape: Shape| t.without_storage(shape, self.accumulated);
        let half = self.low == DType::Float16;
        if let Some([gradients, _]) = self.gradients.as_ref().filter(|_| half) {
            let overflows = || norm::overflow_of_parts(t, gradients);
            drop(t.on_stream(self.stream(), overflows));
            t.synchronize_stream();
        }
        let mut norms = Vec::new();
        for group in &self.groups {
            let gradients: Vec<Tensor> = group.members.iter().map(part).map(gradient).collect();
            norms.push(norm::of_parts(t, &gradients));
        }
        let total = norm::combined(t, &norms);
        drop(norm::invalid(t, &total));
        t.synchronize_stream();
        let held = self.global_norm.replace(Some(t.div_scalar(&total)));
        for at in 0..self.groups.len() {
            let master = &self.groups[at].master;
            let flat = match self.groups[at].members[..] {
                [_] => gradient(*master.shape()),
                _ => t.empty("cat", *master.shape(), self.accumulated),
            };
            let gradient = t.to(&flat, DType::Float32);
            gradient.set_category(Category::Gradients);
            drop(flat);
            if self.clips {
                norm::clip(t, &total);
            }
            let stepped = self.groups.iter().enumerate().map(|(other, group)| {
                let own = (other == at).then(|| gradient.clone());
                (group.master.clone(), own)
            });
            let stepped: Vec<(Tensor, Option<Tensor>)> = stepped.collect();
            t.with_parameters(&stepped, |t| run(t));
            drop((stepped, gradient));
            if self.settings.offload_param == OffloadDevice::Cpu && self.low != DType::Float32 {
                drop(t.empty("_to_copy", *master.shape(), self.low));
            }
        }
        // Its numbers live until parameters are there again.
        self.coordinator.step_ended(t);
        drop((total, norms, held));
    }
}

impl Stage3 {
    /// The trained parameters of a module that is treated as one with all modules in it, and the place where the
    /// gradient of its result is kept; `None` for other modules.
    fn waits_for(&self, t: &Tape, module: &Called) -> Option<(Vec<usize>, Kept)> {
        if !module.is_leaf {
            return None;
        }
        let members = self
            .coordinator
            .trained_of(&self.coordinator.using(t, module));
        if members.is_empty() {
            return None;
        }
        self.of_leaves.borrow_mut().extend(&members);
        let kept = Kept::default();
        self.output_gradient.replace(Some(Rc::clone(&kept)));
        Some((members, kept))
    }
}

impl ParameterHooks for Stage3 {
    fn before(&self, t: &Tape, module: &Called, inputs: &mut [&mut Tensor]) {
        let Some(own) = self.own.upgrade() else {
            return;
        };
        let Some(used) = self.coordinator.enter(t, module) else {
            return;
        };
        let waiting = self.waits_for(t, module);
        let left = move |t: &Tape| own.coordinator.release(t, &used, false);
        t.pass_through(inputs, Rc::new(left));
        let Some((own, (members, kept))) = self.own.upgrade().zip(waiting) else {
            return;
        };
        let ended = move |t: &Tape| {
            own.reduce_leaf(t, &members);
            kept.take();
        };
        t.pass_through(inputs, Rc::new(ended));
    }

    fn after(&self, t: &Tape, module: &Called, outputs: &mut [&mut Tensor]) {
        let left = self.coordinator.leave(t, module);
        for output in outputs {
            for used in &left {
                if let Some(own) = self.own.upgrade() {
                    let used = used.clone();
                    let entered = move |t: &Tape| own.coordinator.fetch(t, &used, false);
                    t.pass_through(&mut [&mut **output], Rc::new(entered));
                }
            }
            if let Some(kept) = self.output_gradient.take().filter(|_| module.is_leaf) {
                t.keep_gradient(output, kept);
            }
        }
    }
}

impl Wrapper for Stage3 {
    fn at_boundary(&self, is_last: bool) {
        self.boundary.set(is_last);
    }

    fn scaled(&self, t: &Tape, loss: &Tensor, divides: bool) -> Vec<Tensor> {
        super::scaled(t, loss, divides)
    }

    /// `independent_gradient_partition_epilogue`, then `backward_epilogue`.
    fn backward_ended(&self, t: &Tape) {
        // Of modules whose input has no gradient.
        let of_leaves: Vec<usize> = self.of_leaves.borrow().iter().copied().collect();
        self.reduce_leaf(t, &of_leaves);
        self.reduce_bucket(t);
        t.synchronize_with(self.stream());
        self.coordinator.release_leftovers(t);
        if !self.boundary.get() {
            self.timer.reads(t);
        }
    }

    fn begin_micro_batch(&self, t: &Tape, _syncs: bool) {
        self.timer.reads(t);
    }

    fn on_rank(&self, t: &Tape, run: OnRank) {
        let masters: Vec<(Tensor, Option<Tensor>)> = self
            .groups
            .iter()
            .map(|group| (group.master.clone(), None))
            .collect();
        t.with_parameters(&masters, |t| run(t));
    }

    fn clips(&self) -> bool {
        true
    }

    fn gather_to_save(&self, t: &Tape) {
        self.coordinator.gather_one_by_one(t);
    }

    fn step(&self, t: &Tape, run: OnRank) {
        let grad_mode = t.set_grad_enabled(false);
        self.coordinator.release_all(t);
        if self.offloads() {
            drop(t.empty("FloatTensor", Shape::from([1]), DType::Float32));
            t.synchronize_stream();
            self.norms.take();
            self.coordinator.step_ended(t);
        } else {
            self.step_here(t, run);
        }
        self.timer.step_ended(t);
        t.set_grad_enabled(grad_mode);
    }
}

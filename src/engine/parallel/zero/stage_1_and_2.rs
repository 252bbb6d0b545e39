//! `DeepSpeedZeroOptimizer` (`stage_1_and_2.py`): all parameters lie in one flat tensor, of which every rank
//! steps over a part in float32.

use super::Timer;
use super::buckets::Buckets;
use super::{flat, norm};
use crate::ask::{Mesh, OffloadDevice, Zero};
use crate::model::ResolvedSpec;
use crate::parallel::wrapper::{OnRank, Wrapper};
use crate::tape::{Category, Collective, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A parameter that is trained.
pub(super) struct Member {
    pub(super) tensor: Tensor,
    /// Its beginning in the flat tensor.
    pub(super) offset: u64,
    /// Its elements in this rank's part.
    pub(super) own: u64,
}

/// The optimizer of stages 1 and 2.
pub(in crate::parallel) struct Stage1And2 {
    pub(super) settings: Zero,
    /// The dtype of parameters and gradients.
    pub(super) low: DType,
    /// `communication_data_type`.
    pub(super) communicated: DType,
    pub(super) members: Vec<Member>,
    /// Ranks that have a part each.
    pub(super) ranks: u64,
    /// Elements of a rank's part (`partition_size`).
    pub(super) part: u64,
    /// `bit16_groups_flat`.
    _flat: Tensor,
    /// `single_partition_of_fp32_groups`.
    master: Tensor,
    /// `temp_grad_buffer_for_gpu_offload`.
    _copied: Option<Tensor>,
    /// States that the optimizer has made before.
    _states: Vec<Tensor>,
    clips: bool,
    /// Whether this micro-batch is the last of a step.
    pub(super) boundary: Cell<bool>,
    pub(super) buckets: Buckets,
    timer: Timer,
    /// `grads_in_partition`.
    pub(super) own_gradients: RefCell<Option<Tensor>>,
    /// `all_grad_tensors`: gradients of this rank's parameters, over the micro-batches so far.
    accumulated: RefCell<Option<Vec<Tensor>>>,
    /// `averaged_gradients`: this rank's part of them.
    averaged: RefCell<Vec<Tensor>>,
    /// `norm_for_param_grads`.
    pub(super) norms: RefCell<Vec<Tensor>>,
    /// `_global_grad_norm`, which the engine holds until its step has ended.
    global_norm: RefCell<Option<Tensor>>,
}

impl Stage1And2 {
    /// `__init__`, around the model whose parameters are there.
    pub(in crate::parallel) fn new(t: &Tape, spec: &ResolvedSpec) -> Rc<Self> {
        let settings = spec.parallelism.dp.zero;
        let (place, ranks) = (spec.mesh.place_in_shard(), spec.mesh.shard);
        let offloads = settings.offload_optimizer == OffloadDevice::Cpu;
        let states = super::states_of_model(t, spec);
        let mut tensors = Vec::new();
        t.for_each_parameter(|_, parameter, _| tensors.push(parameter.clone()));
        let low = tensors.first().map_or(spec.weights, Tensor::dtype);
        let elements: u64 = tensors.iter().map(Tensor::numel).sum();
        // `nccl_start_alignment_factor` is 2.
        let part = elements.div_ceil(2 * ranks) * 2;
        let flat = flat::flatten(t, spec, &tensors, (part * ranks, low));
        let mut offset = 0;
        let own = place * part..(place + 1) * part;
        let members = tensors.into_iter().map(|tensor| {
            let begin = offset;
            offset += tensor.numel();
            Member {
                own: offset.min(own.end).saturating_sub(begin.max(own.start)),
                offset: begin,
                tensor,
            }
        });
        let members: Vec<Member> = members.collect();
        let master = master(t, &flat, part, offloads);
        let largest = members.iter().map(|member| member.tensor.numel()).max();
        let zero = Rc::new(Self {
            settings,
            low,
            communicated: super::communicated(spec),
            ranks,
            part,
            _flat: flat,
            master,
            _copied: offloads.then(|| {
                let shape = Shape::from([largest.unwrap_or(0)]);
                t.allocate("zeros", shape, low, Category::Communication)
            }),
            _states: states,
            clips: spec.clip_grad_norm,
            boundary: Cell::new(true),
            buckets: Buckets::default(),
            timer: Timer::default(),
            own_gradients: RefCell::default(),
            accumulated: RefCell::default(),
            averaged: RefCell::default(),
            norms: RefCell::default(),
            global_norm: RefCell::default(),
            members,
        });
        let _states_of_part = (!offloads).then(|| {
            // `initialize_optimizer_states`: gradients of zero.
            let _gradients = t.empty("zeros", Shape::from([part]), DType::Float32);
            super::states_of_parts(t, spec, std::iter::once(&zero.master))
        });
        let hooked = Rc::clone(&zero);
        t.on_gradient(move |t| hooked.process_gradient(t));
        zero
    }

    pub(super) fn offloads(&self) -> bool {
        self.settings.offload_optimizer == OffloadDevice::Cpu
    }

    /// `process_gradients`: the gradient of one parameter is there.
    fn process_gradient(&self, t: &Tape) {
        self.set_up_buckets(t);
        if self.settings.stage == 2 || (self.settings.overlaps() && self.boundary.get()) {
            let mut ready = None;
            t.for_each_parameter(|i, _, _| ready = Some(i));
            if let Some(at) = ready {
                self.reduce_parameter(t, at);
            }
        }
    }

    /// `independent_gradient_partition_epilogue`.
    fn end_reduction(&self, t: &Tape) {
        self.reduce_bucket(t);
        if self.settings.overlaps() {
            t.synchronize();
            self.clear_reduced();
        }
        if !self.offloads() {
            let new: Vec<Tensor> = (self.own_members())
                .map(|member| {
                    let zeros = || t.empty("zeros_like", *member.tensor.shape(), self.low);
                    member.tensor.gradient().unwrap_or_else(zeros)
                })
                .collect();
            let mut accumulated = self.accumulated.borrow_mut();
            let all = accumulated.get_or_insert_with(|| new.clone());
            if self.boundary.get() {
                *self.averaged.borrow_mut() = self.own_part(t, all);
                *accumulated = None;
            }
        }
        self.buckets.release();
        self.own_gradients.take();
        t.drop_gradients();
    }

    fn own_members(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|member| member.own > 0)
    }

    /// `get_flat_partition(return_tensor_list=True)`: the elements of each gradient in this rank's part, and zeros
    /// where the part is longer.
    fn own_part(&self, t: &Tape, gradients: &[Tensor]) -> Vec<Tensor> {
        let mut filled = 0;
        let parts = self.own_members().zip(gradients).map(|(member, gradient)| {
            filled += member.own;
            gradient.part(Shape::from([member.own]))
        });
        let mut parts: Vec<Tensor> = parts.collect();
        if filled < self.part {
            parts.push(t.empty("zeros", Shape::from([self.part - filled]), self.low));
        }
        parts
    }

    /// `step` where the optimizer is on the device.
    fn step_here(&self, t: &Tape, run: OnRank) {
        let averaged = self.averaged.take();
        // `check_grad_overflow` is on in half precision.
        if self.low.is_half() {
            norm::overflow(t, &averaged);
            t.synchronize_stream();
        }
        let gradients = averaged.iter().zip(self.own_members());
        let total = norm::of_gradients(t, gradients.map(|(gradient, _)| gradient));
        let total = {
            let norms = [total];
            norm::combined(t, &norms)
        };
        drop(norm::invalid(t, &total));
        t.synchronize_stream();
        let held = self.global_norm.replace(Some(t.div_scalar(&total)));
        let flat = match &averaged[..] {
            [one] => one.clone(),
            _ => t.empty("cat", Shape::from([self.part]), self.low),
        };
        let gradient = t.to(&flat, DType::Float32);
        gradient.set_category(Category::Gradients);
        drop(flat);
        drop(averaged);
        if self.clips {
            norm::clip(t, &total);
        }
        t.with_parameters(&[(self.master.clone(), Some(gradient))], |t| run(t));
        drop((total, held));
    }
}

/// This rank's part in float32, made from a copy of it.
fn master(t: &Tape, flat: &Tensor, part: u64, offloads: bool) -> Tensor {
    let shape = Shape::from([part]);
    let copy = t.empty("clone", shape, flat.dtype());
    if offloads {
        return t.without_storage(shape, DType::Float32);
    }
    if flat.dtype() == DType::Float32 {
        copy.set_category(Category::MasterWeights);
        return copy;
    }
    t.allocate("_to_copy", shape, DType::Float32, Category::MasterWeights)
}

impl Wrapper for Stage1And2 {
    fn alike_until(&self, mesh: &Mesh) -> u64 {
        mesh.place_in_shard() + 1
    }

    fn at_boundary(&self, is_last: bool) {
        self.boundary.set(is_last);
    }

    fn scaled(&self, t: &Tape, loss: &Tensor, divides: bool) -> Vec<Tensor> {
        super::scaled(t, loss, divides)
    }

    /// `allreduce_gradients`.
    fn backward_ended(&self, t: &Tape) {
        if self.settings.stage == 2 {
            self.end_reduction(t);
        } else if self.boundary.get() {
            if !self.settings.overlaps() {
                for at in 0..self.members.len() {
                    if self.members[at].tensor.gradient().is_some() {
                        self.reduce_parameter(t, at);
                    }
                }
            }
            self.end_reduction(t);
        }
        if !self.boundary.get() {
            self.timer.reads(t);
        }
    }

    fn begin_micro_batch(&self, t: &Tape, _syncs: bool) {
        self.timer.reads(t);
    }

    fn on_rank(&self, t: &Tape, run: OnRank) {
        t.with_parameters(&[(self.master.clone(), None)], |t| run(t));
    }

    fn clips(&self) -> bool {
        true
    }

    fn step(&self, t: &Tape, run: OnRank) {
        let grad_mode = t.set_grad_enabled(false);
        if self.offloads() {
            for op in ["ByteTensor", "FloatTensor"] {
                drop(t.empty(op, Shape::from([1]), DType::Float32));
                t.synchronize_stream();
            }
            self.norms.take();
        } else {
            self.step_here(t, run);
        }
        // `all_gather_dp_groups`: each rank's part of the parameters, as it has stepped over it.
        t.communicates_elements(
            Collective::AllGather,
            (self.part * self.ranks, self.low),
            self.ranks,
        );
        self.timer.step_ended(t);
        t.set_grad_enabled(grad_mode);
    }
}

//! `torch.nn.parallel.DistributedDataParallel`: every rank has the whole model; gradients go through
//! buckets that are reduced as they fill.
//!
//! Source: `torch/nn/parallel/distributed.py`, `torch/csrc/distributed/c10d/reducer.cpp`, torch 2.15.

use super::wrapper::{OnRank, Wrapper};
use crate::ask::Mesh;
use crate::model::ResolvedSpec;
use crate::tape::{Category, Collective, Tape, Tensor};
use crate::units::{DType, MIB, Shape};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Bytes after which the first bucket is full (`kDefaultFirstBucketBytes`, `reducer.hpp`).
const FIRST_BUCKET: u64 = MIB;
/// Bytes of a bucket where nobody says how many (`_DEFAULT_BUCKET_CAP_MB`).
const DEFAULT_CAP: u64 = 25 * MIB;

/// The reducer of a model.
pub(super) struct Ddp {
    /// `gradient_as_bucket_view`: gradients are parts of the buckets.
    views: bool,
    /// `bucket_cap_mb`, in bytes.
    cap: u64,
    /// Whether parameters without gradients are looked for in each pass: `find_unused_parameters`, unless the
    /// graph is said to be the same in all.
    looks_for_unused: bool,
    /// `static_graph_first_iteration`: nothing is reduced before the backward pass has ended.
    delays: Cell<bool>,
    /// Parameters that are built.
    parameters: Vec<Tensor>,
    /// For each parameter of the whole model, the built one that it is like, and its layer if it is a
    /// copy.
    all: Vec<(usize, Option<u32>)>,
    /// Ranks that reduce gradients together.
    ranks: u64,
    /// For each of all its part of a bucket, which holds the bucket.
    places: RefCell<Vec<Option<Tensor>>>,
    /// Parameters that are built in the order in which their gradients were there in the first pass that reduced
    /// them.
    order: RefCell<Vec<usize>>,
    rebuilt: Cell<bool>,
    syncs: Cell<bool>,
    /// `local_used_map_dev_`: a number for each parameter, where unused ones are looked for in any pass.
    _used: Option<Tensor>,
    /// Buckets to which `ZeroRedundancyOptimizer` moves the parameters of each rank, where they are to be views.
    parameter_buckets: RefCell<Vec<Tensor>>,
    /// The parameters that this rank steps over, where `ZeroRedundancyOptimizer` divides them.
    stepped: Option<Vec<usize>>,
}

impl Ddp {
    pub(super) fn new(t: &Tape, spec: &ResolvedSpec) -> Rc<Self> {
        let dp = spec.parallelism.dp;
        let mut parameters = Vec::new();
        t.for_each_parameter(|_, parameter, _| parameters.push(parameter.clone()));
        let divided = dp.ddp.zero_redundancy_optimizer.parameters_as_bucket_view;
        let shares = divided.map(|_| shares(&parameters, spec.mesh.dp));
        let place = usize::try_from(spec.mesh.rank.dp).unwrap_or(usize::MAX);
        let scopes: Vec<u32> = parameters.iter().map(|p| t.scope_of(p)).collect();
        let all = t.in_whole_lists(&scopes);
        // The parameters that one rank steps over, and the buckets whose parts gradients are, are known of whole lists
        // only.
        if all.len() > parameters.len() && (divided.is_some() || dp.ddp.gradient_as_bucket_view) {
            t.spoil_folds();
        }
        let numbers = Shape::from([all.len() as u64]);
        let looks = dp.ddp.find_unused_parameters || dp.ddp.static_graph;
        let used =
            looks.then(|| t.allocate("empty", numbers, DType::Int32, Category::Communication));
        let ddp = Rc::new(Self {
            _used: used,
            views: dp.ddp.gradient_as_bucket_view,
            cap: dp.ddp.bucket_cap_mb * MIB,
            looks_for_unused: dp.ddp.find_unused_parameters && !dp.ddp.static_graph,
            delays: Cell::new(dp.ddp.static_graph),
            places: RefCell::new(vec![None; all.len()]),
            all,
            order: RefCell::default(),
            rebuilt: Cell::new(false),
            syncs: Cell::new(true),
            stepped: shares
                .as_ref()
                .and_then(|shares| shares.get(place).cloned()),
            parameter_buckets: RefCell::default(),
            ranks: spec.mesh.dp * spec.mesh.cp,
            parameters,
        });
        // One bucket for each dtype where buckets are made again later (`compute_bucket_size_limits`), the last
        // first (`_ddp_init_helper`).
        let limits = if ddp.looks_for_unused {
            ddp.limits()
        } else {
            [u64::MAX; 2]
        };
        let all: Vec<usize> = (0..ddp.all.len()).collect();
        let mut buckets = ddp.assigned(&all, limits);
        buckets.sort_by_key(|members| std::cmp::Reverse(members.first().copied()));
        ddp.make_buckets(t, &buckets);
        if divided == Some(true) {
            let buckets = shares.iter().flatten();
            let buckets = buckets.map(|share| ddp.parameter_bucket(t, share));
            ddp.parameter_buckets.replace(buckets.collect());
        }
        let reducer = Rc::clone(&ddp);
        t.on_gradient(move |t| reducer.mark_ready(t));
        ddp
    }

    /// The built parameter that one of all parameters is like.
    fn like(&self, at: usize) -> &Tensor {
        &self.parameters[self.all[at].0]
    }

    /// Indices of the whole model's parameters for the built ones in `order`, in the order in which their gradients
    /// came.
    fn came(&self, t: &Tape, order: &[usize]) -> Vec<usize> {
        let scopes: Vec<u32> = (order.iter())
            .map(|&at| t.scope_of(&self.parameters[at]))
            .collect();
        let places: BTreeMap<(usize, Option<u32>), usize> =
            self.all.iter().copied().zip(0..).collect();
        let came = t.in_whole_lists(&scopes).into_iter();
        came.filter_map(|(item, place)| places.get(&(order[item], place)).copied())
            .collect()
    }

    /// Bytes of the first bucket and of the others: the first is smaller unless the size is said
    /// (`_BucketCapacityConfig`).
    fn limits(&self) -> [u64; 2] {
        let first = if self.cap == DEFAULT_CAP {
            FIRST_BUCKET
        } else {
            self.cap
        };
        [first, self.cap]
    }

    /// `compute_bucket_assignment_by_size`: parameters fill buckets in this order, each dtype its own, the first
    /// up to one limit of bytes and the others to the other.
    fn assigned(&self, order: &[usize], [first, others]: [u64; 2]) -> Vec<Vec<usize>> {
        let mut filling: Vec<(DType, u64, Vec<usize>)> = Vec::new();
        let mut full: Vec<Vec<usize>> = Vec::new();
        let mut firsts: Vec<DType> = Vec::new();
        for &at in order {
            let parameter = self.like(at);
            let dtype = parameter.dtype();
            let found = filling.iter().position(|&(other, ..)| other == dtype);
            let slot = found.unwrap_or_else(|| {
                filling.push((dtype, 0, Vec::new()));
                filling.len() - 1
            });
            let (_, bytes, members) = &mut filling[slot];
            *bytes += parameter.nbytes();
            members.push(at);
            let is_first = !firsts.contains(&dtype);
            if *bytes >= if is_first { first } else { others } {
                firsts.push(dtype);
                full.push(std::mem::take(members));
                *bytes = 0;
            }
        }
        let rest = filling.into_iter().map(|(.., members)| members);
        full.extend(rest.filter(|members| !members.is_empty()));
        full
    }

    /// `initialize_buckets`. Gradients that are there become parts of the new buckets (`initialize_bucket_views`).
    fn make_buckets(&self, t: &Tape, buckets: &[Vec<usize>]) {
        let mut places = self.places.borrow_mut();
        places.fill(None);
        for members in buckets {
            let elements = members.iter().map(|&at| self.like(at).numel()).sum();
            let dtype = self.like(members[0]).dtype();
            let shape = Shape::from([elements]);
            let bucket = t.allocate("bucket", shape, dtype, Category::Communication);
            for &at in members {
                let place = bucket.part(*self.like(at).shape());
                if self.views && self.like(at).gradient().is_some() {
                    self.like(at).set_gradient(Some(place.clone()));
                }
                places[at] = Some(place);
            }
        }
    }

    /// `_build_param_buckets` (`torch/distributed/optim/zero_redundancy_optimizer.py`): one rank's parameters moved
    /// together.
    fn parameter_bucket(&self, t: &Tape, share: &[usize]) -> Tensor {
        let parameters = || share.iter().map(|&at| &self.parameters[at]);
        let Some(dtype) = parameters().last().map(Tensor::dtype) else {
            let one = Shape::from([1]);
            return t.allocate("zeros", one, DType::Float32, Category::Parameters);
        };
        let elements = parameters().map(Tensor::numel).sum();
        let bucket = t.allocate(
            "empty",
            Shape::from([elements]),
            dtype,
            Category::Parameters,
        );
        parameters().for_each(Tensor::free_storage);
        bucket
    }

    /// Buckets of all parameters are reduced, whether they got gradients or not, and `local_used_map` where
    /// unused ones are looked for.
    fn communicate(&self, t: &Tape) {
        let parameters = (0..self.all.len()).map(|at| self.like(at).nbytes());
        t.communicates(Collective::AllReduce, parameters.sum(), self.ranks);
        if self.looks_for_unused {
            let used = (self.all.len() as u64, DType::Int32);
            t.communicates_elements(Collective::AllReduce, used, self.ranks);
        }
    }

    /// `autograd_hook`: the gradient of one parameter is there.
    fn mark_ready(&self, t: &Tape) {
        if !self.syncs.get() || self.delays.get() {
            return;
        }
        let mut ready = None;
        t.for_each_parameter(|i, _, _| ready = Some(i));
        let Some(at) = ready else { return };
        if !self.rebuilt.get() && !self.looks_for_unused {
            self.order.borrow_mut().push(at);
        }
        if self.views {
            self.parameters[at].set_gradient(self.places.borrow()[at].clone());
        }
    }
}

/// `_partition_parameters` (`torch/distributed/optim/zero_redundancy_optimizer.py`): the largest parameter that is left
/// goes to the rank that has least; returns the indices of each rank's parameters.
fn shares(parameters: &[Tensor], ranks: u64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..parameters.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(parameters[at].numel()));
    let ranks = usize::try_from(ranks).unwrap_or(1);
    let mut shares = vec![(0, Vec::new()); ranks];
    for at in order {
        let least = shares.iter_mut().min_by_key(|(size, _)| *size);
        if let Some((size, own)) = least {
            *size += parameters[at].numel();
            own.push(at);
        }
    }
    shares.into_iter().map(|(_, own)| own).collect()
}

impl Wrapper for Ddp {
    fn alike_until(&self, mesh: &Mesh) -> u64 {
        if self.stepped.is_some() {
            mesh.rank.dp + 1
        } else {
            mesh.shard
        }
    }

    fn on_rank(&self, t: &Tape, run: OnRank) {
        let Some(stepped) = &self.stepped else {
            return run(t);
        };
        let own = stepped.iter().map(|&at| &self.parameters[at]);
        let own: Vec<_> = own.map(|p| (p.clone(), p.gradient())).collect();
        t.with_parameters(&own, |t| run(t));
    }

    /// Each rank broadcasts the parameters that it has stepped over (`_sync_params`).
    fn step(&self, t: &Tape, run: OnRank) {
        self.on_rank(t, run);
        if self.stepped.is_some() {
            let parameters = self.parameters.iter().map(Tensor::nbytes);
            t.communicates(Collective::AllGather, parameters.sum(), self.ranks);
        }
    }

    fn clip(&self, t: &Tape, run: OnRank) {
        run(t);
    }

    /// `_DDPSink` looks for parameters without gradients, and queues the delayed reduction.
    fn copies_outputs(&self) -> bool {
        self.looks_for_unused || self.delays.get()
    }

    /// `delay_all_reduce` after the first backward pass of a graph that is said to be always the same.
    fn backward_ended(&self, t: &Tape) {
        if self.syncs.get() {
            self.communicate(t);
        }
        if self.delays.take() && self.views {
            let places = self.places.borrow();
            for (parameter, place) in self.parameters.iter().zip(places.iter()) {
                if parameter.gradient().is_some() {
                    parameter.set_gradient(place.clone());
                }
            }
        }
    }

    /// `rebuild_buckets`: after the first pass that reduced gradients buckets are made in the order in which
    /// those came.
    fn begin_micro_batch(&self, t: &Tape, syncs: bool) {
        let order = self.order.take();
        if !self.rebuilt.get() && !order.is_empty() {
            self.make_buckets(t, &self.assigned(&self.came(t, &order), self.limits()));
            self.rebuilt.set(true);
        }
        self.syncs.set(syncs);
    }
}

//! `torch.nn.parallel.DistributedDataParallel`: every rank has the whole model; gradients go through
//! buckets that are reduced as they fill.
//!
//! Source: `torch/nn/parallel/distributed.py`, `torch/csrc/distributed/c10d/reducer.cpp`, torch 2.15.

use super::wrapper::{OnRank, Wrapper};
use crate::ask::Mesh;
use crate::model::ResolvedSpec;
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, MIB, Shape};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Bytes after which the first bucket is full (`kDefaultFirstBucketBytes`, `reducer.hpp`).
const FIRST_BUCKET: u64 = MIB;

/// The reducer of a model.
pub(super) struct Ddp {
    /// `gradient_as_bucket_view`: gradients are parts of the buckets.
    views: bool,
    /// `bucket_cap_mb`, in bytes.
    cap: u64,
    parameters: Vec<Tensor>,
    /// For each parameter its part of a bucket, which holds the bucket.
    places: RefCell<Vec<Option<Tensor>>>,
    /// Parameters in the order in which their gradients were there in the first pass that reduced them.
    order: RefCell<Vec<usize>>,
    rebuilt: Cell<bool>,
    syncs: Cell<bool>,
    /// `local_used_map_dev_`: a number for each parameter, where unused ones are looked for.
    _used: Option<Tensor>,
    /// The parameters that this rank steps over, where `ZeroRedundancyOptimizer` divides them.
    stepped: Option<Vec<usize>>,
}

impl Ddp {
    pub(super) fn new(t: &Tape, spec: &ResolvedSpec) -> Rc<Self> {
        let dp = spec.parallelism.dp;
        let mut parameters = Vec::new();
        t.for_each_parameter(|_, parameter, _| parameters.push(parameter.clone()));
        let stepped = (dp.ddp.zero_redundancy_optimizer.parameters_as_bucket_view)
            .map(|_| share(&parameters, (spec.mesh.rank.dp, spec.mesh.dp)));
        let numbers = Shape::from([parameters.len() as u64]);
        let used = dp
            .ddp
            .find_unused_parameters
            .then(|| t.allocate("empty", numbers, DType::Int32, Category::Communication));
        let ddp = Rc::new(Self {
            _used: used,
            views: dp.ddp.gradient_as_bucket_view,
            cap: dp.ddp.bucket_cap_mb * MIB,
            places: RefCell::new(vec![None; parameters.len()]),
            order: RefCell::default(),
            rebuilt: Cell::new(false),
            syncs: Cell::new(true),
            stepped,
            parameters,
        });
        // One bucket for each dtype, in the order of its last parameter (`_ddp_init_helper`).
        let all: Vec<usize> = (0..ddp.parameters.len()).rev().collect();
        ddp.make_buckets(t, &all, [u64::MAX; 2]);
        let reducer = Rc::clone(&ddp);
        t.on_gradient(move |t| reducer.mark_ready(t));
        ddp
    }

    /// `compute_bucket_assignment_by_size` and `initialize_buckets`: parameters fill buckets in this order,
    /// each dtype its own, the first up to one limit of bytes and the others to the other.
    fn make_buckets(&self, t: &Tape, order: &[usize], [first, others]: [u64; 2]) {
        self.places.borrow_mut().fill(None);
        let mut filling: Vec<(DType, u64, Vec<usize>)> = Vec::new();
        let mut full: Vec<Vec<usize>> = Vec::new();
        let mut firsts: Vec<DType> = Vec::new();
        for &at in order {
            let parameter = &self.parameters[at];
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
        let mut places = self.places.borrow_mut();
        for members in full {
            let elements = members.iter().map(|&at| self.parameters[at].numel()).sum();
            let dtype = self.parameters[members[0]].dtype();
            let shape = Shape::from([elements]);
            let bucket = t.allocate("bucket", shape, dtype, Category::Communication);
            for at in members {
                places[at] = Some(bucket.part(*self.parameters[at].shape()));
            }
        }
    }

    /// `autograd_hook`: the gradient of one parameter is there.
    fn mark_ready(&self, t: &Tape) {
        if !self.syncs.get() {
            return;
        }
        let mut ready = None;
        t.for_each_parameter(|i, _, _| ready = Some(i));
        let Some(at) = ready else { return };
        if !self.rebuilt.get() {
            self.order.borrow_mut().push(at);
        }
        if self.views {
            self.parameters[at].set_gradient(self.places.borrow()[at].clone());
        }
    }
}

/// `_partition_parameters` (`torch/distributed/optim/zero_redundancy_optimizer.py`): the largest parameter
/// that is left goes to the rank that has least; those of the one at `place` among `ranks`.
fn share(parameters: &[Tensor], (place, ranks): (u64, u64)) -> Vec<usize> {
    let mut order: Vec<usize> = (0..parameters.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(parameters[at].numel()));
    let mut sizes = vec![0; usize::try_from(ranks).unwrap_or(1)];
    let mut own = Vec::new();
    for at in order {
        let least = sizes.iter().enumerate().min_by_key(|&(_, size)| *size);
        let rank = least.map_or(0, |(rank, _)| rank);
        sizes[rank] += parameters[at].numel();
        if rank as u64 == place {
            own.push(at);
        }
    }
    own
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

    fn clip(&self, t: &Tape, run: OnRank) {
        run(t);
    }

    /// `rebuild_buckets`: after the first pass that reduced gradients buckets are made in the order in which
    /// those came.
    fn begin_micro_batch(&self, t: &Tape, syncs: bool) {
        let order = self.order.take();
        if !self.rebuilt.get() && !order.is_empty() {
            self.make_buckets(t, &order, [FIRST_BUCKET.min(self.cap), self.cap]);
            self.rebuilt.set(true);
        }
        self.syncs.set(syncs);
    }
}

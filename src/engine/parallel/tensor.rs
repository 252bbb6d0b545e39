//! Tensor parallelism: the wrapper of a model whose modules ranks divide.
//!
//! The modules know how they are divided (`nn`). The wrapper handles the parameters, which get memory when all are
//! divided (`to_empty` of a model on the meta device), and the optimizer, whose multi-tensor operations take parameters
//! of one mesh only: parameters that ranks share, those of each rank alone and those of experts form groups of their
//! own.
//!
//! Source: `torch/distributed/tensor/parallel/api.py`, `torch/distributed/tensor/_dispatch.py`, torch 2.15.

use super::wrapper::{OnRank, Wrapper};
use crate::tape::{Placement, Registered, Tape, Tensor};
use std::rc::Rc;

/// The wrapper of a model whose modules are divided.
pub(super) struct TensorParallel;

impl TensorParallel {
    /// Gives the model, whose parameters and buffers were registered, its memory.
    pub(super) fn new(t: &Tape, registered: &[Registered]) -> Rc<Self> {
        for entry in registered {
            let category = entry.role.category();
            t.in_scope(entry.scope, || {
                t.give_storage_for(category, "to_empty", &entry.tensor);
            });
        }
        Rc::new(Self)
    }
}

impl Wrapper for TensorParallel {
    fn on_rank(&self, t: &Tape, run: OnRank) {
        by_mesh(t, run);
    }

    fn sums_norms(&self) -> bool {
        true
    }

    fn clip(&self, t: &Tape, run: OnRank) {
        run(t);
    }
}

/// Parameters of each mesh: local ones (also under data parallelism), ones that ranks divide, and ones of experts.
const MESHES: [fn(&Tensor) -> bool; 3] = [
    |parameter| parameter.placement() == Placement::Local,
    |parameter| {
        let placement = parameter.placement();
        placement.is_distributed() && placement != Placement::OfExperts
    },
    |parameter| parameter.placement() == Placement::OfExperts,
];

/// Calls `run` with the parameters of each mesh, in the order of the first parameter of each.
pub(super) fn by_mesh(t: &Tape, run: OnRank) {
    let mut meshes: Vec<usize> = Vec::new();
    t.for_each_parameter(|_, parameter, _| {
        let mesh = MESHES.iter().position(|is_of| is_of(parameter));
        meshes.extend(mesh.filter(|mesh| !meshes.contains(mesh)));
    });
    if meshes.len() < 2 {
        run(t);
        return;
    }
    for mesh in meshes {
        t.with_gradients_of(MESHES[mesh], &mut *run);
    }
}

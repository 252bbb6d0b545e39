//! Tensor parallelism: what stands around a model whose modules ranks divide.
//!
//! Its modules know how they are divided (`nn`). Here are the parameters, which get memory when all are
//! divided (`to_empty` of a model on the meta device), and the optimizer, whose multi-tensor operations take
//! parameters of one mesh only: those that ranks have together and those of each rank are groups of their own.
//!
//! Source: `torch/distributed/tensor/parallel/api.py`, `torch/distributed/tensor/_dispatch.py`, torch 2.15.

use super::wrapper::{OnRank, Wrapper};
use crate::tape::{Category, Registered, Role, Tape, Tensor};
use std::rc::Rc;

/// The wrapper of a model whose modules are divided.
pub(super) struct TensorParallel;

impl TensorParallel {
    /// Gives the model, whose parameters and buffers were registered, its memory.
    pub(super) fn new(t: &Tape, registered: &[Registered]) -> Rc<Self> {
        for entry in registered {
            let category = match entry.role {
                Role::Buffer => Category::Buffers,
                Role::Trained | Role::Frozen => Category::Parameters,
            };
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

    fn clip(&self, t: &Tape, run: OnRank) {
        run(t);
    }
}

/// Runs what steps over parameters, first on those of the first one's mesh, then on the others.
pub(super) fn by_mesh(t: &Tape, run: OnRank) {
    const TOGETHER: fn(&Tensor) -> bool = |parameter| parameter.placement().is_distributed();
    const APART: fn(&Tensor) -> bool = |parameter| !parameter.placement().is_distributed();
    let mut groups: Vec<fn(&Tensor) -> bool> = Vec::new();
    let mut first = None;
    t.for_each_parameter(|_, parameter, _| {
        let together = TOGETHER(parameter);
        let first = *first.get_or_insert(together);
        if groups.is_empty() || together != first && groups.len() == 1 {
            groups.push(if together { TOGETHER } else { APART });
        }
    });
    match groups.as_slice() {
        [] | [_] => run(t),
        groups => {
            for group in groups {
                t.with_gradients_of(*group, &mut *run);
            }
        }
    }
}

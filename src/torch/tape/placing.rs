//! Tensors that are divided among ranks, as far as one rank's program differs by them.
//!
//! Source: `torch/distributed/tensor/_api.py`, `torch/csrc/autograd/input_buffer.cpp` (tensors of a subclass
//! are never added to in place), torch 2.15.

use super::{Placement, Tape, Tensor};
use std::cell::Cell;

/// How tensors that are made now are divided among ranks.
#[derive(Default)]
pub(super) struct Placing {
    /// The placement of new parameters.
    parameters: Cell<Placement>,
    /// Whether operations run on tensors that ranks share.
    computes: Cell<bool>,
    /// Whether new modules belong to another rank.
    elsewhere: Cell<bool>,
}

impl Placing {
    /// Runs `build`, whose tensors belong to another rank.
    pub(super) fn elsewhere<R>(&self, build: impl FnOnce() -> R) -> R {
        let before = self.elsewhere.replace(true);
        let built = build();
        self.elsewhere.set(before);
        built
    }
}

impl Tape {
    /// Runs `build`, whose parameters get this placement.
    pub fn placed<R>(&self, placement: Placement, build: impl FnOnce() -> R) -> R {
        let before = self.placing.parameters.replace(placement);
        let built = build();
        self.placing.parameters.set(before);
        built
    }

    /// The placement of parameters that are made now.
    pub(super) fn placement(&self) -> Placement {
        self.placing.parameters.get()
    }

    /// Runs `f` on tensors that ranks share: the gradients of its results are never added to in place.
    pub fn distributed<R>(&self, f: impl FnOnce() -> R) -> R {
        let before = self.placing.computes.replace(true);
        let result = f();
        self.placing.computes.set(before);
        result
    }

    /// Whether the modules that are built now are on another rank.
    pub fn is_elsewhere(&self) -> bool {
        self.placing.elsewhere.get()
    }

    /// Whether tensors are computed with that ranks have together.
    pub(super) fn is_distributed(&self) -> bool {
        self.placing.computes.get()
    }

    /// Gradients that are not placed as their parameters are, placed so for one operation over all of them.
    /// Drop them, from the last to the first, when it has run.
    pub fn placed_gradients(&self) -> Vec<Tensor> {
        let mut placed = Vec::new();
        self.for_each_parameter(|_, parameter, gradient| {
            placed.extend(gradient.and_then(|gradient| self.placed_as(parameter, gradient)));
        });
        placed.reverse();
        placed
    }

    /// A gradient placed as its parameter is, where it is not: a whole one is cut, and one of this rank's
    /// tokens is summed with those of others.
    pub fn placed_as(&self, parameter: &Tensor, gradient: &Tensor) -> Option<Tensor> {
        let copy = |op| self.empty(op, *parameter.shape(), gradient.dtype());
        match parameter.placement() {
            Placement::Summed => {
                self.sums_on_ranks(gradient);
                Some(copy("all_reduce"))
            }
            Placement::Divided if gradient.numel() != parameter.numel() => Some(copy("clone")),
            Placement::Divided | Placement::Copied | Placement::Local | Placement::OfExperts => {
                None
            }
        }
    }
}

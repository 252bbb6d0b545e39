//! The weights of experts on their way from a checkpoint and to one.
//!
//! Source: transformers 5.23, `conversion_mapping.py` and `core_model_loading.py` (`MergeModulelist`, `Concatenate`,
//! `Chunk`, `SplitModulelist`): where a checkpoint has each expert's apart, the model's are put together on the
//! device when all of them are there, and taken apart before they are written: gates and inputs, which are one
//! weight in the model, are copied then, and experts are views of the existing weights.

use super::builder::Builder;
use crate::model::StoredExperts;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// The weight of gates and inputs in one.
const GATE_UP: &str = "gate_up_proj";

/// Makes the memory of a weight `[E, rows, columns]` that comes expert by expert: as it is, or gates and inputs one
/// after the other.
pub(super) fn merge(t: &Tape, name: &str, weight: &Tensor) {
    let [experts, rows, columns] = [0, 1, 2].map(|i| weight.dim(i));
    let both = name == GATE_UP;
    let rows = if both { rows / 2 } else { rows };
    let list = || -> Vec<Tensor> {
        let one = |_| t.empty("_to_copy", Shape::from([rows, columns]), weight.dtype());
        (0..experts).map(one).collect()
    };
    if !both {
        let all = list();
        t.give_storage("stack", weight);
        return drop_last_first(all);
    }
    let stacked = |list: Vec<Tensor>| {
        let shape = Shape::from([experts, rows, columns]);
        let all = t.empty("stack", shape, weight.dtype());
        drop_last_first(list);
        all
    };
    let gates_and_inputs = [list(), list()].map(stacked);
    t.give_storage("cat", weight);
    drop(gates_and_inputs);
}

/// As a list of Python's is dropped.
fn drop_last_first(mut list: Vec<Tensor>) {
    while list.pop().is_some() {}
}

/// Stacked weights `[E, 2F, H]` of gates and inputs, `times` of them, which are copied apart when a checkpoint is
/// written.
pub(crate) struct Joined {
    shape: Shape,
    dtype: DType,
    times: u64,
}

impl Joined {
    /// Copies of both halves of each.
    pub(crate) fn apart(&self, t: &Tape) -> Vec<Tensor> {
        let [experts, rows, columns] = [0, 1, 2].map(|i| self.shape.dim(i));
        let half = |_| {
            t.empty(
                "clone",
                Shape::from([experts, rows / 2, columns]),
                self.dtype,
            )
        };
        (0..2 * self.times).map(half).collect()
    }
}

impl Builder<'_> {
    /// Notes how a checkpoint stores the module's parameters.
    pub(crate) fn stored_as(&self, stored: StoredExperts) -> Self {
        Self {
            apart: stored.are_apart(),
            ..self.same()
        }
    }

    /// Makes the stacked weight `name` of experts in `dtype`, as it comes from a checkpoint where the model is
    /// loaded.
    pub(super) fn loads_stacked(
        &self,
        name: &'static str,
        shape: Shape,
        dtype: DType,
    ) -> impl FnOnce(&Tape) -> Tensor + 'static {
        let loaded = self.plan.tape.without_storage(shape, dtype);
        let [apart, from_checkpoint] = [self.apart, self.quantizes_on_the_way()];
        move |t| {
            if apart && from_checkpoint {
                merge(t, name, &loaded);
            } else {
                t.give_storage("_to_copy", &loaded);
            }
            loaded
        }
    }

    /// The weight `name` is copied apart when a checkpoint is written, where a checkpoint has experts apart; one
    /// expert's is not.
    pub(super) fn is_saved_apart(&self, name: &str, weight: &Tensor) {
        if self.apart && name == GATE_UP && weight.dim(0) > 1 {
            let weight = (self.scope, *weight.shape(), weight.dtype());
            self.plan.joined.borrow_mut().push(weight);
        }
    }
}

impl super::builder::Plan<'_> {
    /// Weights that are copied apart when a checkpoint is written.
    pub(super) fn saved_apart(&self) -> Vec<Joined> {
        let joined = self.joined.take().into_iter();
        let joined = joined.map(|(scope, shape, dtype)| Joined {
            shape,
            dtype,
            times: self.tape.multiplicity(scope),
        });
        joined.collect()
    }
}

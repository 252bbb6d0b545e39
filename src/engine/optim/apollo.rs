//! APOLLO: Adam in a low rank, whose size of steps scales the gradients.
//!
//! Source: `apollo_torch/apollo.py`, with its projector, apollo-torch 1.0.3.

use super::state::{Optimizer, for_each_gradient, state_at, state_like, state_of, temporary};
use crate::ask::OptimizerName;
use crate::tape::{Storage, Tape, Tensor};
use crate::units::{DType, Shape};

impl Optimizer {
    /// State of hidden matrices: the projection, both moments in its rank, and the norm of the last step. The states of
    /// all other parameters, which come first, are Adam's. Temporaries: the denominator and the tensor that is divided
    /// by it; of hidden matrices the scaled gradient, which lives until the next one has its name.
    pub(super) fn apollo(&mut self, t: &Tape) {
        let mini = self.options.name == OptimizerName::ApolloMini;
        let rank = self.options.rank.unwrap_or(if mini { 1 } else { 128 });
        let (states, norms) = (&mut self.states, &mut self.kept);
        let mut held = Held::default();
        for_each_gradient(t, |i, parameter, grad| {
            if is_hidden(t, parameter) {
                return;
            }
            let state = state_at(states, i);
            if state.is_empty() {
                state.extend((0..2).map(|_| state_like(t, "zeros_like", grad)));
            }
            held.adam(t, grad);
        });
        for_each_gradient(t, |i, parameter, grad| {
            if !is_hidden(t, parameter) {
                return;
            }
            held.low = None;
            let [rows, columns] = [grad.dim(0), grad.dim(1)];
            let (projection, low) = if rows >= columns {
                ([rank, columns], [rows, rank])
            } else {
                ([rows, rank], [rank, columns])
            };
            let state = state_at(states, i);
            let first = state.is_empty();
            if first {
                state.push(projected(t, grad, projection));
            }
            let projected = t.product("mm", (Shape::from(low), rows.min(columns)), grad.dtype());
            if first {
                state.extend((0..2).map(|_| state_of(t, "zeros_like", &low, grad.dtype())));
            }
            held.adam(t, &projected);
            held.low = Some(projected);
            let of_columns = if mini { 1 } else { rows.max(columns) };
            held.scale(t, grad, of_columns);
            let norm = |op| state_of(t, op, &[], grad.dtype());
            let kept = state_at(norms, i);
            if first {
                *kept = Some(norm("linalg_vector_norm"));
            } else {
                held.limit(t, grad);
                *kept = Some(norm("div"));
            }
            held.update.clone_from(&held.scaled);
        });
        drop(held);
    }
}

/// Whether a matrix is of a hidden layer.
fn is_hidden(t: &Tape, parameter: &Tensor) -> bool {
    parameter.shape().rank() == 2 && {
        let scope = t.scope_path(t.scope_of(parameter));
        !["embed", "lm_head"].iter().any(|part| scope.contains(part))
    }
}

/// A projection of a shape, in the dtype of the gradient.
fn projected(t: &Tape, grad: &Tensor, shape: [u64; 2]) -> Storage {
    let narrow = grad.dtype() != DType::Float32;
    let _wide = narrow.then(|| t.empty("_to_copy", *grad.shape(), DType::Float32));
    let drawn = t.empty("randn", Shape::from(shape), DType::Float32);
    if !narrow {
        return state_of(t, "div", &shape, grad.dtype());
    }
    let divided = t.empty("div", Shape::from(shape), DType::Float32);
    drop(drawn);
    let projection = state_of(t, "_to_copy", &shape, grad.dtype());
    drop(divided);
    projection
}

/// Local variables, which live until the next parameter's have their names.
#[derive(Default)]
struct Held {
    /// The gradient in the low rank.
    low: Option<Tensor>,
    denominator: Option<Tensor>,
    /// The update that is added to the parameter.
    update: Option<Tensor>,
    factor: Option<Tensor>,
    scaled: Option<Tensor>,
    norm: Option<Tensor>,
}

impl Held {
    /// The first moment divided by the root of the second.
    fn adam(&mut self, t: &Tape, grad: &Tensor) {
        self.denominator = Some(temporary(t, "sqrt", grad));
        self.update = Some(temporary(t, "div", grad));
    }

    /// The gradient by how much Adam has scaled that in the low rank, by n columns or rows.
    fn scale(&mut self, t: &Tape, grad: &Tensor, n: u64) {
        let norm = |op| t.empty(op, Shape::from([n]), grad.dtype());
        let of_update = norm("linalg_vector_norm");
        let of_gradient = {
            let _norm = norm("linalg_vector_norm");
            norm("add")
        };
        self.factor = Some(norm("div"));
        drop((of_update, of_gradient));
        self.scaled = Some(temporary(t, "mul", grad));
    }

    /// The same, which does not grow faster than it may.
    fn limit(&mut self, t: &Tape, grad: &Tensor) {
        let number = |op| t.empty(op, Shape::new(&[]), grad.dtype());
        self.norm = Some(number("linalg_vector_norm"));
        let ratio = {
            let _shifted = number("add");
            number("div")
        };
        drop(t.empty("gt", Shape::new(&[]), DType::Bool));
        drop(ratio);
        self.scaled = Some(temporary(t, "div", grad));
    }
}

//! Adam with one second moment for each head, neuron or token.
//!
//! Source: `adam_mini/adam_mini.py`, adam-mini 1.1.1.

use super::state::{Optimizer, for_each_gradient, state_at, state_like, state_of, temporary};
use crate::ask::AdamMiniBlocks;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// How a parameter is divided into blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blocks {
    /// A block for each element.
    Elements,
    /// A block for each of this number of rows.
    Rows(u64),
    /// One block for all of the parameter.
    Whole,
}

/// The blocks of a parameter; `again` says that the one before was of the same module, which is then a weight.
fn blocks(t: &Tape, parameter: &Tensor, again: bool, head: u64) -> Blocks {
    match AdamMiniBlocks::of(&t.scope_path(t.scope_of(parameter))) {
        _ if again => Blocks::Elements,
        AdamMiniBlocks::Elements => Blocks::Elements,
        AdamMiniBlocks::Heads => Blocks::Rows(parameter.numel() / head.max(1)),
        AdamMiniBlocks::Rows if parameter.shape().rank() > 1 => Blocks::Rows(parameter.dim(0)),
        AdamMiniBlocks::Rows | AdamMiniBlocks::Whole => Blocks::Whole,
    }
}

impl Optimizer {
    /// State: the first moment, and a second one for each block. Temporaries: squares of the gradient and the update,
    /// which lives until the next parameter's has its name.
    pub(super) fn adam_mini(&mut self, t: &Tape) {
        let (states, head) = (&mut self.states, self.head);
        let mut before = None;
        let mut of_blocks: [Option<Tensor>; 3] = [const { None }; 3];
        let (mut update, mut counted) = (None, None);
        for_each_gradient(t, |i, parameter, grad| {
            let scope = t.scope_of(parameter);
            let again = before.replace(scope) == Some(scope);
            let blocks = blocks(t, parameter, again, head);
            let dtype = parameter.dtype();
            let column = |n| match blocks {
                Blocks::Whole => Shape::new(&[]),
                _ => Shape::from([n, 1]),
            };
            let state = state_at(states, i);
            let first = state.is_empty();
            if first && blocks == Blocks::Whole {
                counted = Some(t.empty("_to_copy", Shape::new(&[]), DType::Float32));
            }
            if first {
                state.push(state_like(t, "zeros_like", parameter));
                match blocks {
                    Blocks::Elements => state.push(state_like(t, "zeros_like", parameter)),
                    Blocks::Rows(n) => state.push(state_of(t, "zeros_like", &[n, 1], dtype)),
                    Blocks::Whole => state.push(state_of(t, "zeros_like", &[], dtype)),
                }
            }
            let [mean, denominator, size] = &mut of_blocks;
            let n = match blocks {
                Blocks::Elements => {
                    let root = temporary(t, "sqrt", parameter);
                    *denominator = Some(temporary(t, "div", &root));
                    return;
                }
                Blocks::Rows(n) => n,
                Blocks::Whole => 1,
            };
            let small = |op| t.empty(op, column(n), dtype);
            *mean = {
                let _square = temporary(t, "mul", grad);
                Some(small("mean"))
            };
            if blocks == Blocks::Whole {
                *mean = Some(small("div"));
            }
            *denominator = {
                let _root = small("sqrt");
                Some(small("div"))
            };
            *size = {
                let _inverse = small("reciprocal");
                Some(small("mul"))
            };
            update = Some(temporary(t, "mul", parameter));
            drop(temporary(t, "neg", parameter));
        });
        drop((of_blocks, update, counted));
    }
}

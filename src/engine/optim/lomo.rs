//! LOMO and `AdaLOMO`: each gradient is applied and dropped when the next one comes.
//!
//! Source: `lomo_optim/{lomo,adalomo}.py`, lomo-optim 0.1.1.

use super::state::{Optimizer, State, state_at, state_of};
use crate::ask::OptimizerName;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

impl Optimizer {
    /// The factors of second moments that `AdaLOMO` makes at once, in float32; of a vector the second moment.
    pub(super) fn adalomo_state(&mut self, t: &Tape) {
        let states = &mut self.states;
        t.for_each_parameter(|i, parameter, _| {
            let make = |n: &u64| state_of(t, "zeros", &[*n], DType::Float32);
            *state_at(states, i) = parameter.shape().dims().iter().map(make).collect::<State>();
        });
    }

    /// Applies and drops all gradients that are there (`grad_func`).
    pub fn fused_update(&self, t: &Tape) {
        let grad_mode = t.set_grad_enabled(false);
        let adaptive = self.options.name == OptimizerName::AdaLomo;
        let mut waiting = Vec::new();
        t.for_each_parameter(|_, parameter, grad| {
            waiting.extend(grad.map(|grad| (parameter.clone(), grad.clone())));
        });
        t.drop_gradients();
        let mut held = [const { None }; 3];
        for (parameter, grad) in waiting {
            let [wide, update, _] = &mut held;
            *wide = Some(in_float32(t, &grad));
            drop(grad);
            if adaptive {
                approximated(t, &parameter, update);
            }
            held[2] = Some(in_float32(t, &parameter));
            if adaptive {
                let number = |op| t.empty(op, Shape::new(&[]), DType::Float32);
                let norm = number("linalg_vector_norm");
                drop((number("div"), norm));
            }
        }
        drop(held);
        t.set_grad_enabled(grad_mode);
    }
}

/// The tensor in float32: itself where it is.
fn in_float32(t: &Tape, x: &Tensor) -> Tensor {
    if x.dtype() == DType::Float32 {
        x.clone()
    } else {
        t.empty("_to_copy", *x.shape(), DType::Float32)
    }
}

/// `AdaLOMO`'s update of a parameter, in float32, in the place of the last one's.
fn approximated(t: &Tape, parameter: &Tensor, update: &mut Option<Tensor>) {
    let wide = |op, shape| t.empty(op, shape, DType::Float32);
    let number = |op| wide(op, Shape::new(&[]));
    *update = {
        let _square = wide("pow", *parameter.shape());
        Some(wide("add", *parameter.shape()))
    };
    if let [rows, columns] = *parameter.shape().dims() {
        let row = || Shape::from([rows]);
        drop(wide("mean", row()));
        drop(wide("mean", Shape::from([columns])));
        let of_rows = {
            let _mean = number("mean");
            wide("div", row())
        };
        let of_columns = wide("rsqrt", Shape::from([columns]));
        *update = Some(wide("mul", *parameter.shape()));
        drop((of_rows, of_columns));
    } else {
        *update = Some(wide("rsqrt", *parameter.shape()));
    }
    let clipped = {
        let root = {
            let norm = number("linalg_vector_norm");
            let root = number("div");
            drop(norm);
            root
        };
        let clipped = number("div");
        drop(root);
        clipped
    };
    drop(clipped);
}

//! An optimizer and its state.

use crate::spec::{self, OptimizerName};
use crate::tape::{Category, Tape, Tensor};
use crate::units::DType;

/// What is kept for one parameter, in the order in which it was made.
pub(super) type State = Vec<Tensor>;

/// An optimizer with its state.
pub struct Optimizer {
    pub(super) options: spec::Optimizer,
    pub(super) states: Vec<State>,
    /// Temporaries that a step leaves in local variables of the optimizer object's state.
    pub(super) kept: Vec<Option<Tensor>>,
}

impl Optimizer {
    /// A new optimizer without state.
    pub fn new(options: spec::Optimizer) -> Self {
        Self {
            options,
            states: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// One step over all parameters that have a gradient.
    pub fn step(&mut self, t: &Tape) {
        match self.options.name {
            OptimizerName::AdamW | OptimizerName::Adam => self.adam(t),
            OptimizerName::Sgd => self.sgd(t),
            OptimizerName::Adafactor => self.adafactor(t),
            OptimizerName::AdafactorTransformers => self.adafactor_transformers(t),
            OptimizerName::RmsProp
            | OptimizerName::Adagrad
            | OptimizerName::Adadelta
            | OptimizerName::Adamax
            | OptimizerName::NAdam
            | OptimizerName::None => {}
        }
    }

    /// Makes the state of every parameter with a gradient that has none yet.
    pub(super) fn init(&mut self, t: &Tape, make: impl Fn(&Tensor) -> State) {
        let states = &mut self.states;
        t.for_each_parameter(|i, parameter, grad| {
            if states.len() <= i {
                states.push(State::new());
            }
            if grad.is_some() && states[i].is_empty() {
                states[i] = make(parameter);
            }
        });
    }
}

/// A state tensor placed and typed like the parameter.
pub(super) fn state_like(t: &Tape, op: &'static str, parameter: &Tensor) -> Tensor {
    t.allocate(
        op,
        *parameter.shape(),
        parameter.dtype(),
        Category::OptimizerStates,
    )
}

/// A state tensor of a shape of its own.
pub(super) fn state_of(t: &Tape, op: &'static str, shape: &[u64], dtype: DType) -> Tensor {
    t.allocate(
        op,
        crate::units::Shape::new(shape),
        dtype,
        Category::OptimizerStates,
    )
}

/// A temporary placed and typed like `x`.
pub(super) fn temporary(t: &Tape, op: &'static str, x: &Tensor) -> Tensor {
    t.empty(op, *x.shape(), x.dtype())
}

/// Temporaries of a multi-tensor operation, which are freed from the last to the first.
pub(super) fn foreach(t: &Tape, op: &'static str) -> Vec<Tensor> {
    let mut all = Vec::new();
    t.for_each_parameter(|_, parameter, grad| {
        if grad.is_some() {
            all.push(temporary(t, op, parameter));
        }
    });
    all
}

//! Full-precision copies of weights in half precision, as DeepSpeed keeps them without `ZeRO`
//! (`FP16_Optimizer`, `runtime/fp16/fused_optimizer.py`, DeepSpeed 0.19), for float16 and bfloat16.
//!
//! Adam steps over one flat tensor of all weights. What the check for overflow takes, a few numbers
//! at a time, is left out.

use super::state::{for_each_gradient, temporary};
use crate::ask::{OptimizerImpl, OptimizerName};
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// Elements of gradients that are reduced together (`numel_per_bucket`, `runtime/engine.py`).
const BUCKET: u64 = 500_000_000;

/// `FP16_Optimizer` with its Adam.
pub(super) struct MasterWeights {
    options: crate::ask::Optimizer,
    /// All weights `[P]`, of which the parameters are slices.
    _weights: Tensor,
    /// The weights in float32, and Adam's states of them.
    master: Tensor,
    _states: Vec<Tensor>,
}

impl MasterWeights {
    /// Flattens the parameters and makes Adam's states by a step with gradients of zero.
    pub(super) fn new(t: &Tape, options: crate::ask::Optimizer) -> Self {
        let weights = t.flatten_parameters();
        let shape = *weights.shape();
        let master = {
            let _copy = t.clone_contiguous(&weights);
            t.allocate("_to_copy", shape, DType::Float32, Category::MasterWeights)
        };
        let gradient = temporary(t, "zeros", &master);
        let state = |op, shape| t.allocate(op, shape, DType::Float32, Category::OptimizerStates);
        let fused = options.implementation == OptimizerImpl::Fused;
        let step = fused.then(|| state("zeros", Shape::new(&[])));
        let moments = (0..2 + u8::from(options.amsgrad)).map(|_| state("zeros_like", shape));
        let made = Self {
            options,
            _states: step.into_iter().chain(moments).collect(),
            _weights: weights,
            master,
        };
        made.adam(t);
        drop(gradient);
        made
    }

    /// The temporaries of Adam's step.
    fn adam(&self, t: &Tape) {
        let flat = |op| temporary(t, op, &self.master);
        let options = &self.options;
        let decays = options.weight_decay && options.name == OptimizerName::Adam;
        match options.implementation {
            OptimizerImpl::Foreach => {
                if decays {
                    drop(flat("_foreach_add"));
                }
                drop(flat("_foreach_sqrt"));
            }
            OptimizerImpl::ForLoop => {
                let _gradient = decays.then(|| flat("add"));
                let _root = flat("sqrt");
                drop(flat("div"));
            }
            OptimizerImpl::Fused | OptimizerImpl::Compiled | OptimizerImpl::None => {}
        }
    }

    /// `FP16_Optimizer.step`: gradients are copied to float32, then to one tensor, and dropped.
    pub(super) fn step(&self, t: &Tape) {
        let mut copies = Vec::new();
        for_each_gradient(t, |_, _, gradient| {
            copies.push(t.empty("_to_copy", *gradient.shape(), DType::Float32));
        });
        let gradient = temporary(t, "cat", &self.master);
        copies.into_iter().rev().for_each(drop);
        t.drop_gradients();
        drop(t.reduce(
            "linalg_vector_norm",
            &gradient,
            Shape::new(&[]),
            DType::Float32,
        ));
        self.adam(t);
    }
}

/// The end of `engine.backward`: gradients are put together in buckets to be reduced, on a single
/// device too (`buffered_allreduce_fallback`).
pub(super) fn reduce_gradients(t: &Tape) {
    let (mut elements, mut tensors, mut dtype) = (0, 0, DType::Float32);
    let flush = |elements: &mut u64, tensors: &mut u64, dtype| {
        // A tensor alone is not copied.
        if *tensors > 1 {
            drop(t.empty("cat", Shape::from([*elements]), dtype));
        }
        (*elements, *tensors) = (0, 0);
    };
    for_each_gradient(t, |_, _, gradient| {
        elements += gradient.numel();
        tensors += 1;
        dtype = gradient.dtype();
        if elements > BUCKET {
            flush(&mut elements, &mut tensors, dtype);
        }
    });
    flush(&mut elements, &mut tensors, dtype);
}

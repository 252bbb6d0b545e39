//! Full-precision copies of weights in half precision, as Megatron-Core 0.16 keeps them without its
//! distributed optimizer: `DistributedDataParallel` with `grad_reduce_in_fp32`
//! (`core/distributed/param_and_grad_buffer.py`) and `Float16OptimizerWithFloat16Params`
//! (`core/optimizer/optimizer.py`), over one group of parameters.
//!
//! Gradients are added to a buffer in float32 as soon as they are there and dropped. Weights in
//! float32 are stepped over as they are.

use super::state::temporary;
use crate::ask::OptimizerImpl;
use crate::model::ResolvedSpec;
use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// Blocks that apex's norm kernel has a number for (`csrc/multi_tensor_l2norm_kernel.cu`).
const NORM_BLOCKS: u64 = 320;

/// The optimizer's wrapper and the gradients' buffers.
pub(super) struct Megatron {
    /// Weights that the optimizer steps over, each with its slice of a buffer.
    main: Vec<(Tensor, Option<Tensor>)>,
    scale: Tensor,
    /// Numbers that are there from the start.
    _numbers: Vec<Tensor>,
    scales_loss: bool,
    clips: bool,
}

impl Megatron {
    /// Makes the buffers and the copies of all parameters that are trained.
    pub(super) fn new(t: &Tape, spec: &ResolvedSpec) -> Self {
        let gradients = gradient_buffers(t);
        let number = |category, dtype| t.allocate("tensor", Shape::from([1]), dtype, category);
        let state = |dtype| number(Category::OptimizerStates, dtype);
        let fp16 = spec.weights == DType::Float16;
        let scale = state(DType::Float32);
        // A dynamic scaler's limits and factors; flags for infinities; FusedAdam's own.
        let further = if fp16 { 5 } else { 0 };
        let fused = spec.optimizer.implementation == OptimizerImpl::Fused;
        let numbers = (0..further + u32::from(fused)).map(|_| state(DType::Float32));
        let numbers = numbers.collect();
        let mut parameters = Vec::new();
        t.for_each_parameter(|_, parameter, _| parameters.push(parameter.detach()));
        let copy = |parameter: Tensor| {
            if parameter.dtype() == DType::Float32 {
                return parameter;
            }
            let _clone = t.clone_contiguous(&parameter);
            let shape = *parameter.shape();
            t.allocate("_to_copy", shape, DType::Float32, Category::MasterWeights)
        };
        Self {
            main: (parameters.into_iter().map(copy))
                .zip(gradients.into_iter().map(Some))
                .collect(),
            scale,
            _numbers: numbers,
            scales_loss: fp16,
            clips: spec.clip_grad_norm,
        }
    }

    /// `scale_loss`: by one, in bfloat16.
    pub(super) fn scale(&self, t: &Tape, loss: &Tensor) -> Tensor {
        t.mul(&self.scale, loss)
    }

    /// `step`, around the `inner` optimizer's over the copies; the weights are copied back in place.
    pub(super) fn step(&self, t: &Tape, inner: impl FnOnce(&Tape)) {
        if self.scales_loss {
            // `inv_scale`, in between in float64.
            let wide = t.empty("_to_copy", Shape::from([1]), DType::Int64);
            let reciprocal = temporary(t, "reciprocal", &wide);
            drop(wide);
            let _inverse = t.empty("_to_copy", Shape::from([1]), DType::Float32);
            drop(reciprocal);
        }
        if self.clips {
            let _flag = t.empty("zeros", Shape::from([1]), DType::Int32);
            let blocks = t.empty("zeros", Shape::from([NORM_BLOCKS]), DType::Float32);
            let norm = t.empty("empty", Shape::from([1]), DType::Float32);
            drop(blocks);
            drop(temporary(t, "pow", &norm));
        }
        t.with_parameters(&self.main, inner);
    }
}

/// A buffer for each type that parameters have, in float32, the last parameter first; each
/// parameter's slice of one.
fn gradient_buffers(t: &Tape) -> Vec<Tensor> {
    let mut parameters = Vec::new();
    t.for_each_parameter(|_, parameter, _| {
        parameters.push((parameter.dtype(), *parameter.shape()));
    });
    let mut ends: Vec<(DType, u64)> = Vec::new();
    for &(dtype, shape) in &parameters {
        match ends.iter_mut().find(|(known, _)| *known == dtype) {
            Some((_, elements)) => *elements += shape.numel(),
            None => ends.push((dtype, shape.numel())),
        }
    }
    let buffer = |&(dtype, end): &(DType, u64)| {
        let shape = Shape::from([end]);
        let made = t.allocate("zeros", shape, DType::Float32, Category::Gradients);
        (dtype, end, made)
    };
    let mut buffers: Vec<_> = ends.iter().map(buffer).collect();
    let slice = |(dtype, shape): (DType, Shape)| {
        let (_, end, buffer) = buffers.iter_mut().find(|(known, ..)| *known == dtype)?;
        let start = *end - shape.numel();
        let slice = t.slice(buffer, 0, start, *end);
        *end = start;
        Some(t.view(&slice, shape))
    };
    parameters.into_iter().filter_map(slice).collect()
}

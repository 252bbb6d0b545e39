//! `torch.nn.utils.clip_grad_norm_`.

use super::state::{for_each_gradient, temporary};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

/// `kChunkSize`: elements that one block of a multi-tensor kernel handles
/// (`aten/src/ATen/native/cuda/MultiTensorApply.cuh`, torch 2.6 and 2.15).
const CHUNK: u64 = 65_536;

/// Clips all gradients by their common norm; the caller drops the norm that it gets.
pub fn clip_grad_norm(t: &Tape) {
    let norms = foreach_norm(t);
    let Some(dtype) = norms.first().map(Tensor::dtype) else {
        return;
    };
    let stacked = t.empty("stack", Shape::from([norms.len() as u64]), dtype);
    let total = t.reduce("linalg_vector_norm", &stacked, Shape::new(&[]), dtype);
    drop(stacked);
    drop(norms);
    let shifted = temporary(t, "add", &total);
    let reciprocal = temporary(t, "reciprocal", &total);
    let coefficient = temporary(t, "mul", &total);
    drop((reciprocal, shifted));
    let clamped = temporary(t, "clamp", &coefficient);
    drop((coefficient, clamped, total));
}

/// `torch._foreach_norm(gradients)`: one number a gradient, with the norms of all chunks beside
/// them until they are summed (`foreach_tensor_norm_cuda`,
/// `aten/src/ATen/native/cuda/ForeachReduceOp.cu`, torch 2.6 and 2.15).
fn foreach_norm(t: &Tape) -> Vec<Tensor> {
    let op = "_foreach_norm";
    let (mut tensors, mut chunks, mut most) = (0, 0, 0);
    for_each_gradient(t, |_, _, grad| {
        let own = grad.numel().div_ceil(CHUNK);
        tensors += 1;
        chunks += own;
        most = own.max(most);
    });
    if tensors == 0 {
        return Vec::new();
    }
    let packed = t.backend().foreach_norm_packs_chunks;
    let offsets = packed.then(|| t.empty(op, Shape::from([tensors + 1]), DType::Int64));
    let partial = if packed { chunks } else { tensors * most };
    let partial = t.empty(op, Shape::from([partial]), DType::Float32);
    let mut norms = Vec::new();
    for_each_gradient(t, |_, _, grad| {
        norms.push(t.empty(op, Shape::new(&[]), grad.dtype()));
    });
    drop((partial, offsets));
    norms
}

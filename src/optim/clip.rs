//! `torch.nn.utils.clip_grad_norm_`.

use super::state::{for_each_gradient, temporary};
use crate::tape::{Category, Storage, Tape, Tensor};
use crate::units::{DType, Shape};

/// `kChunkSize`: elements that one block of a multi-tensor kernel handles
/// (`aten/src/ATen/native/cuda/MultiTensorApply.cuh`, torch 2.6 and 2.15).
const CHUNK: u64 = 65_536;

/// Clips all gradients by their common norm; the caller drops the norm that it gets.
pub fn clip_grad_norm(t: &Tape) {
    let mut dtypes = Vec::new();
    for_each_gradient(t, |_, _, grad| {
        if !dtypes.contains(&grad.dtype()) {
            dtypes.push(grad.dtype());
        }
    });
    // Gradients of one type are taken together, the type that came last first, as the groups stand in a
    // `std::unordered_map` (`_group_tensors_by_first_tensors_device_and_dtype`, torch 2.6 and 2.15);
    // norms of several become float32.
    dtypes.reverse();
    let Some(&first) = dtypes.first() else { return };
    let dtype = match dtypes.len() {
        1 => first,
        _ => DType::Float32,
    };
    let of = |&dtype: &DType| foreach_norm(t, dtype);
    let norms: Vec<Storage> = dtypes.iter().flat_map(of).collect();
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

/// `torch._foreach_norm(gradients)` of one type: one number a gradient, with the norms of all chunks beside
/// them until they are summed (`foreach_tensor_norm_cuda`,
/// `aten/src/ATen/native/cuda/ForeachReduceOp.cu`, torch 2.6 and 2.15).
fn foreach_norm(t: &Tape, dtype: DType) -> Vec<Storage> {
    let op = "_foreach_norm";
    let (mut tensors, mut chunks, mut most) = (0, 0, 0);
    let each = |f: &mut dyn FnMut(&Tensor)| {
        for_each_gradient(t, |_, _, grad| {
            if grad.dtype() == dtype {
                f(grad);
            }
        });
    };
    each(&mut |grad| {
        let own = grad.numel().div_ceil(CHUNK);
        tensors += 1;
        chunks += own;
        most = own.max(most);
    });
    let packed = t.backend().foreach_norm_packs_chunks;
    let offsets = packed.then(|| t.empty(op, Shape::from([tensors + 1]), DType::Int64));
    let partial = if packed { chunks } else { tensors * most };
    let partial = t.empty(op, Shape::from([partial]), DType::Float32);
    let mut norms = Vec::new();
    let norm = Shape::new(&[]);
    each(&mut |_| norms.push(t.hold(op, &norm, dtype, Category::Temporaries)));
    drop((partial, offsets));
    norms
}

//! `torch.nn.utils.clip_grad_norm_`.

use super::state::{for_each_gradient, temporary};
use crate::tape::{Category, Placement, Storage, Tape, Tensor};
use crate::units::{DType, Shape};

/// `kChunkSize`: elements that one block of a multi-tensor kernel handles
/// (`aten/src/ATen/native/cuda/MultiTensorApply.cuh`, torch 2.6 and 2.15).
const CHUNK: u64 = 65_536;

/// Clips all gradients by their common norm; the caller drops the norm that it gets. Norms of gradients of
/// which each rank has a part are `summed` over ranks first.
pub fn clip_grad_norm(t: &Tape, summed: bool) {
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
    let (copies, whole) = of_ranks(t);
    let norms: Vec<Storage> = dtypes.iter().flat_map(of).collect();
    drop(copies);
    let parts = (0..whole).map(|_| t.empty("stack", Shape::new(&[]), dtype));
    let parts: Vec<Tensor> = parts.collect();
    let stacked = t.empty("stack", Shape::from([norms.len() as u64]), dtype);
    drop(parts);
    // `_NormPartial._reduce_value` (`torch/distributed/tensor/_ops/_math_ops.py`, torch 2.15).
    let reduced = summed.then(|| {
        let powers = temporary(t, "pow", &stacked);
        let sums = temporary(t, "all_reduce", &stacked);
        let reduced = temporary(t, "pow", &stacked);
        drop((powers, sums));
        reduced
    });
    let total = t.reduce("linalg_vector_norm", &stacked, Shape::new(&[]), dtype);
    drop((reduced, stacked));
    drop(norms);
    let shifted = temporary(t, "add", &total);
    let reciprocal = temporary(t, "reciprocal", &total);
    let coefficient = temporary(t, "mul", &total);
    drop((reciprocal, shifted));
    let clamped = temporary(t, "clamp", &coefficient);
    drop((coefficient, clamped, total));
}

/// Under divided modules: gradients that are summed over ranks before their norms are taken, and how many norms,
/// of gradients that ranks have whole, become parts of a sum with others.
fn of_ranks(t: &Tape) -> (Vec<Tensor>, usize) {
    let (mut copies, mut whole) = (Vec::new(), 0);
    for_each_gradient(t, |_, parameter, grad| {
        let placement = parameter.placement();
        let is_whole = placement.is_copy() || grad.numel() != parameter.numel();
        whole += usize::from(placement.is_distributed() && is_whole);
        let summed = (placement == Placement::Summed).then(|| t.placed_as(parameter, grad));
        copies.extend(summed.flatten());
    });
    copies.reverse();
    (copies, whole)
}

/// `torch._foreach_norm(gradients)` of one type: one number a gradient, with the norms of all chunks beside
/// them until they are summed (`foreach_tensor_norm_cuda`,
/// `aten/src/ATen/native/cuda/ForeachReduceOp.cu`, torch 2.6 and 2.15).
fn foreach_norm(t: &Tape, dtype: DType) -> Vec<Storage> {
    let op = "_foreach_norm";
    let (mut tensors, mut empty, mut chunks, mut most) = (0, 0, 0, 0);
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
        empty += usize::from(own == 0);
        chunks += own;
        most = own.max(most);
    });
    let packed = t.backend().foreach_norm_packs_chunks;
    let offsets =
        packed.then(|| t.empty(op, Shape::from([tensors - empty as u64 + 1]), DType::Int64));
    let partial = if packed { chunks } else { tensors * most };
    let partial = t.empty(op, Shape::from([partial]), DType::Float32);
    let mut norms = Vec::new();
    let norm = Shape::new(&[]);
    let number = || t.hold(op, &norm, dtype, Category::Temporaries);
    each(&mut |_| norms.push(number()));
    // Norms of gradients without elements are zeros, made anew.
    let zeros: Vec<Storage> = (0..empty).map(|_| number()).collect();
    norms.truncate(norms.len() - empty);
    norms.extend(zeros);
    drop((partial, offsets));
    norms
}

//! The norm of gradients, and the search for infinities and NaN in them.

use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};

fn number() -> Shape {
    Shape::new(&[])
}

/// `has_overflow_partitioned_grads_serial`.
pub(super) fn overflow(t: &Tape, gradients: &[Tensor]) {
    let count = t.empty("zeros", Shape::from([1]), DType::Float32);
    for gradient in gradients {
        drop(has_inf_or_nan(t, gradient));
    }
    let found = t.empty("bool", Shape::from([1]), DType::Bool);
    drop(count);
    drop((t.empty("byte", Shape::from([1]), DType::UInt8), found));
}

/// `has_inf_or_nan`: whether the largest and the smallest element are finite.
pub(super) fn has_inf_or_nan(t: &Tape, x: &Tensor) -> Tensor {
    let extreme = |op| {
        let value = t.reduce(op, x, number(), x.dtype());
        is_finite(t, &value)
    };
    let finite = [extreme("amax"), extreme("amin")];
    let both = t.empty("logical_and", number(), DType::Bool);
    drop(finite);
    let found = t.empty("logical_not", number(), DType::Bool);
    drop(both);
    found
}

/// `torch.isfinite`, which is made of other operations.
fn is_finite(t: &Tape, x: &Tensor) -> Tensor {
    let flag = |op| t.empty(op, *x.shape(), DType::Bool);
    let absolute = t.empty("abs", *x.shape(), x.dtype());
    let others = [flag("ne"), flag("eq")];
    let finite = flag("mul");
    drop((others, absolute));
    finite
}

/// `has_overflow` of stage 3 (`deepspeed/runtime/zero/stage3.py`): whether a gradient of a part is not finite.
pub(super) fn overflow_of_parts(t: &Tape, gradients: &Tensor) -> Tensor {
    let flags = |op| t.empty(op, *gradients.shape(), DType::Bool);
    let infinite = {
        let _absolute = t.empty("abs", *gradients.shape(), gradients.dtype());
        flags("eq")
    };
    drop((t.empty("any", number(), DType::Bool), infinite));
    let unordered = flags("ne");
    drop((t.empty("any", number(), DType::Bool), unordered));
    let _clone = t.empty("clone", number(), DType::Bool);
    t.empty("_to_copy", number(), DType::UInt8)
}

/// `is_invalid_grad_norm` (`deepspeed/runtime/utils.py`): whether there is a norm that is not finite or below 0.
pub(super) fn invalid(t: &Tape, norms: &Tensor) -> Tensor {
    let flag = |op| t.empty(op, *norms.shape(), DType::Bool);
    let finite = is_finite(t, norms);
    let infinite = flag("bitwise_not");
    drop(finite);
    let negative = flag("lt");
    let either = flag("bitwise_or");
    drop((infinite, negative));
    let any = t.empty("any", number(), DType::Bool);
    drop(either);
    any
}

/// `get_grad_norm_direct`: each gradient's norm in double precision, and the norm of those.
pub(super) fn of_gradients<'a>(t: &Tape, gradients: impl Iterator<Item = &'a Tensor>) -> Tensor {
    let norm = |gradient: &Tensor| {
        let wide = t.to(gradient, DType::Float64);
        t.reduce("linalg_vector_norm", &wide, number(), DType::Float64)
    };
    let norms: Vec<Tensor> = gradients.map(norm).collect();
    let many = Shape::from([norms.len() as u64]);
    let stacked = t.empty("stack", many, DType::Float64);
    let squares = t.empty("pow", many, DType::Float64);
    drop(stacked);
    let sum = t.reduce("sum", &squares, number(), DType::Float64);
    drop(squares);
    let total = t.to(&sum, DType::Float32);
    drop(sum);
    let root = t.empty("pow", number(), DType::Float32);
    drop(total);
    // `mask_nan_or_inf_with_val_inplace`.
    let flag = |op| t.empty(op, number(), DType::Bool);
    let flags = [flag("isinf"), flag("isnan"), flag("logical_or")];
    drop((t.empty("tensor", number(), DType::Float32), flags));
    t.synchronize_stream();
    root
}

/// `get_grad_norm_direct` of stage 3, in double precision to its end.
pub(super) fn of_parts(t: &Tape, gradients: &[Tensor]) -> Tensor {
    let norm = |gradient: &Tensor| {
        let wide = t.to(gradient, DType::Float64);
        t.reduce("norm", &wide, number(), DType::Float64)
    };
    let norms: Vec<Tensor> = gradients.iter().map(norm).collect();
    let many = Shape::from([norms.len() as u64]);
    let stacked = t.empty("stack", many, DType::Float64);
    let powers = t.empty("pow", many, DType::Float64);
    let sum = t.reduce("sum", &powers, number(), DType::Float64);
    drop((powers, stacked));
    let root = t.empty("pow", number(), DType::Float64);
    let flag = |op| t.empty(op, number(), DType::Bool);
    let flags = [flag("isinf"), flag("isnan"), flag("logical_or")];
    let error = t.empty("tensor", number(), DType::Float32);
    t.synchronize_stream();
    let chosen = t.empty("where", number(), DType::Float64);
    drop((error, flags, root, sum, norms));
    chosen
}

/// `combine_grad_norm_groups`.
pub(super) fn combined(t: &Tape, norms: &[Tensor]) -> Tensor {
    let dtype = norms.first().map_or(DType::Float32, Tensor::dtype);
    let stacked = t.empty("stack", Shape::from([norms.len() as u64]), dtype);
    let invalid = invalid(t, &stacked);
    let combined = t.reduce("linalg_vector_norm", &stacked, number(), dtype);
    let infinite = t.empty("full_like", number(), dtype);
    let chosen = t.empty("where", number(), dtype);
    drop((infinite, combined, invalid, stacked));
    chosen
}

/// `unscale_and_clip_grads`: the factor of the gradients, which are scaled in place.
pub(super) fn clip(t: &Tape, norm: &Tensor) {
    let scalar = |op| t.empty(op, number(), norm.dtype());
    let divided = scalar("div");
    let shifted = scalar("add");
    drop(divided);
    let clip = scalar("div");
    drop(shifted);
    let clamped = scalar("clamp");
    drop(clip);
    let combined = scalar("mul");
    let reciprocal = scalar("reciprocal");
    drop((scalar("mul"), reciprocal, combined, clamped));
}

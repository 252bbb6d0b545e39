//! Tensors that are made of nothing.

use super::call::{Arm, Call, Results, one};
use crate::units::DType;

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "arange" | "empty" | "zeros" | "ones" | "full" | "rand" | "randn" | "randint" | "eye"
        | "linspace" | "scalar_tensor" | "empty_strided" | "randperm" => made,
        "zeros_like" | "ones_like" | "empty_like" | "full_like" | "rand_like" | "randn_like"
        | "randint_like" => like,
        "new_zeros" | "new_ones" | "new_empty" | "new_full" => new,
        _ => return None,
    })
}

fn made(call: &Call) -> Results {
    one(call.t.empty("made", call.shape()?, call.made_dtype()))
}

/// As x is, in its dtype unless another one is asked for.
fn like(call: &Call) -> Results {
    let x = call.x()?;
    let dtype = call.dtype("dtype").unwrap_or(x.dtype());
    one(call.t.outside("made", &[&x.detach()], dtype))
}

fn new(call: &Call) -> Results {
    let x = call.x()?;
    let dtype: DType = call.dtype("dtype").unwrap_or(x.dtype());
    one(call.t.empty("made", call.shape()?, dtype))
}

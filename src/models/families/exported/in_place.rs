//! Operations that write into their first tensor.

use super::call::{Arm, Call, Results, one};
use super::pointwise::made_noise;
use crate::tape::Kept;

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "add_" => add,
        "sub_" => |call| match call.tensor("other") {
            Some(other) => one(call.t.subtract_in_place(&call.x()?, &other)),
            None => call.x().map(|x| vec![x]),
        },
        "mul_" => |call| match call.tensor("other") {
            Some(other) => one(call.t.multiply_in_place(&call.x()?, &other)),
            None => one(call.t.scale_in_place(call.x()?)),
        },
        "div_" => |call| match call.tensor("other") {
            Some(other) => one(call.t.divide_in_place(&call.x()?, &other)),
            None => one(call.t.scale_in_place(call.x()?)),
        },
        "relu_" => |call| one(call.t.relu_in_place(call.x()?)),
        "silu_" | "hardswish_" | "mish_" | "hardsigmoid_" | "hardtanh_" | "relu6_" => {
            |call| function(call, Kept::Input)
        }
        "leaky_relu_" | "elu_" | "sigmoid_" | "tanh_" | "exp_" => {
            |call| function(call, Kept::Result)
        }
        "dropout_" => |call| dropout(call, false),
        "feature_dropout_" => |call| dropout(call, true),
        "fill_" | "zero_" | "copy_" => |call| {
            let source = call.tensor("src").or_else(|| call.tensor("value"));
            let source = source.filter(|source| source.shape().rank() > 0);
            one(call.t.overwrite_in_place(&call.x()?, source.as_ref()))
        },
        "masked_fill_" => |call| one(call.t.fill_where(call.x()?, &call.tensor("mask")?)),
        "scatter_add_" => |call| {
            let (index, source) = (call.tensor("index")?, call.tensor("src")?);
            one(call.t.scatter_add_in_place(&call.x()?, &index, &source))
        },
        "scatter_" => |call| {
            let (x, index) = (call.x()?, call.tensor("index")?);
            match call.tensor("src") {
                Some(source) => {
                    (!x.requires_grad()).then(|| vec![call.t.scatter_in_place(&x, &index, &source)])
                }
                None => one(call.t.fill_where(x, &index)),
            }
        },
        "index_put_" => |call| {
            let given = call.some_tensors("indices")?;
            let indices: Vec<_> = given.into_iter().flatten().collect();
            let adds = call.flag("accumulate", false)?;
            let values = call.tensor("values")?;
            one(call.t.put_at(&call.x()?, &indices, &values, adds))
        },
        "scatter_reduce_" => |call| {
            let (x, source) = (call.x()?, call.tensor("src")?);
            (!x.requires_grad() && !source.requires_grad()).then(|| vec![x])
        },
        "round_" | "floor_" | "ceil_" | "trunc_" | "sign_" => {
            |call| one(call.t.step_in_place(&call.x()?))
        }
        "clamp_" | "clamp_min_" | "clamp_max_" => |call| one(call.t.clamp_in_place(call.x()?)),
        "index_add_" => |call| {
            let (index, source) = (call.tensor("index")?, call.tensor("source")?);
            one(call.t.index_add_in_place(call.x()?, &index, &source))
        },
        "bernoulli_" | "normal_" | "uniform_" | "random_" => |call| {
            let x = call.x()?;
            one(call.t.overwrite_in_place(&x, None))
        },
        "unsqueeze_" | "squeeze_" | "detach_" | "requires_grad_" => |call| {
            let (x, shape) = (call.x()?, call.shape()?);
            (x.numel() == shape.numel()).then(|| vec![call.t.reshape(&x, shape)])
        },
        _ => return None,
    })
}

fn add(call: &Call) -> Results {
    let x = call.x()?;
    match call.tensor("other") {
        Some(other) => one(call.t.add_in_place(x, &other)),
        // Whoever counts, counts on the device.
        None => one(x),
    }
}

fn function(call: &Call, kept: Kept) -> Results {
    one(call.t.function_in_place("activation", &call.x()?, kept))
}

fn dropout(call: &Call, of_channels: bool) -> Results {
    let x = call.x()?;
    if !(call.trains("train")? && call.float("p", 0.5) > 0.0) {
        return one(x);
    }
    let noise = made_noise(call, &x, of_channels);
    one(call.t.multiply_in_place(&x, &noise))
}

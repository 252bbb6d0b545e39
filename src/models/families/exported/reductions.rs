//! Reductions.

use super::call::{Arm, Call, Results, one};
use crate::tape::Tensor;
use crate::units::DType;

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "sum" => sum,
        "mean" => mean,
        "max" | "min" => extreme,
        "amax" | "amin" => |call| {
            let x = call.x()?;
            let dims = call.axes(&x, "dim")?;
            one(call.t.amax_over(&x, &dims, call.flag("keepdim", false)?))
        },
        "var" => |call| spread(call, "var"),
        "std" => |call| spread(call, "std"),
        "linalg_vector_norm" | "norm" => length,
        "softmax" | "_softmax" => softmax,
        "log_softmax" | "_log_softmax" => log_softmax,
        "cumsum" => cumsum,
        "logsumexp" => logsumexp,
        "topk" => topk,
        _ => return None,
    })
}

/// x in the dtype that is asked for.
fn asked(call: &Call, x: &Tensor) -> Tensor {
    match call.dtype("dtype") {
        Some(dtype) if dtype.is_float() && x.dtype().is_float() => call.t.to(x, dtype),
        _ => x.clone(),
    }
}

fn sum(call: &Call) -> Results {
    let x = asked(call, &call.x()?);
    let dims = call.axes(&x, "dim")?;
    one(call.t.sum_over(&x, &dims, call.flag("keepdim", false)?))
}

fn mean(call: &Call) -> Results {
    let x = asked(call, &call.x()?);
    let dims = call.axes(&x, "dim")?;
    one(call.t.mean_over(&x, &dims, call.flag("keepdim", false)?))
}

fn extreme(call: &Call) -> Results {
    let x = call.x()?;
    if let Some(other) = call.tensor("other") {
        return one(call.t.chosen_of("maximum", &x, &other));
    }
    if !call.has("dim") {
        let all: Vec<usize> = (0..x.shape().rank()).collect();
        return one(call.t.amax_over(&x, &all, false));
    }
    let dim = call.axis_or(&x, "dim", 0)?;
    Some(
        call.t
            .extreme_over(&x, dim, call.flag("keepdim", false)?)
            .into(),
    )
}

fn spread(call: &Call, op: &'static str) -> Results {
    let x = call.x()?;
    let dims = call.axes(&x, "dim")?;
    one(call
        .t
        .spread_over(op, &x, (&dims, call.flag("keepdim", false)?)))
}

fn length(call: &Call) -> Results {
    let x = call.x()?;
    let dims = call.axes(&x, "dim")?;
    one(call.t.length_over(&x, &dims, call.flag("keepdim", false)?))
}

fn softmax(call: &Call) -> Results {
    one(call.t.softmax(&call.x()?, call.dtype("dtype")))
}

fn log_softmax(call: &Call) -> Results {
    let x = call.x()?;
    one(match call.dtype("dtype") {
        Some(DType::Float32) => call.t.log_softmax_wide(&x),
        _ => call.t.log_softmax(&x),
    })
}

fn cumsum(call: &Call) -> Results {
    let x = call.x()?;
    if !x.dtype().is_float() {
        return one(call.t.cumsum(*x.shape(), DType::Int64));
    }
    one(call.t.running_sum(&x))
}

fn logsumexp(call: &Call) -> Results {
    let x = call.x()?;
    let dims = call.axes(&x, "dim")?;
    let last = x.shape().rank().checked_sub(1)?;
    (dims == [last] && !call.flag("keepdim", false)?).then(|| vec![call.t.logsumexp_last(&x)])
}

fn topk(call: &Call) -> Results {
    let x = call.x()?;
    let last = x.shape().rank().checked_sub(1)?;
    let k = u64::try_from(call.int("k")?).ok()?;
    (call.axis_or(&x, "dim", -1)? == last).then(|| {
        let (values, places) = call.t.chosen(&x, k);
        vec![values, places]
    })
}

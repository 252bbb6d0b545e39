//! Losses that a graph computes.

use super::call::{Arm, Call, Results, one};

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "cross_entropy_loss" => cross_entropy,
        "mse_loss" => |call| {
            mean(call).and_then(|()| one(call.t.mse_loss(&call.x()?, &call.tensor("target")?)))
        },
        "binary_cross_entropy_with_logits" => |call| {
            mean(call)?;
            one(call.t.binary_loss(&call.x()?, &call.tensor("target")?))
        },
        "l1_loss" => |call| distance(call, "l1_loss"),
        "smooth_l1_loss" => |call| distance(call, "smooth_l1_loss"),
        "huber_loss" => |call| distance(call, "huber_loss"),
        _ => return None,
    })
}

/// Whether the mean is asked for, which it is by default.
fn mean(call: &Call) -> Option<()> {
    (call.int_or("reduction", 1)? == 1).then_some(())
}

fn cross_entropy(call: &Call) -> Results {
    mean(call)?;
    let (x, target) = (call.x()?, call.tensor("target")?);
    if target.dtype().is_float() || call.has("weight") {
        return None;
    }
    if call.float("label_smoothing", 0.0) > 0.0 {
        return (x.shape().rank() == 2).then(|| vec![call.t.cross_entropy_smoothed(&x, &target)]);
    }
    one(call.t.cross_entropy(&x, &target))
}

fn distance(call: &Call, op: &'static str) -> Results {
    mean(call)?;
    let (x, target) = (call.x()?, call.tensor("target")?);
    (x.shape() == target.shape()).then(|| vec![call.t.distance_loss(op, &x, &target)])
}

//! Losses that a graph computes.

use super::call::{Arm, Call, Results, one};
use crate::tape::{Reduction, Tensor};

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "cross_entropy_loss" => cross_entropy,
        "nll_loss" | "nll_loss2d" | "nll_loss_nd" => negative_likelihood,
        "mse_loss" => |call| of_pair(call, "mse_loss", true),
        "smooth_l1_loss" => |call| of_pair(call, "smooth_l1_loss", true),
        "huber_loss" => |call| of_pair(call, "huber_loss", false),
        "l1_loss" => |call| {
            let Pair { x, target, by } = pair(call)?;
            one(call.t.distance_loss(&x, &target, by))
        },
        "binary_cross_entropy_with_logits" => |call| {
            let Pair { x, target, by } = pair(call)?;
            plain(call)?;
            one(call.t.binary_loss(&x, &target, by))
        },
        "binary_cross_entropy" => |call| {
            let Pair { x, target, by } = pair(call)?;
            plain(call)?;
            one(call.t.binary_loss_of_probabilities(&x, &target, by))
        },
        "kl_div" => |call| {
            let Pair { x, target, by } = pair(call)?;
            let of_logarithms = call.flag("log_target", false)?;
            one(call.t.divergence_loss(&x, &target, by, of_logarithms))
        },
        "triplet_margin_loss" => |call| {
            let all = [
                call.x()?,
                call.tensor("positive")?,
                call.tensor("negative")?,
            ];
            let by = reduction(call)?;
            (!call.flag("swap", false)?).then(|| vec![call.t.triplet_loss(all.each_ref(), by)])
        },
        "pairwise_distance" => |call| {
            let (a, b) = (call.x()?, call.tensor("x2")?);
            let keepdim = call.flag("keepdim", false)?;
            one(call.t.distance_of_rows(&a, &b, keepdim))
        },
        _ => return None,
    })
}

/// The reduction of a loss: by the mean unless it says otherwise.
fn reduction(call: &Call) -> Option<Reduction> {
    match call.int_or("reduction", 1)? {
        0 => Some(Reduction::None),
        1 => Some(Reduction::Mean),
        2 => Some(Reduction::Sum),
        _ => None,
    }
}

/// A loss between two tensors of one shape.
struct Pair {
    x: Tensor,
    target: Tensor,
    by: Reduction,
}

fn pair(call: &Call) -> Option<Pair> {
    let (x, target) = (call.x()?, call.tensor("target")?);
    (x.shape() == target.shape()).then_some(())?;
    let by = reduction(call)?;
    Some(Pair { x, target, by })
}

/// Whether no weights are given.
fn plain(call: &Call) -> Option<()> {
    (!call.has("weight") && !call.has("pos_weight")).then_some(())
}

fn of_pair(call: &Call, op: &'static str, keeps_memory: bool) -> Results {
    let Pair { x, target, by } = pair(call)?;
    one(call.t.pair_loss(op, [&x, &target], by, keeps_memory))
}

fn cross_entropy(call: &Call) -> Results {
    (reduction(call)? == Reduction::Mean).then_some(())?;
    let (x, target) = (call.x()?, call.tensor("target")?);
    if target.dtype().is_float() || call.has("weight") {
        return None;
    }
    if call.float("label_smoothing", 0.0) > 0.0 {
        return (x.shape().rank() == 2).then(|| vec![call.t.cross_entropy_smoothed(&x, &target)]);
    }
    one(call.t.cross_entropy(&x, &target))
}

fn negative_likelihood(call: &Call) -> Results {
    (reduction(call)? == Reduction::Mean).then_some(())?;
    let (x, target) = (call.x()?, call.tensor("target")?);
    (!call.has("weight")).then(|| vec![call.t.negative_likelihood(&x, &target)])
}

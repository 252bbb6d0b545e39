//! Images sampled by grids, noise, and products of vectors.

use super::call::{Arm, Call, Results, one};
use crate::tape::Tensor;

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "grid_sampler" | "grid_sampler_2d" | "grid_sampler_3d" => |call| {
            let (x, grid) = (call.x()?, call.tensor("grid")?);
            one(call.t.sample_grid(&x, &grid, call.shape()?))
        },
        "affine_grid_generator" => |call| {
            let (theta, shape) = (call.x()?, call.shape()?);
            (theta.shape().rank() == 3 && shape.rank() > 2)
                .then(|| vec![call.t.affine_grid(&theta, shape)])
        },
        "meshgrid" => meshgrid,
        "alpha_dropout" | "feature_alpha_dropout" => alpha_dropout,
        "vdot" | "dot" => |call| {
            let other = call.tensor("other").or_else(|| call.tensor("tensor"))?;
            one(call.t.dot(&call.x()?, &other))
        },
        "_weight_norm" => |call| {
            let (v, g) = (call.tensor("v")?, call.tensor("g")?);
            let last = v.shape().rank().checked_sub(1)?;
            let dim = call.axis_or(&v, "dim", 0)?;
            (dim == 0 || dim == last).then(|| vec![call.t.weight_norm(&v, &g)])
        },
        _ => return None,
    })
}

/// Each tensor as it is along its own dimension, and repeated along the others.
fn meshgrid(call: &Call) -> Results {
    let t = call.t;
    let all = call.tensors("tensors")?;
    let count = all.len();
    let turned = call.text("indexing") == Some("xy") && count > 1;
    let seen = (0..).zip(&all).map(|(at, x)| -> Option<Tensor> {
        let (shape, _) = call.result(at)?;
        let own = match at {
            0 | 1 if turned => 1 - at,
            _ => at,
        };
        let mut alone = shape;
        for (d, size) in alone.dims_mut().iter_mut().enumerate() {
            if d != own {
                *size = 1;
            }
        }
        (alone.numel() == x.numel()).then(|| t.expand(&t.view(x, alone), shape))
    });
    seen.collect()
}

/// Noise of `feature_alpha_dropout` and `alpha_dropout`, by which x is multiplied and to which it is added
/// (`_dropout_impl`, `aten/src/ATen/native/Dropout.cpp`, torch 2.15).
fn alpha_dropout(call: &Call) -> Results {
    let (t, x) = (call.t, call.x()?);
    if !(call.trains("train")? && call.float("p", 0.5) > 0.0) {
        return one(x);
    }
    let noise = super::pointwise::made_noise(call, &x, call.name().starts_with("feature"));
    let added = t.add_scalar(&noise);
    let product = t.mul(&x, &noise);
    one(t.add_in_place(product, &added))
}

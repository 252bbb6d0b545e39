//! Convolutions, pooling, and what makes images larger and smaller.

use super::adapters;
use super::call::{Arm, Call, Results, one};
use crate::tape::{Tensor, Windows};

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "conv1d" | "conv2d" | "conv3d" => |call| convolution(call, false),
        "conv_transpose1d" | "conv_transpose2d" | "conv_transpose3d" => {
            |call| convolution(call, true)
        }
        "max_pool1d" | "max_pool2d" | "max_pool3d" => |call| largest(call, false),
        "max_pool1d_with_indices" | "max_pool2d_with_indices" | "max_pool3d_with_indices" => {
            |call| largest(call, true)
        }
        "avg_pool1d" | "avg_pool2d" | "avg_pool3d" => |call| means(call, false),
        "adaptive_avg_pool1d" | "adaptive_avg_pool2d" | "adaptive_avg_pool3d" => {
            |call| means(call, true)
        }
        "upsample_nearest1d"
        | "upsample_nearest2d"
        | "upsample_nearest3d"
        | "_upsample_nearest_exact1d"
        | "_upsample_nearest_exact2d"
        | "_upsample_nearest_exact3d" => |call| resampled(call, "upsample_nearest2d"),
        "upsample_linear1d"
        | "upsample_bilinear2d"
        | "upsample_trilinear3d"
        | "upsample_bicubic2d"
        | "_upsample_bilinear2d_aa"
        | "_upsample_bicubic2d_aa" => |call| resampled(call, "upsample_bilinear2d"),
        _ => return None,
    })
}

/// The sizes after samples and channels of a result.
fn extents(call: &Call, x: &Tensor) -> Option<Vec<u64>> {
    let shape = call.shape()?;
    (shape.rank() == x.shape().rank() && shape.rank() > 2).then(|| shape.dims()[2..].to_vec())
}

fn convolution(call: &Call, transposed: bool) -> Results {
    let (x, weight) = (call.x()?, call.tensor("weight")?);
    let bias = call.tensor("bias");
    let to = extents(call, &x)?;
    let rank = to.len();
    let is_row = |bias: &Tensor| bias.shape().rank() == 1;
    if weight.shape().rank() != rank + 2 || rank > 3 || !bias.as_ref().is_none_or(is_row) {
        return None;
    }
    let padding = match call.text("padding") {
        Some("same") => weight.shape().dims()[2..].iter().map(|n| n / 2).collect(),
        Some(_) => vec![0; rank],
        None => call.sizes("padding", rank, 0)?,
    };
    let groups = u64::try_from(call.int_or("groups", 1)?)
        .ok()
        .filter(|n| *n > 0)?;
    let windows = Windows {
        size: weight.shape().dims()[2..].to_vec(),
        stride: call.sizes("stride", rank, 1)?,
        padding,
        dilation: call.sizes("dilation", rank, 1)?,
        groups,
        native: call.program.config.native_convolutions,
    };
    let both = [&x, &weight];
    if transposed {
        let out = call
            .t
            .convolve_transposed(both, bias.as_ref(), &windows, &to);
        return one(out);
    }
    let out = call.t.convolve(both, bias.as_ref(), &windows, &to);
    one(match call.adapter() {
        Some(adapter) => adapters::convolved(call.t, adapter, (&x, out), &windows),
        None => out,
    })
}

fn largest(call: &Call, with_places: bool) -> Results {
    let x = call.x()?;
    let to = extents(call, &x)?;
    let [values, places] = call.t.pool_largest(&x, &to);
    Some(if with_places {
        vec![values, places]
    } else {
        vec![values]
    })
}

fn means(call: &Call, adaptive: bool) -> Results {
    let x = call.x()?;
    let to = extents(call, &x)?;
    let one_each = to.iter().all(|&n| n == 1);
    if adaptive && one_each {
        // A mean over all places (`adaptive_avg_pool2d`, `AdaptiveAveragePooling.cpp`).
        let dims: Vec<usize> = (2..x.shape().rank()).collect();
        return one(call.t.mean_over(&x, &dims, true));
    }
    one(call.t.pool_means(&x, &to))
}

fn resampled(call: &Call, op: &'static str) -> Results {
    let x = call.x()?;
    let to = extents(call, &x)?;
    one(call.t.resample(op, &x, &to))
}

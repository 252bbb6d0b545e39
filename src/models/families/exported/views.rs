//! Views, and what joins and copies tensors.

use super::call::{Arm, Call, Results, axis, has_room, one};
use crate::tape::{Steps, Tensor};
use crate::units::Shape;

/// The arm of an operation.
pub(super) fn find(name: &str) -> Option<Arm> {
    Some(match name {
        "view" | "_unsafe_view" | "reshape" | "reshape_as" | "view_as" | "flatten"
        | "unflatten" | "ravel" => reshape,
        "transpose" | "swapaxes" | "swapdims" => transpose,
        "t" | "numpy_T" | "mT" | "mH" | "matrix_H" => |call| {
            let x = call.x()?;
            one(if x.shape().rank() < 2 {
                x
            } else {
                call.t.transpose(&x, -2, -1)
            })
        },
        "permute" => permute,
        "movedim" | "moveaxis" => movedim,
        "unsqueeze" => unsqueeze,
        "squeeze" => squeeze,
        "expand" | "expand_as" | "broadcast_to" => expand,
        "broadcast_tensors" => broadcast_tensors,
        "slice" => slice,
        "narrow" => narrow,
        "select" => select,
        "chunk" => chunk,
        "split" | "split_with_sizes" => split,
        "unbind" => |call| {
            let x = call.x()?;
            let dim = call.axis_or(&x, "dim", 0)?;
            Some(call.t.unbound(&x, dim))
        },
        "cat" | "concat" | "concatenate" => cat,
        "stack" => stack,
        "repeat" | "tile" => |call| {
            let x = call.x()?;
            one(call.t.repeated_to(&x, call.shape()?))
        },
        "repeat_interleave" => repeat_interleave,
        "pad" | "constant_pad_nd" => pad,
        "unfold" => |call| {
            let x = call.x()?;
            let dim = call.axis_or(&x, "dimension", 0)?;
            let number = |name| u64::try_from(call.int(name)?).ok().filter(|n| *n > 0);
            let (size, step) = (number("size")?, number("step")?);
            (has_room(&x) && size <= *x.shape().dims().get(dim)?)
                .then(|| vec![call.t.windows_along(&x, dim, size, step)])
        },
        "im2col" => |call| one(call.t.columns("im2col", &call.x()?, call.shape()?)),
        "col2im" => |call| one(call.t.columns("col2im", &call.x()?, call.shape()?)),
        "detach" | "lift_fresh" => |call| one(call.x()?.detach()),
        "alias" => |call| call.x().map(|x| vec![x]),
        "lift_fresh_copy" => |call| one(call.t.clone_contiguous(&call.x()?.detach())),
        "pixel_shuffle" | "pixel_unshuffle" | "channel_shuffle" => rearranged,
        _ => return None,
    })
}

fn reshape(call: &Call) -> Results {
    let (x, shape) = (call.x()?, call.shape()?);
    if shape.numel() != x.numel() {
        return None;
    }
    // `flatten` of one dimension, and a `reshape` to what it is, give x itself.
    if shape == *x.shape() && call.name() == "flatten" {
        return one(x);
    }
    one(call.t.reshape(&x, shape))
}

fn transpose(call: &Call) -> Results {
    let x = call.x()?;
    let first = if call.has("dim0") {
        ["dim0", "dim1"]
    } else {
        ["axis0", "axis1"]
    };
    let [a, b] = first.map(|name| call.axis_or(&x, name, 0));
    let (a, b) = (a?, b?);
    (a.max(b) < x.shape().rank())
        .then(|| vec![call.t.transpose(&x, a.cast_signed(), b.cast_signed())])
}

fn permute(call: &Call) -> Results {
    let x = call.x()?;
    let order = call.ints("dims")?;
    let order: Vec<usize> = order
        .iter()
        .map(|&dim| axis(x.shape().rank(), dim))
        .collect::<Option<_>>()?;
    permuted(call, &x, &order)
}

fn permuted(call: &Call, x: &Tensor, order: &[usize]) -> Results {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    sorted
        .iter()
        .copied()
        .eq(0..x.shape().rank())
        .then(|| vec![call.t.permute(x, order)])
}

fn movedim(call: &Call) -> Results {
    let x = call.x()?;
    let axes = |name| -> Option<Vec<usize>> {
        call.ints(name)?
            .iter()
            .map(|&dim| axis(x.shape().rank(), dim))
            .collect()
    };
    let (from, to) = (axes("source")?, axes("destination")?);
    let rank = x.shape().rank();
    let mut order: Vec<Option<usize>> = vec![None; rank];
    for (from, to) in from.iter().zip(&to) {
        order[*to] = Some(*from);
    }
    let mut rest = (0..rank).filter(|d| !from.contains(d));
    let order: Option<Vec<usize>> = order
        .into_iter()
        .map(|d| d.or_else(|| rest.next()))
        .collect();
    permuted(call, &x, &order?)
}

fn unsqueeze(call: &Call) -> Results {
    let x = call.x()?;
    let rank = i64::try_from(x.shape().rank()).ok()? + 1;
    let dim = call.int("dim")?;
    let dim = usize::try_from(if dim < 0 { dim + rank } else { dim }).ok()?;
    (dim <= x.shape().rank() && has_room(&x)).then(|| vec![call.t.unsqueeze(&x, dim)])
}

fn squeeze(call: &Call) -> Results {
    let (x, shape) = (call.x()?, call.shape()?);
    (shape.numel() == x.numel()).then(|| vec![call.t.reshape(&x, shape)])
}

fn expand(call: &Call) -> Results {
    let (x, shape) = (call.x()?, call.shape()?);
    broadcasts(&x, &shape).then(|| vec![call.t.expand(&x, shape)])
}

/// Whether a tensor can be seen with a shape by repeating it.
fn broadcasts(x: &Tensor, shape: &Shape) -> bool {
    let (own, all) = (x.shape().dims(), shape.dims());
    own.len() <= all.len()
        && own
            .iter()
            .rev()
            .zip(all.iter().rev())
            .all(|(own, all)| *own == 1 || own == all)
}

fn broadcast_tensors(call: &Call) -> Results {
    let all = call.tensors("tensors")?;
    let each = (0..).zip(&all).map(|(at, x)| {
        let (shape, _) = call.result(at)?;
        broadcasts(x, &shape).then(|| call.t.expand(x, shape))
    });
    each.collect()
}

fn slice(call: &Call) -> Results {
    let x = call.x()?;
    let dim = call.axis_or(&x, "dim", 0)?;
    let size = i64::try_from(*x.shape().dims().get(dim)?).ok()?;
    let bound = |n: i64| (if n < 0 { n + size } else { n }).clamp(0, size);
    let start = bound(call.int_or("start", 0)?);
    let end = bound(call.int_or("end", size)?).max(start);
    let step = call.int_or("step", 1)?;
    if step == 1 {
        let (start, end) = (u64::try_from(start).ok()?, u64::try_from(end).ok()?);
        if start == 0 && end == x.shape().dims()[dim] {
            // Python's indexing passes by whole dimensions.
            return one(x);
        }
        return one(call.t.slice(&x, dim.cast_signed(), start, end));
    }
    let step = u64::try_from(step).ok().filter(|step| *step > 0)?;
    let count = u64::try_from(end - start).ok()?.div_ceil(step);
    {
        let start = u64::try_from(start).ok()?;
        one(call.t.stepped(&x, dim, Steps { start, count, step }))
    }
}

fn narrow(call: &Call) -> Results {
    let x = call.x()?;
    let dim = call.axis_or(&x, "dim", 0)?;
    let size = *x.shape().dims().get(dim)?;
    let start = call.int("start")?;
    let start = if start < 0 {
        start + i64::try_from(size).ok()?
    } else {
        start
    };
    let start = u64::try_from(start).ok()?;
    let end = start.checked_add(u64::try_from(call.int("length")?).ok()?)?;
    (end <= size).then(|| vec![call.t.slice(&x, dim.cast_signed(), start, end)])
}

fn select(call: &Call) -> Results {
    let x = call.x()?;
    let dim = call.axis_or(&x, "dim", 0)?;
    (dim < x.shape().rank()).then(|| vec![call.t.select(&x, dim)])
}

fn chunk(call: &Call) -> Results {
    let x = call.x()?;
    let dim = call.axis_or(&x, "dim", 0)?;
    parts(call, &x, dim)
}

fn split(call: &Call) -> Results {
    let x = call.x()?;
    let dim = call.axis_or(&x, "dim", 0)?;
    parts(call, &x, dim)
}

/// Parts of x along a dimension, of the sizes that the graph says.
fn parts(call: &Call, x: &Tensor, dim: usize) -> Results {
    let sizes = (0..call.node.outputs.len()).map(|at| {
        let (shape, _) = call.result(at)?;
        shape.dims().get(dim).copied()
    });
    let sizes: Vec<u64> = sizes.collect::<Option<_>>()?;
    (sizes.iter().sum::<u64>() == *x.shape().dims().get(dim)?)
        .then(|| call.t.parts(x, &sizes, dim.cast_signed()))
}

fn cat(call: &Call) -> Results {
    let all = call.tensors("tensors")?;
    // An empty vector joins anything.
    let parts: Vec<&Tensor> = all
        .iter()
        .filter(|part| part.numel() > 0 || part.shape().rank() != 1)
        .collect();
    let first = *parts.first()?;
    let dim = call.axis_or(first, "dim", 0)?;
    let alike = |part: &&&Tensor| part.shape().rank() == first.shape().rank();
    (parts.iter().filter(alike).count() == parts.len() && dim < first.shape().rank())
        .then(|| vec![call.t.cat(&parts, dim.cast_signed())])
}

fn stack(call: &Call) -> Results {
    let all = call.tensors("tensors")?;
    let first = all.first()?;
    let rank = i64::try_from(first.shape().rank()).ok()? + 1;
    let dim = call.int_or("dim", 0)?;
    let dim = usize::try_from(if dim < 0 { dim + rank } else { dim }).ok()?;
    let alike = all.iter().all(|part| part.shape() == first.shape());
    let parts: Vec<&Tensor> = all.iter().collect();
    (alike && has_room(first) && dim <= first.shape().rank())
        .then(|| vec![call.t.stacked(&parts, dim)])
}

fn repeat_interleave(call: &Call) -> Results {
    let x = call.x()?;
    let times = u64::try_from(call.int("repeats")?).ok()?;
    let dim = call.axis_or(&x, "dim", 0)?;
    (call.has("dim") && has_room(&x)).then(|| vec![call.t.repeat_interleave(&x, dim, times)])
}

fn pad(call: &Call) -> Results {
    let (x, shape) = (call.x()?, call.shape()?);
    if shape.rank() != x.shape().rank() {
        return None;
    }
    match call.text("mode") {
        None | Some("constant") => one(call.t.pad(&x, shape)),
        _ => one(call.t.pad_mirrored(&x, shape)),
    }
}

/// A copy in another order: seen with more dimensions, permuted, and made one again.
fn rearranged(call: &Call) -> Results {
    let (x, shape) = (call.x()?, call.shape()?);
    (shape.numel() == x.numel()).then(|| {
        let copy = call.t.clone_contiguous(&x);
        vec![call.t.view(&copy, shape)]
    })
}

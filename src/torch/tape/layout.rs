//! Strides: where PyTorch places elements, because it decides when a view is free and when a
//! `reshape` copies.

use crate::units::{MAX_DIMS, Shape, sort_short};

/// Strides in elements, one a dimension.
pub(super) type Strides = Shape;

/// Strides of a row-major tensor.
pub(super) fn contiguous(shape: &Shape) -> Strides {
    let mut strides = *shape;
    let mut step = 1;
    for (stride, &size) in strides.dims_mut().iter_mut().zip(shape.dims()).rev() {
        *stride = step;
        step *= size.max(1);
    }
    strides
}

/// Whether elements lie at the same places with either of two strides.
pub(super) fn is_same(shape: &Shape, [a, b]: [&Strides; 2]) -> bool {
    let mut dims = shape.dims().iter().zip(a.dims().iter().zip(b.dims()));
    dims.all(|(&size, (a, b))| size == 1 || a == b)
}

/// `Tensor.is_contiguous()`.
pub(super) fn is_contiguous(shape: &Shape, strides: &Strides) -> bool {
    let mut step = 1;
    for (&size, &stride) in shape.dims().iter().zip(strides.dims()).rev() {
        if size != 1 {
            if stride != step {
                return false;
            }
            step *= size;
        }
    }
    true
}

/// `is_non_overlapping_and_dense`: some order of the dimensions is row-major.
pub(super) fn is_dense(shape: &Shape, strides: &Strides) -> bool {
    if is_contiguous(shape, strides) {
        return true;
    }
    let mut order = [0usize; MAX_DIMS];
    let order = &mut order[..shape.rank()];
    order.iter_mut().enumerate().for_each(|(i, at)| *at = i);
    sort_short(order, |&i| strides.dims()[i]);
    let mut step = 1;
    for &i in order.iter() {
        let size = shape.dims()[i];
        if size != 1 {
            if strides.dims()[i] != step {
                return false;
            }
            step *= size;
        }
    }
    true
}

/// Whether rows, whose elements lie side by side, are at equal distances.
pub(super) fn has_even_rows(shape: &Shape, strides: &Strides) -> bool {
    let sizes = shape.dims().iter().zip(strides.dims());
    let mut outward = sizes.rev().filter(|(size, _)| **size != 1).peekable();
    if shape.dims().last() != Some(&1) && outward.next().is_some_and(|(_, &stride)| stride != 1) {
        return false;
    }
    let mut expected = outward.peek().map(|(_, stride)| **stride);
    outward.all(|(&size, &stride)| {
        let follows = expected == Some(stride);
        expected = Some(stride * size);
        follows
    })
}

/// Whether the second of four dimensions lies innermost, then the fourth, the third and the first
/// (`is_channels_last_strides_2d`, `c10/core/MemoryFormat.h`, torch 2.15).
pub(super) fn is_channels_last(shape: &Shape, strides: &Strides) -> bool {
    let (sizes, steps) = (shape.dims(), strides.dims());
    if sizes.len() != 4 || steps[1] == 0 {
        return false;
    }
    let mut least = 0;
    [1, 3, 2, 0].into_iter().all(|d| {
        let follows = sizes[d] > 0 && steps[d] >= least && !(d == 0 && least == steps[1]);
        least = steps[d] * sizes[d];
        follows
    })
}

/// Strides of a view of `old` with shape `new`, or `None` where PyTorch has to copy
/// (`at::detail::computeStride`, torch 2.15).
pub(super) fn view(old: &Shape, strides: &Strides, new: &Shape) -> Option<Strides> {
    if old.numel() == 0 {
        return Some(contiguous(new));
    }
    let mut out = *new;
    let mut at = new.rank();
    let mut chunk_base = strides.dims().last().copied().unwrap_or(1);
    let mut old_numel = 1;
    let mut new_numel = 1;
    for d in (0..old.rank()).rev() {
        old_numel *= old.dims()[d];
        let ends =
            d == 0 || (old.dims()[d - 1] != 1 && strides.dims()[d - 1] != old_numel * chunk_base);
        if ends {
            while at > 0 && (new_numel < old_numel || new.dims()[at - 1] == 1) {
                at -= 1;
                out.dims_mut()[at] = new_numel * chunk_base;
                new_numel *= new.dims()[at];
            }
            if new_numel != old_numel {
                return None;
            }
            if d > 0 {
                chunk_base = strides.dims()[d - 1];
                old_numel = 1;
                new_numel = 1;
            }
        }
    }
    (at == 0).then_some(out)
}

/// Strides that an elementwise operation gives its result: `TensorIterator` keeps the order of
/// dimensions of its operands (`TensorIteratorBase::reorder_dimensions`, torch 2.15).
pub(super) fn elementwise(shape: &Shape, operands: &[(&Shape, Strides)]) -> Strides {
    if operands.iter().all(|(s, st)| is_contiguous(s, st)) {
        return contiguous(shape);
    }
    let rank = shape.rank();
    let stride = |operand: &(&Shape, Strides), d: usize| {
        let missing = rank - operand.0.rank();
        if d < missing || (operand.0.dims()[d - missing] == 1 && shape.dims()[d] != 1) {
            0
        } else {
            operand.1.dims()[d - missing]
        }
    };
    let swap = |a: usize, b: usize| {
        for operand in operands {
            let (x, y) = (stride(operand, a), stride(operand, b));
            if x == 0 || y == 0 {
                continue;
            }
            if x != y {
                return if x < y { -1 } else { 1 };
            }
            if shape.dims()[a] > shape.dims()[b] {
                return 1;
            }
        }
        0
    };
    let mut order = [0usize; MAX_DIMS];
    let order = &mut order[..rank];
    order
        .iter_mut()
        .enumerate()
        .for_each(|(i, at)| *at = rank - 1 - i);
    for i in 1..rank {
        let mut upper = i;
        for lower in (0..i).rev() {
            match swap(order[lower], order[upper]) {
                1 => {
                    order.swap(lower, upper);
                    upper = lower;
                }
                -1 => break,
                _ => {}
            }
        }
    }
    let mut out = *shape;
    let mut step = 1;
    for &d in order.iter() {
        out.dims_mut()[d] = step;
        step *= shape.dims()[d].max(1);
    }
    out
}

/// Strides of images of shape `of` whose channels lie last, where those of the images `shape` and `strides` do
/// (`suggest_memory_format`, `c10/core/MemoryFormat.h`, torch 2.15).
pub(super) fn channels_last(shape: &Shape, strides: &Shape, of: &Shape) -> Option<Shape> {
    let last = |dims: &[u64]| match *dims {
        [_, channels, height, width] => Some(Shape::new(&[
            height * width * channels,
            1,
            width * channels,
            channels,
        ])),
        _ => None,
    };
    let alike = last(shape.dims())? == *strides && !is_contiguous(shape, strides);
    alike.then(|| last(of.dims())).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_transposed_heads_needs_a_copy() {
        // [B, A, S, D] seen through a transpose of [B, S, A, D].
        let shape = Shape::from([2, 4, 8, 16]);
        let strides = Shape::from([8 * 64, 16, 64, 1]);
        assert!(is_dense(&shape, &strides));
        assert!(!is_contiguous(&shape, &strides));
        assert_eq!(view(&shape, &strides, &Shape::from([8, 8, 16])), None);
    }

    #[test]
    fn splitting_a_dimension_is_a_view() {
        let shape = Shape::from([2, 8, 64]);
        let strides = contiguous(&shape);
        let out = view(&shape, &strides, &Shape::from([2, 8, 4, 16]));
        assert_eq!(out, Some(Shape::from([512, 64, 16, 1])));
    }

    #[test]
    fn elementwise_results_keep_the_order_of_dimensions() {
        let shape = Shape::from([2, 4, 8, 16]);
        let transposed = Shape::from([8 * 64, 16, 64, 1]);
        let row = (
            Shape::from([1, 1, 8, 16]),
            contiguous(&Shape::from([1, 1, 8, 16])),
        );
        let out = elementwise(&shape, &[(&shape, transposed), (&row.0, row.1)]);
        assert_eq!(out, transposed);
    }
}

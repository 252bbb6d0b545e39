//! Reductions, and the scratch that CUDA's reduction kernel takes when it splits one output over
//! several blocks.
//!
//! Source: `aten/src/ATen/native/cuda/Reduce.cuh` (`setReduceConfig`), torch 2.15.

use crate::tape::graph::Grads;
use crate::tape::{Backend, Tape, Tensor, layout};
use crate::units::{DType, MAX_DIMS, Shape, sort_short};
use smallvec::smallvec;

/// `mnt_wrapper::MAX_NUM_THREADS`: threads a block of a reduction has at most.
const MAX_THREADS: u64 = 512;
/// `input_vec_size`: elements that a thread loads at once along the input.
const INPUT_VECTOR: u64 = 4;
/// Bytes of the accumulator of a sum: every float is summed in float32.
const ACCUMULATOR: u64 = 4;
/// Bytes of the accumulator of `argmax`: a value with its index.
const VALUE_AND_INDEX: u64 = 16;
/// Bytes of the accumulator of `aminmax`: two values.
const TWO_VALUES: u64 = 8;
/// Bytes of the accumulator of truth values.
const FLAG: u64 = 1;
/// Threads of a warp.
const WARP: u64 = 32;
/// The farthest byte, and the most elements, that a kernel with 32-bit indices reaches
/// (`TensorIteratorBase::can_use_32bit_indexing`).
const INDEX_LIMIT: u64 = i32::MAX as u64;
/// `min_values_per_thread` and `max_values_per_thread`.
const VALUES_PER_THREAD: (u64, u64) = (16, 256);

/// Scratch of one reduction in bytes: partial results and semaphores.
type Scratch = Option<(u64, u64)>;

/// One dimension of the iteration: its size, the input's stride, whether it is reduced.
#[derive(Clone, Copy, Default)]
struct Dim {
    size: u64,
    stride: u64,
    reduced: bool,
}

/// The dimensions of the iteration, fastest first and merged where possible, as `TensorIterator`
/// orders them: reduced ones first, then by the input's stride.
fn iteration(shape: &Shape, strides: &Shape, reduced: &[bool]) -> ([Dim; MAX_DIMS], usize) {
    let mut dims = [Dim::default(); MAX_DIMS];
    let mut len = 0;
    for d in (0..shape.rank()).rev() {
        if shape.dims()[d] != 1 {
            dims[len] = Dim {
                size: shape.dims()[d],
                stride: strides.dims()[d],
                reduced: reduced[d],
            };
            len += 1;
        }
    }
    sort_short(&mut dims[..len], |d| (!d.reduced, d.stride));
    let mut merged = 0;
    for i in 1..len {
        let (last, next) = (dims[merged], dims[i]);
        if last.reduced == next.reduced && last.size * last.stride == next.stride {
            dims[merged].size *= next.size;
        } else {
            merged += 1;
            dims[merged] = next;
        }
    }
    (dims, if len == 0 { 0 } else { merged + 1 })
}

/// The largest power of two that is not above `n`.
fn last_pow2(n: u64) -> u64 {
    1 << n.max(1).ilog2()
}

/// Splits an iteration over elements of `element` bytes in halves, along the dimension that
/// reaches farthest, until 32-bit indices suffice, and calls `f` for each part in order
/// (`TensorIteratorBase::with_32bit_indexing`).
fn with_32bit_indexing(dims: &[Dim], element: u64, f: &mut impl FnMut(&[Dim])) {
    let extent = |d: &Dim| d.size.saturating_sub(1) * d.stride * element;
    let elements: u64 = dims.iter().map(|d| d.size).product();
    let farthest: u64 = dims.iter().map(extent).sum();
    let Some(at) = (0..dims.len()).max_by_key(|&i| extent(&dims[i])) else {
        return f(dims);
    };
    if elements <= INDEX_LIMIT && farthest < INDEX_LIMIT {
        return f(dims);
    }
    let mut part = [Dim::default(); MAX_DIMS];
    let part = &mut part[..dims.len()];
    part.copy_from_slice(dims);
    part[at].size = dims[at].size / 2;
    with_32bit_indexing(part, element, f);
    part[at].size = dims[at].size - dims[at].size / 2;
    with_32bit_indexing(part, element, f);
}

/// The scratch memory that `setReduceConfig` decides on.
fn scratch(dims: &[Dim], backend: &Backend, accumulator: u64) -> Scratch {
    let len = dims.len();
    let total: u64 = dims.iter().map(|d| d.size).product();
    let inputs: u64 = dims.iter().filter(|d| d.reduced).map(|d| d.size).product();
    let outputs = total / inputs.max(1);
    let first_kept = dims.iter().find(|d| !d.reduced);
    let along_input = match (dims.first(), first_kept) {
        (Some(first), Some(kept)) => first.reduced && first.stride < kept.stride,
        _ => true,
    };
    let (mut dim0, dim1) = if along_input {
        (inputs, outputs)
    } else {
        (outputs, inputs)
    };
    let fastest = if along_input {
        dims.first()
    } else {
        first_kept
    };
    let mut output_vector = 1;
    if fastest.is_none_or(|d| d.stride == 1) {
        if along_input {
            if dim0 > 128 && len == 1 {
                dim0 /= INPUT_VECTOR;
            }
        } else {
            output_vector = output_vector_size(dims);
            dim0 /= output_vector;
        }
    }
    let threads = MAX_THREADS / output_vector;
    let (width, height) = (last_pow2(dim0).min(threads), last_pow2(dim1).min(threads));
    let block_width = width.min(WARP);
    let block_height = height.min(threads / block_width);
    let block_width = width.min(threads / block_height);
    let (mut step_input, mut step_output) = (1, 1);
    if along_input {
        step_input *= block_width;
    } else {
        step_output *= block_width;
    }
    let values = inputs.div_ceil(step_input);
    let split = values >= block_height * 16 || values >= VALUES_PER_THREAD.1;
    if split {
        step_input *= block_height;
    } else {
        step_output *= block_height;
    }
    let values = inputs.div_ceil(step_input);
    let grid = (outputs / output_vector).div_ceil(step_output);
    let blocks_each = backend.threads_per_multiprocessor / (block_width * block_height);
    let target = backend.multiprocessors * blocks_each;
    if !split || values < VALUES_PER_THREAD.1 || grid > target {
        return None;
    }
    let blocks = target
        .div_ceil(grid)
        .min(values.div_ceil(VALUES_PER_THREAD.0))
        .max(values.div_ceil(VALUES_PER_THREAD.1));
    if blocks <= 1 {
        return None;
    }
    let mut bytes = accumulator * outputs * blocks;
    if !along_input {
        bytes *= block_width * output_vector;
    }
    Some((bytes, 4 * grid))
}

/// `get_output_vec_size`: how many neighbouring outputs a thread computes.
fn output_vector_size(dims: &[Dim]) -> u64 {
    let mut vector = 4;
    let kept = dims.iter().position(|d| !d.reduced);
    for (i, dim) in dims.iter().enumerate() {
        let n = if Some(i) == kept {
            dim.size
        } else {
            dim.stride
        };
        while n % vector != 0 {
            vector /= 2;
        }
    }
    vector
}

/// The shape of `x` without its last dimension.
pub(super) fn without_last(x: &Tensor) -> Shape {
    Shape::new(&x.shape().dims()[..x.shape().rank() - 1])
}

impl Tape {
    /// A reduction of `x` to `shape`: the result and, for a moment, the kernel's scratch.
    pub fn reduce(&self, op: &'static str, x: &Tensor, shape: Shape, dtype: DType) -> Tensor {
        let accumulator = match dtype {
            DType::Bool => FLAG,
            // Whole numbers and doubles are added in their own dtype.
            DType::Int64 | DType::Float64 => dtype.size(),
            _ => ACCUMULATOR,
        };
        let out = self.empty(op, shape, dtype);
        self.reduce_into(op, x, &out, accumulator);
        out
    }

    /// `x.argmax(-1)`: `[.., n]` to `[..]`.
    pub fn argmax_last(&self, x: &Tensor) -> Tensor {
        let out = self.empty("argmax", without_last(x), DType::Int64);
        self.argmax_into(x);
        out
    }

    /// `torch.argmax(x, -1, out=...)`.
    pub fn argmax_into(&self, x: &Tensor) {
        self.reduce_last_into("argmax", x, x, VALUE_AND_INDEX);
    }

    /// `torch.linalg.norm(x, dim=-1)` outside of the graph: `[.., n]` to `[..]`.
    pub fn norm_last(&self, x: &Tensor, dtype: DType) -> Tensor {
        const OP: &str = "linalg_vector_norm";
        let out = self.empty(OP, without_last(x), dtype);
        self.reduce_last_into(OP, x, &out, ACCUMULATOR);
        out
    }

    /// `x.norm(p=2, dim=-1, keepdim=True)`, under autocast to float32. Saves x and its result.
    pub fn length_last(&self, x: &Tensor) -> Tensor {
        let wide = self.autocast_dtype().map(|_| DType::Float32);
        let norm = self.norm_last(x, wide.unwrap_or(x.dtype()));
        let mut shape = *x.shape();
        let last = shape.rank() - 1;
        shape.dims_mut()[last] = 1;
        let out = norm.detach_as(shape, layout::contiguous(&shape));
        if !self.records(&[x]) {
            return out;
        }
        let saved = [x, &out.detach()].map(|saved| self.save(saved));
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [x, norm] = saved.each_ref().map(|saved| saved.unpack(t));
                smallvec![Some(t.along_lengths(g, &x, &norm))]
            }),
        )
    }

    /// The gradient of `x`, whose lengths are `norm`.
    pub(super) fn along_lengths(&self, g: &Tensor, x: &Tensor, norm: &Tensor) -> Tensor {
        let unit = self.elementwise("div", &[x, norm], norm.dtype());
        let _nothing = self.empty("eq", *norm.shape(), DType::Bool);
        self.elementwise("mul", &[g, &unit], g.dtype())
    }

    /// The scratch of a reduction of `x` over its last dimension to the dtype of `out`.
    fn reduce_last_into(&self, op: &'static str, x: &Tensor, out: &Tensor, accumulator: u64) {
        let mut shape = *x.shape();
        let last = shape.rank() - 1;
        shape.dims_mut()[last] = 1;
        self.reduce_into(op, x, &out.detach_as(shape, shape), accumulator);
    }

    /// The lowest and the highest element of x.
    pub fn extremes(&self, op: &'static str, x: &Tensor) -> [Tensor; 2] {
        let number = || self.empty(op, Shape::new(&[]), x.dtype());
        let out = [number(), number()];
        self.reduce_into(op, x, &out[0], TWO_VALUES);
        out
    }

    /// The scratch of a reduction of `x` to the shape of `out`.
    fn reduce_into(&self, op: &'static str, x: &Tensor, out: &Tensor, accumulator: u64) {
        let (shape, dtype) = (*out.shape(), out.dtype());
        let missing = x.shape().rank() - shape.rank();
        let mut reduced = [false; MAX_DIMS];
        for (d, reduced) in reduced.iter_mut().enumerate().take(x.shape().rank()) {
            *reduced = d < missing || (shape.dims()[d - missing] == 1 && x.shape().dims()[d] != 1);
        }
        let (dims, len) = iteration(x.shape(), &x.strides(), &reduced);
        let mut parts = smallvec::SmallVec::<[Scratch; 1]>::new();
        with_32bit_indexing(&dims[..len], x.dtype().size(), &mut |part| {
            parts.push(scratch(part, self.backend(), accumulator));
        });
        // Partial sums in half precision go through a buffer in float32.
        let sums = (parts.len() > 1 && dtype.is_half())
            .then(|| self.scratch(op, ACCUMULATOR * shape.numel()));
        for (partial, semaphores) in parts.into_iter().flatten() {
            let partial = self.scratch(op, partial);
            let semaphores = self.scratch(op, semaphores);
            drop(semaphores);
            drop(partial);
        }
        drop(sums);
    }

    /// `x.mean(-1, keepdim=True)`. Saves nothing; the gradient is expanded and divided.
    pub fn mean_last(&self, x: &Tensor) -> Tensor {
        let mut shape = *x.shape();
        let last = shape.rank() - 1;
        shape.dims_mut()[last] = 1;
        self.mean(x, shape)
    }

    /// `x.mean(0, keepdim=True)` of a matrix. Saves nothing; the gradient is expanded and divided.
    pub fn mean_first(&self, x: &Tensor) -> Tensor {
        self.mean(x, Shape::from([1, x.dim(1)]))
    }

    /// `x.mean(1)` of `[B, S, H]`: `[B, H]`. Saves nothing; the gradient is expanded and divided.
    pub fn mean_of_rows(&self, x: &Tensor) -> Tensor {
        let (b, columns) = (x.dim(0), x.dim(2));
        let mean = self.mean(x, Shape::from([b, 1, columns]));
        self.view(&mean, [b, columns])
    }

    /// `x.mean([-2, -1])` of `[B, C, H, W]`: `[B, C]`. Saves nothing; the gradient is expanded and divided.
    pub fn mean_of_pixels(&self, x: &Tensor) -> Tensor {
        let mean = self.mean(x, Shape::from([x.dim(0), x.dim(1), 1, 1]));
        self.view(&mean, [x.dim(0), x.dim(1)])
    }

    /// `x.mean()`. Saves nothing.
    pub fn mean_all(&self, x: &Tensor) -> Tensor {
        self.mean(x, Shape::new(&[]))
    }

    /// `x.sum()`. Saves nothing; the gradient is expanded.
    pub fn sum_all(&self, x: &Tensor) -> Tensor {
        let out = self.reduce("sum", x, Shape::new(&[]), x.dtype());
        let from = *x.shape();
        self.with_nothing_saved(x, out, move |t, g| t.expand(g, from))
    }

    pub(super) fn mean(&self, x: &Tensor, shape: Shape) -> Tensor {
        let out = self.reduce("mean", x, shape, x.dtype());
        let from = *x.shape();
        self.with_nothing_saved(x, out, move |t, g| t.empty("div", from, g.dtype()))
    }

    /// `not torch.isfinite(x).all()`, or with `at_once` false `torch.isinf(x).any() or
    /// torch.isnan(x).any()`, which finds nothing.
    pub fn looks_for_infinities(&self, x: &Tensor, at_once: bool) {
        const OP: &str = "isfinite";
        let flags = || self.elementwise(OP, &[x], DType::Bool);
        // The absolute value keeps x for a backward pass that never comes.
        let saved = self.records(&[x]).then(|| self.save(x));
        let absolute = self.like("abs", x);
        let below = flags();
        let found = if at_once {
            let same = flags();
            let found = flags();
            drop((same, below, absolute));
            found
        } else {
            drop(absolute);
            below
        };
        drop(saved);
        drop(self.reduce("all", &found, Shape::new(&[]), DType::Bool));
        drop(found);
        if !at_once {
            drop(self.reduce("any", &flags(), Shape::new(&[]), DType::Bool));
        }
    }

    /// `sum_to_size`, as autograd sums a gradient to the shape of a broadcast input: a view of the
    /// sum where dimensions are missing.
    pub(in crate::tape) fn sum_to_size(&self, x: &Tensor, shape: &Shape) -> Tensor {
        if shape.rank() > x.shape().rank() {
            // No sum of it, which only a graph that is damaged asks for.
            return self.empty("sum", *shape, x.dtype());
        }
        let sum = self.reduce("sum", x, *shape, x.dtype());
        if x.shape().rank() > shape.rank() {
            sum.view_with(*shape, sum.strides(), None)
        } else {
            sum
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A100: Backend = Backend {
        gemm_workspace: 0,
        gemm_bias_workspace: 0,
        gemm_workspace_persistent: false,
        gemm_bias_workspace_persistent: false,
        bias_may_be_matrix: true,
        multiprocessors: 108,
        threads_per_multiprocessor: 2048,
        sorts_by_needed_bits: true,
        sampling_is_recent: true,
        sdpa_broadcasts_heads: true,
        flash_keeps_generator: true,
        efficient_keeps_generator: true,
        foreach_norm_packs_chunks: true,
        functions_release_gradients: true,
        kept_casts_get_gradients: true,
        grouped_mm_waits: true,
        rms_norm_is_fused: true,
        fla: crate::tape::FlaVersion::V060,
        liger: crate::tape::LigerRelease::V085,
    };

    /// Measured: scratch that the allocator saw on compute capability 8.0 with 108 SMs.
    #[test]
    fn scratch_is_what_the_kernel_takes() {
        let rows = |n, m| {
            let (dims, len) = iteration(&Shape::from([n, m]), &Shape::from([m, 1]), &[true, false]);
            scratch(&dims[..len], &A100, ACCUMULATOR)
        };
        assert_eq!(rows(2048, 2048), Some((33_554_432, 64)));
        assert_eq!(rows(2048, 128), Some((2_097_152, 4)));
        assert_eq!(rows(256, 2048), None);
    }

    /// Measured: the embedding's gradient of Qwen2.5-7B in float32 reaches beyond 2 GiB.
    #[test]
    fn what_reaches_beyond_two_gibibytes_is_reduced_in_parts() {
        let (dims, len) = iteration(
            &Shape::from([152_064, 3_584]),
            &Shape::from([3_584, 1]),
            &[true, false],
        );
        let mut parts = Vec::new();
        with_32bit_indexing(&dims[..len], 4, &mut |part| {
            parts.push(scratch(part, &A100, ACCUMULATOR));
        });
        assert_eq!(parts, [Some((137_625_600, 112)); 2]);
    }
}

//! Attention of the flash-attn package, and the rows that its padded batches are packed from.
//!
//! Source: flash-attn 2.8.3, `flash_attn_interface.py`, `bert_padding.py` and
//! `csrc/flash_attn/flash_api.cpp`.

use super::embedding::sort_storage;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

/// Heads are padded to a multiple of this many columns.
const HEAD_ALIGNMENT: u64 = 8;
/// Rows of a block of queries, to which the accumulators of backward are rounded.
const QUERY_BLOCK: u64 = 128;
/// Bytes of the random generator's seed and offset.
const GENERATOR: u64 = 16;

/// Heads of all samples, queries, keys, and columns of those and of values. Sequences of a packed batch are as long as
/// one another.
fn sizes([q, k, v]: [&Tensor; 3], packed: Option<u64>) -> ([u64; 3], [u64; 2]) {
    let columns = [q.dim(-1), v.dim(-1)];
    let (heads, [queries, keys]) = (q.dim(-2), [q, k].map(|x| x.dim(-3)));
    let sizes = match packed {
        Some(count) => [heads, queries, keys / count.max(1)],
        None => [heads * q.dim(0), queries, keys],
    };
    (sizes, columns)
}

/// The sequences of a packed batch.
pub struct Packed<'a> {
    /// The beginning of each sequence and the end of the last one, in 32-bit integers.
    pub boundaries: &'a Tensor,
    /// Sequences.
    pub count: u64,
}

impl Tape {
    /// `flash_attn_func(q, k, v)` of `[B, S, A, D]`, or `flash_attn_varlen_func` of packed
    /// sequences `[N, A, D]`; k and v may have fewer heads. Saves q, k, v, the result, the log of
    /// the softmax's sums and the generator's state.
    pub fn flash_attn(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        packed: Option<&Packed>,
        dropout: bool,
    ) -> Tensor {
        const OP: &str = "flash_attn";
        let records = self.records(&[q, k, v]);
        let (head_dim, padded) = (q.dim(-1), [q, k, v].map(|x| self.aligned_heads(x)));
        let full = self.like(OP, &padded[0]);
        let (a, s) = (q.dim(-2), q.dim(-3));
        let (sizes, columns) = sizes(
            [&padded[0], &padded[1], &padded[2]],
            packed.map(|p| p.count),
        );
        self.attends(sizes, columns);
        let sums = match packed {
            Some(_) => Shape::from([a, s]),
            None => Shape::from([q.dim(0), a, s]),
        };
        let sums = self.empty(OP, sums, DType::Float32);
        let partials = (packed.is_none() && !dropout)
            .then(|| self.flash_partial_results(OP, q.dim(0) * a, s, k.dim(-3), padded[0].dim(-1)));
        let generator = self.empty(OP, Shape::from([GENERATOR]), DType::UInt8);
        drop(partials);
        let mut shape = *full.shape();
        let last = shape.rank() - 1;
        shape.dims_mut()[last] = head_dim;
        let out = full.view_with(shape, full.strides(), None);
        if !records {
            return out;
        }
        let [pq, pk, pv] = &padded;
        let mut saved = vec![
            self.save(pq),
            self.save(pk),
            self.save(pv),
            self.save(&full),
            self.save(&sums),
        ];
        saved.extend(packed.map(|packed| self.save(packed.boundaries)));
        saved.push(self.save(&generator));
        let count = packed.map(|packed| packed.count);
        drop((full, sums, generator));
        self.attach(
            &[q, k, v],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let kept: Vec<Tensor> = saved.iter().map(|saved| saved.unpack(t)).collect();
                t.flash_attn_backward(g, &kept, count)
            }),
        )
    }

    /// Gradients of q, k and v from the gradient of the result and the saved tensors.
    fn flash_attn_backward(&self, g: &Tensor, kept: &[Tensor], count: Option<u64>) -> Grads {
        const OP: &str = "flash_attn_backward";
        let [q, k, v, ..] = kept else {
            return Grads::new();
        };
        let grads = [q, k, v].map(|x| self.like(OP, x));
        let (sizes, columns) = sizes([q, k, v], count);
        self.attends_backward(sizes, columns);
        let _grad = self.aligned_heads(g);
        let (a, s, d) = (q.dim(-2), q.dim(-3), q.dim(-1));
        let rounded = if d <= 128 { 32 } else { 64 };
        let rounded = d.next_multiple_of(rounded);
        let (rows, accumulated) = if let Some(count) = count {
            let rows = s + QUERY_BLOCK * count;
            (Shape::from([a, rows]), Shape::from([rows, a, rounded]))
        } else {
            let (b, rows) = (q.dim(0), s.next_multiple_of(QUERY_BLOCK));
            (
                Shape::from([b, a, rows]),
                Shape::from([b, rows, a, rounded]),
            )
        };
        {
            let _products = self.empty(OP, rows, DType::Float32);
            let _accumulated = self.empty(OP, accumulated, DType::Float32);
            // Gradients of shared keys and values are summed over the query heads.
            let mut expanded = *k.shape();
            let heads = expanded.rank() - 2;
            expanded.dims_mut()[heads] = a;
            let _expanded =
                (k.dim(-2) != a).then(|| [k, v].map(|x| self.empty(OP, expanded, x.dtype())));
        }
        let narrow = |grad: &Tensor| {
            let mut shape = *grad.shape();
            let last = shape.rank() - 1;
            shape.dims_mut()[last] = g.dim(-1);
            Some(grad.view_with(shape, grad.strides(), None))
        };
        grads.iter().map(narrow).collect()
    }

    /// `pad(x, [0, ..])` outside of the graph: heads of a multiple of 8 columns.
    fn aligned_heads(&self, x: &Tensor) -> Tensor {
        let aligned = x.dim(-1).next_multiple_of(HEAD_ALIGNMENT);
        if aligned == x.dim(-1) {
            return x.clone();
        }
        let mut shape = *x.shape();
        let last = shape.rank() - 1;
        shape.dims_mut()[last] = aligned;
        self.empty("constant_pad_nd", shape, x.dtype())
    }

    /// `x[rows]` of `[N, ..]`. Saves the rows; its gradient is added to zeros row by row.
    pub fn index_rows(&self, x: &Tensor, rows: &Tensor) -> Tensor {
        self.index_along(x, 0, rows)
    }

    /// `x[rows]` along `axis`. Saves the rows; its gradient is added to zeros row by row.
    pub fn index_along(&self, x: &Tensor, axis: usize, rows: &Tensor) -> Tensor {
        let mut shape = *x.shape();
        shape.dims_mut()[axis] = rows.numel();
        let saved = self.records(&[x]).then(|| self.save(rows));
        let out = self.empty("index", shape, x.dtype());
        let Some(saved) = saved else { return out };
        let from = *x.shape();
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let rows = saved.unpack(t);
                let grad = t.empty("new_zeros", from, g.dtype());
                t.index_put(g, rows.numel(), 1, from.dims()[axis]);
                smallvec![Some(grad)]
            }),
        )
    }

    /// `x[rows]` of `[N, ..]` for n rows whose numbers are on the host: they are copied whenever they are
    /// read. Its gradient is added to zeros row by row.
    pub fn index_by_host(&self, x: &Tensor, n: u64) -> Tensor {
        let mut shape = *x.shape();
        shape.dims_mut()[0] = n;
        let copied = move |t: &Self, op| t.empty(op, Shape::from([n]), DType::Int64);
        let out = {
            let _rows = copied(self, "index");
            self.empty("index", shape, x.dtype())
        };
        if !self.records(&[x]) {
            return out;
        }
        let from = *x.shape();
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let grad = t.empty("new_zeros", from, g.dtype());
                t.put_sorted(g, n, from.dims()[0], copied(t, "index_put"));
                smallvec![Some(grad)]
            }),
        )
    }

    /// The temporaries of `_index_put_impl_(indices, values, accumulate=True, unsafe=True)` for `n` indices of
    /// `dimensions` dimensions, which together select one of `of` rows (`index_put_with_sort_kernel`,
    /// `aten/src/ATen/native/cuda/Indexing.cu`, torch 2.15).
    pub(super) fn index_put(&self, values: &Tensor, n: u64, dimensions: u64, of: u64) {
        let linear = self.linear_indices(n, dimensions);
        self.put_sorted(values, n, of, linear);
    }

    /// One number for each of `n` indices of `dimensions` dimensions.
    pub(super) fn linear_indices(&self, n: u64, dimensions: u64) -> Tensor {
        let indices = || self.empty("index_put", Shape::from([n]), DType::Int64);
        let position = || {
            let _wrapped = indices();
            indices()
        };
        let linear = position();
        (1..dimensions).for_each(|_| drop(position()));
        linear
    }

    /// The rest of [`Self::index_put`], from its linear indices on, which this frees.
    pub(super) fn put_sorted(&self, values: &Tensor, n: u64, of: u64, linear: Tensor) {
        const OP: &str = "index_put";
        let indices = || self.empty(OP, Shape::from([n]), DType::Int64);
        let _values = self.contiguous(values);
        let sorted = (indices(), indices());
        {
            let _range = indices();
            let bits = u64::BITS - of.saturating_sub(1).max(1).leading_zeros();
            let _sort = self.scratch(OP, sort_storage(n, bits));
        }
        drop((sorted, linear));
    }

    /// `pad_input`: the rows of x put into zeros `[n, ..]`. Saves the rows.
    pub fn put_rows(&self, x: &Tensor, rows: &Tensor, n: u64) -> Tensor {
        let mut shape = *x.shape();
        shape.dims_mut()[0] = n;
        let out = self.empty("zeros", shape, x.dtype());
        if !self.records(&[x]) {
            return out;
        }
        let saved = self.save(rows);
        let from = *x.shape();
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _rows = saved.unpack(t);
                smallvec![Some(t.empty("index", from, g.dtype()))]
            }),
        )
    }
}

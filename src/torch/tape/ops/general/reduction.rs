//! Reductions over any dimensions.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor, layout};
use crate::units::{DType, Shape};
use smallvec::{SmallVec, smallvec};

/// Sizes of a shape.
type Sizes = SmallVec<[u64; 6]>;

/// The shape that is left when `dims` are reduced: with ones in their places, and without.
fn left(x: &Tensor, dims: &[usize]) -> [Shape; 2] {
    let mut kept = *x.shape();
    for &dim in dims {
        // A single number may be reduced over its dimension 0.
        if let Some(size) = kept.dims_mut().get_mut(dim) {
            *size = 1;
        }
    }
    let rest = (0..).zip(kept.dims()).filter(|(d, _)| !dims.contains(d));
    let rest: Sizes = rest.map(|(_, &size)| size).collect();
    [kept, Shape::new(&rest)]
}

impl Tape {
    /// A reduction of x over `dims`, viewed with the reduced dimensions or without.
    fn reduced(
        &self,
        op: &'static str,
        x: &Tensor,
        (dims, keepdim): (&[usize], bool),
        dtype: DType,
    ) -> Tensor {
        let [kept, without] = left(x, dims);
        let out = self.reduce(op, x, kept, dtype);
        if keepdim {
            out
        } else {
            out.detach_as(without, layout::contiguous(&without))
        }
    }

    /// The gradient of a reduction's result, with dimensions of size 1 in the places of the reduced ones.
    fn with_ones(&self, g: &Tensor, dims: &[usize], keepdim: bool) -> Tensor {
        if keepdim || g.shape().rank() == 0 {
            return g.clone();
        }
        let mut dims: SmallVec<[usize; 6]> = dims.into();
        dims.sort_unstable();
        dims.iter()
            .fold(g.clone(), |g, &dim| self.unsqueeze(&g, dim))
    }

    /// `x.sum(dims, keepdim)`, under autocast to float32. Saves nothing; the gradient is expanded.
    pub fn sum_over(&self, x: &Tensor, dims: &[usize], keepdim: bool) -> Tensor {
        let wide = self.autocast_dtype().is_some() && x.dtype().is_half();
        let dtype = match x.dtype() {
            DType::Bool | DType::UInt8 | DType::Int32 => DType::Int64,
            _ if wide => DType::Float32,
            own => own,
        };
        let out = self.reduced("sum", x, (dims, keepdim), dtype);
        let from = *x.shape();
        let dims: SmallVec<[usize; 6]> = dims.into();
        self.with_nothing_saved(x, out, move |t, g| {
            let g = t.with_ones(g, &dims, keepdim);
            t.expand(&g, from)
        })
    }

    /// `x.mean(dims, keepdim)`. Saves nothing; the gradient is expanded and divided.
    pub fn mean_over(&self, x: &Tensor, dims: &[usize], keepdim: bool) -> Tensor {
        let out = self.reduced("mean", x, (dims, keepdim), x.dtype());
        let from = *x.shape();
        self.with_nothing_saved(x, out, move |t, g| t.empty("div", from, g.dtype()))
    }

    /// `x.max(dim)` and the like: the values and where they are. Saves the places.
    pub fn extreme_over(&self, x: &Tensor, dim: usize, keepdim: bool) -> [Tensor; 2] {
        const OP: &str = "max";
        let [kept, without] = left(x, &[dim]);
        let shape = if keepdim { kept } else { without };
        let values = self.empty(OP, shape, x.dtype());
        let places = self.empty(OP, shape, DType::Int64);
        if !self.records(&[x]) {
            return [values, places];
        }
        let saved = self.save(&places);
        let from = *x.shape();
        let values = self.with_saved(x, values, Some(saved), move |t, g, _| {
            t.empty("scatter", from, g.dtype())
        });
        [values, places]
    }

    /// `x.amax(dims, keepdim)` or `x.amin`. Saves x and its result.
    pub fn amax_over(&self, x: &Tensor, dims: &[usize], keepdim: bool) -> Tensor {
        const OP: &str = "amax";
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.reduced(OP, x, (dims, keepdim), x.dtype());
        let Some(saved) = saved else { return out };
        let result = self.save(&out.detach());
        let dims: SmallVec<[usize; 6]> = dims.into();
        self.with_saved(x, out, Some(saved), move |t, g, x| {
            let _result = result.unpack(t);
            let g = t.with_ones(g, &dims, keepdim);
            let _mask = t.elementwise("eq", &[x], DType::Bool);
            let _count = t.like("sum", &g);
            let _share = t.elementwise("div", &[&g, x], x.dtype());
            t.like("mul", x)
        })
    }

    /// `x.var(dims)` or `x.std(dims)`. Saves x, and the result of `std`.
    pub fn spread_over(
        &self,
        op: &'static str,
        x: &Tensor,
        (dims, keepdim): (&[usize], bool),
    ) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.reduced(op, x, (dims, keepdim), x.dtype());
        let Some(saved) = saved else { return out };
        let result = (op == "std").then(|| self.save(&out.detach()));
        let dims: SmallVec<[usize; 6]> = dims.into();
        self.with_saved(x, out, Some(saved), move |t, g, x| {
            let _result = result.as_ref().map(|result| result.unpack(t));
            let _scaled = t.like("mul", g);
            let [kept, _] = left(x, &dims);
            let _mean = t.reduce("mean", x, kept, x.dtype());
            let _centered = t.like("sub", x);
            t.like("mul", x)
        })
    }

    /// `torch.linalg.vector_norm(x, dim=dims)`, under autocast to float32. Saves x and its result.
    pub fn length_over(&self, x: &Tensor, dims: &[usize], keepdim: bool) -> Tensor {
        let wide = self.autocast_dtype().is_some() && x.dtype().is_half();
        let dtype = if wide { DType::Float32 } else { x.dtype() };
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.reduced("linalg_vector_norm", x, (dims, keepdim), dtype);
        let Some(saved) = saved else { return out };
        let norm = self.save(&out.detach());
        let dims: SmallVec<[usize; 6]> = dims.into();
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let (x, norm) = (saved.unpack(t), norm.unpack(t));
                let [g, norm] = [g, &norm].map(|rows| t.with_ones(rows, &dims, keepdim));
                smallvec![Some(t.along_lengths(&g, &x, &norm))]
            }),
        )
    }
}

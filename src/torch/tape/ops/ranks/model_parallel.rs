//! Layers that Megatron-Core divides among ranks, and the collectives between them, whose tensors have the
//! sequence first: `[S, B, ..]`.
//!
//! Source: `megatron/core/tensor_parallel/{layers,mappings}.py`, megatron-core 0.16.1.

use crate::tape::graph::{Backward, Grads};
use crate::tape::{Collective, Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;
use std::rc::Rc;

/// Gives a lasting buffer of this number of elements of this type: the library's global memory buffer.
pub type Gathered = Rc<dyn Fn(&Tape, u64, DType) -> Tensor>;

/// The shape with another first dimension.
fn with_first(shape: &Shape, first: u64) -> Shape {
    let mut shape = *shape;
    shape.dims_mut()[0] = first;
    shape
}

impl Tape {
    /// `LinearWithGradAccumulationAndAsyncCommunication`: `[.., in]` and `[out, in]` to `[.., out]`. With the
    /// sequence in `parts` parts x is gathered into a buffer, in backward again, where its gradient is summed
    /// in parts; where x is `shared` its gradient is summed in place. Saves x and the weight.
    pub fn parallel_linear(
        &self,
        x: &Tensor,
        weight: &Tensor,
        parts: Option<(u64, Gathered)>,
        shared: bool,
    ) -> Tensor {
        let ranks = parts.as_ref().map_or(1, |(ranks, _)| *ranks);
        let last = x.shape().rank() - 1;
        let whole = with_first(x.shape(), x.dim(0) * ranks);
        let mut out_shape = whole;
        out_shape.dims_mut()[last] = weight.dim(0);
        let records = self.records(&[x, weight]);
        if let Some((_, gathered)) = &parts {
            drop(gathered(self, whole.numel(), x.dtype()));
            self.communicates_elements(Collective::AllGather, (whole.numel(), x.dtype()), ranks);
        }
        let out = self.product("mm", (out_shape, weight.dim(1)), x.dtype());
        if !records {
            return out;
        }
        let saved = [x, weight].map(|kept| self.save(kept));
        let needs = [x, weight].map(Tensor::requires_grad);
        let backward: Backward = Box::new(move |t, g| {
            let Some(g) = g.first().and_then(Option::as_ref) else {
                return Grads::new();
            };
            let [x, weight] = saved.each_ref().map(|saved| saved.unpack(t));
            if let Some((_, gathered)) = &parts {
                drop(gathered(t, whole.numel(), x.dtype()));
                let gathered = (whole.numel(), x.dtype());
                t.communicates_elements(Collective::AllGather, gathered, ranks);
                t.communicates_elements(Collective::ReduceScatter, gathered, ranks);
            }
            let of_whole = t.product("mm", (whole, weight.dim(0)), g.dtype());
            if shared {
                t.sums_on_ranks(&of_whole);
            }
            let _g = t.contiguous(g);
            let summed = parts
                .as_ref()
                .map(|_| t.empty("reduce_scatter_tensor", *x.shape(), x.dtype()));
            let of_weight = t.product(
                "mm",
                (*weight.shape(), g.numel() / weight.dim(0).max(1)),
                g.dtype(),
            );
            let of_x = summed.unwrap_or(of_whole);
            smallvec![needs[0].then_some(of_x), needs[1].then_some(of_weight)]
        });
        let [out] = self.function(&[x, weight], [out], backward);
        out
    }

    /// x itself, as a function gives it, which ranks sum in place; nothing is done with its gradient.
    pub fn summed_in_place(&self, x: &Tensor) -> Tensor {
        self.sums_on_ranks(x);
        self.passed_on(x)
    }

    /// x itself, as a function gives it.
    pub fn passed_on(&self, x: &Tensor) -> Tensor {
        self.view_node(x, *x.shape(), x.strides(), || {
            Box::new(|_, g| smallvec![g[0].clone()])
        })
    }

    /// `_ReduceScatterToSequenceParallelRegion`: sums of which each rank gets a part of the first dimension;
    /// the gradient is gathered.
    pub fn scattered_first(&self, x: &Tensor, ranks: u64) -> Tensor {
        let (whole, part) = (*x.shape(), with_first(x.shape(), x.dim(0) / ranks));
        let out = {
            let _x = self.contiguous(x);
            self.empty("reduce_scatter_tensor", part, x.dtype())
        };
        self.communicates(Collective::ReduceScatter, x.nbytes(), ranks);
        self.along_first(
            x,
            out,
            ("all_gather_into_tensor", Collective::AllGather),
            (whole, ranks),
        )
    }

    /// `_GatherFromSequenceParallelRegion`: parts of the first dimension gathered; the gradient is summed in
    /// parts.
    pub fn gathered_first(&self, x: &Tensor, ranks: u64) -> Tensor {
        let (part, whole) = (*x.shape(), with_first(x.shape(), x.dim(0) * ranks));
        let out = {
            let _x = self.contiguous(x);
            self.empty("all_gather_into_tensor", whole, x.dtype())
        };
        self.communicates(Collective::AllGather, out.nbytes(), ranks);
        let back = ("reduce_scatter_tensor", Collective::ReduceScatter);
        self.along_first(x, out, back, (part, ranks))
    }

    /// As [`Self::gathered_first`], but gathers into a buffer that stays, and so does the gradient.
    pub fn gathered_first_into(&self, x: &Tensor, ranks: u64, place: Gathered) -> Tensor {
        let (part, whole) = (*x.shape(), with_first(x.shape(), x.dim(0) * ranks));
        let out = place(self, whole.numel(), x.dtype()).part(whole);
        self.communicates(Collective::AllGather, out.nbytes(), ranks);
        if !self.records(&[x]) {
            return out;
        }
        let backward: Backward = Box::new(move |t, g| {
            smallvec![g.first().and_then(Option::as_ref).map(|g| {
                let _g = t.contiguous(g);
                t.communicates(Collective::ReduceScatter, g.nbytes(), ranks);
                place(t, part.numel(), g.dtype()).part(part)
            })]
        });
        let [out] = self.function(&[x], [out], backward);
        out
    }

    /// Puts a collective's result into the graph, whose gradient another one makes in this shape.
    fn along_first(
        &self,
        x: &Tensor,
        out: Tensor,
        (op, collective): (&'static str, Collective),
        (shape, ranks): (Shape, u64),
    ) -> Tensor {
        if !self.records(&[x]) {
            return out;
        }
        let backward: Backward = Box::new(move |t, g| {
            smallvec![g.first().and_then(Option::as_ref).map(|g| {
                let _g = t.contiguous(g);
                let whole = shape.numel().max(g.numel());
                t.communicates_elements(collective, (whole, g.dtype()), ranks);
                t.empty(op, shape, g.dtype())
            })]
        });
        let [out] = self.function(&[x], [out], backward);
        out
    }

    /// `VocabParallelEmbedding` with this rank's rows `[V / ranks, H]`, before sums are made of it. Saves the
    /// indices as this rank counts them, and which are none of its own.
    pub fn parallel_embedding(&self, weight: &Tensor, indices: &Tensor) -> Tensor {
        let (mask, own) = self.own_indices(indices);
        let rows = self.embedding(weight, &own);
        // `x[mask, :] = 0.0`, whose gradient is copied row by row.
        self.written_where(rows, &mask, "index_put")
    }

    /// `vocab_parallel_cross_entropy` (`core/tensor_parallel/cross_entropy.py`) of this rank's columns
    /// `[S, B, V / ranks]` and targets `[S, B]`: losses `[S, B]` in float32. Saves the probabilities, which
    /// become the gradient, the targets as this rank counts them and which are none of its own.
    pub fn parallel_cross_entropy(&self, logits: &Tensor, target: &Tensor) -> Tensor {
        let (wide, rows) = (DType::Float32, *target.shape());
        let number = |op, dtype| self.empty(op, rows, dtype);
        let probabilities = if logits.dtype() == wide {
            logits.detach()
        } else {
            self.empty("_to_copy", *logits.shape(), wide)
        };
        let highest = {
            let values = number("max", wide);
            drop(number("max", DType::Int64));
            values
        };
        let (mask, own) = self.own_indices(target);
        let (predicted, sum) = {
            let _places = number("arange", DType::Int64);
            let predicted = {
                let _found = number("index", wide);
                number("clone", wide)
            };
            let mut shape = *logits.shape();
            let last = shape.rank() - 1;
            shape.dims_mut()[last] = 1;
            (predicted, self.reduce("sum", &probabilities, shape, wide))
        };
        let loss = {
            let _logarithm = number("log", wide);
            number("sub", wide)
        };
        drop((highest, predicted, sum));
        if !self.records(&[logits]) {
            return loss;
        }
        let saved = [&probabilities, &mask, &own].map(|kept| self.save(kept));
        let backward: Backward = Box::new(move |t, g| {
            if g.first().is_none_or(Option::is_none) {
                return Grads::new();
            }
            let [gradient, _mask, _own] = saved.each_ref().map(|saved| saved.unpack(t));
            let places = t.empty("arange", rows, DType::Int64);
            let update = {
                let _flags = t.empty("_to_copy", rows, wide);
                t.empty("rsub", rows, wide)
            };
            drop(t.empty("index", rows, wide));
            drop(places);
            drop(update);
            smallvec![Some(gradient)]
        });
        let [loss] = self.function(&[logits], [loss], backward);
        loss
    }

    /// `scores.masked_fill_(mask, -10000.0)` of scores `[N, S, S]` that are seen in another shape
    /// (`CopySlices`, `torch/csrc/autograd/functions/tensor.cpp`, torch 2.15). Saves the mask.
    pub fn masked_view(&self, x: &Tensor, mask: &Tensor, shape: Shape) -> Tensor {
        const COPY: &str = "CopySlices";
        if !self.records(&[x]) {
            return self.view(x, shape);
        }
        let saved = self.save(mask);
        let from = *x.shape();
        let base = self.attach(
            &[x],
            x.detach(),
            Box::new(move |t, g| {
                let _mask = saved.unpack(t);
                smallvec![g[0].as_ref().map(|g| {
                    let result = t.empty(COPY, from, g.dtype());
                    let slice = t.empty("clone", from, g.dtype());
                    let filled = t.empty("masked_fill", from, g.dtype());
                    drop(slice);
                    drop(filled);
                    result
                })]
            }),
        );
        let strides = self.view(x, shape).strides();
        self.view_node(&base, shape, strides, || {
            Box::new(move |t, g| {
                smallvec![
                    g[0].as_ref()
                        .map(|g| t.empty("as_strided_backward", from, g.dtype()))
                ]
            })
        })
    }
}

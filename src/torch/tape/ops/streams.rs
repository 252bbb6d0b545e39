//! Operations on parallel streams of hidden states, and standard deviations.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor, layout};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// `torch.std(x, -1, keepdim=True, unbiased=False)`. Saves x and its result.
    pub fn std_last(&self, x: &Tensor) -> Tensor {
        let mut shape = *x.shape();
        let last = shape.rank() - 1;
        shape.dims_mut()[last] = 1;
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.reduce("std", x, shape, x.dtype());
        let result = saved.as_ref().map(|_| self.save(&out.detach()));
        let Some(result) = result else { return out };
        self.with_saved(x, out, saved, move |t, g, x| {
            let result = result.unpack(t);
            let of_variance = {
                let _twice = t.like("mul", &result);
                let divided = t.like("div", g);
                drop(t.empty("eq", *result.shape(), DType::Bool));
                divided
            };
            let _mean = t.reduce("mean", x, *of_variance.shape(), x.dtype());
            let centred = t.like("sub", x);
            let scaled = t.like("mul", &of_variance);
            let out = t.elementwise("mul", &[&scaled, &centred], x.dtype());
            drop(scaled);
            out
        })
    }

    /// `x.repeat(times, 1, 1, 1)` of `[B, S, H]`: a copy, `[times, B, S, H]`. Its gradient is summed.
    pub fn repeat_before(&self, x: &Tensor, times: u64) -> Tensor {
        let from = *x.shape();
        let one = Shape::from([1, from.dim(0), from.dim(1), from.dim(2)]);
        let mut all = one;
        all.dims_mut()[0] = times;
        let out = self.empty("repeat", all, x.dtype());
        self.with_nothing_saved(x, out, move |t, g| {
            let sum = t.reduce("sum", g, one, g.dtype());
            sum.detach_as(from, layout::contiguous(&from))
        })
    }

    /// `torch.sum(x, -1, dtype=torch.float32)` of `[n]`. Saves nothing; the gradient is expanded.
    pub fn sum_wide(&self, x: &Tensor) -> Tensor {
        let out = self.reduce("sum", x, Shape::new(&[]), DType::Float32);
        let (from, dtype) = (*x.shape(), x.dtype());
        self.with_nothing_saved(x, out, move |t, g| {
            let expanded = t.expand(g, from);
            if dtype == g.dtype() {
                expanded
            } else {
                t.cast_to("_to_copy", &expanded, dtype)
            }
        })
    }

    /// `x.mean(0)` of `[N, B, S, H]`. Saves nothing; the gradient is expanded and divided.
    pub fn mean_of_streams(&self, x: &Tensor) -> Tensor {
        let shape = [x.dim(1), x.dim(2), x.dim(3)];
        let mean = self.mean(x, Shape::from([1, shape[0], shape[1], shape[2]]));
        self.view(&mean, shape)
    }

    /// `base.permute(order)` to which x is added in place: `view += x`, whose gradient is copied for
    /// both (`CopySlices`, `torch/csrc/autograd/functions/tensor.cpp`, torch 2.15).
    pub fn permuted_plus(&self, base: &Tensor, order: &[usize], x: &Tensor) -> Tensor {
        if !self.records(&[base, x]) {
            return self.permute(base, order);
        }
        let (shape, dtype) = (*x.shape(), x.dtype());
        let needed = [base, x].map(Tensor::requires_grad);
        let sum = self.attach(
            &[base, x],
            base.detach(),
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let copy = t.like("new_empty_strided", g);
                let slice = t.empty("clone", shape, g.dtype());
                let of_x = if dtype == g.dtype() {
                    slice
                } else {
                    t.cast_to("_to_copy", &slice, dtype)
                };
                smallvec![needed[0].then_some(copy), needed[1].then_some(of_x)]
            }),
        );
        self.permute(&sum, order)
    }

    /// `streams[1:] += x` of `[N, B, S, H]` and `[B, S, H]`: the sum is in the streams' place, and then is copied there
    /// from itself. The gradient of either is copied, and the overwritten part is zero in it (`CopySlices`,
    /// `torch/csrc/autograd/functions/tensor.cpp`, torch 2.15).
    pub fn add_to_all_but_first(&self, streams: Tensor, x: &Tensor) -> Tensor {
        if !self.records(&[&streams, x]) {
            return streams;
        }
        let count = streams.dim(0);
        let from = *x.shape();
        let part = Shape::from([count - 1, from.dim(0), from.dim(1), from.dim(2)]);
        let (of_streams, of_x) = (streams.requires_grad(), x.requires_grad());
        let sum = self.attach(
            &[&streams, x],
            streams.detach(),
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let copy = t.like("new_empty_strided", g);
                let slice = t.empty("clone", part, g.dtype());
                let of_x = of_x.then(|| t.sum_to_size(&slice, &from));
                smallvec![of_streams.then_some(copy), of_x]
            }),
        );
        let written = self.slice(&sum, 0, 1, count);
        self.put_columns(sum, &written)
    }
}

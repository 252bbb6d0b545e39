//! Operations that write into their first tensor.

use crate::tape::graph::Grads;
use crate::tape::ops::pointwise::promote;
use crate::tape::{Tape, Tensor};
use crate::units::Shape;
use smallvec::smallvec;

impl Tape {
    /// `x *= y` of two tensors: the result is in x's place. Saves y, and a copy of x where y needs a gradient.
    pub fn multiply_in_place(&self, x: &Tensor, y: &Tensor) -> Tensor {
        if !self.records(&[x, y]) {
            return x.clone();
        }
        let saved_x = y.requires_grad().then(|| {
            let before = self.like("clone", &x.detach());
            self.save(&before)
        });
        let saved_y = x.requires_grad().then(|| self.save(y));
        self.attach(
            &[x, y],
            x.detach(),
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let y = saved_y.as_ref().map(|saved| saved.unpack(t));
                let x = saved_x.as_ref().map(|saved| saved.unpack(t));
                let times =
                    |factor: &Tensor| t.elementwise("mul", &[g, factor], promote(g, factor));
                let of_y = x.as_ref().filter(|_| t.asks(1)).map(times);
                let of_x = y.as_ref().filter(|_| t.asks(0)).map(times);
                smallvec![of_x, of_y]
            }),
        )
    }

    /// `x -= y`: the result is in x's place. Saves nothing.
    pub fn subtract_in_place(&self, x: &Tensor, y: &Tensor) -> Tensor {
        if !self.records(&[x, y]) {
            return x.clone();
        }
        let needs = [x, y].map(Tensor::requires_grad);
        self.attach(
            &[x, y],
            x.detach(),
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let of_y = (needs[1] && t.asks(1)).then(|| t.like("neg", g));
                smallvec![needs[0].then(|| g.clone()), of_y]
            }),
        )
    }

    /// `x /= y` of two tensors: the result is in x's place. Saves y, and a copy of x where y needs a gradient.
    pub fn divide_in_place(&self, x: &Tensor, y: &Tensor) -> Tensor {
        if !self.records(&[x, y]) {
            return x.clone();
        }
        if y.requires_grad() {
            return self.div_in_place(x.clone(), y);
        }
        let saved = self.save(y);
        self.with_saved(x, x.detach(), Some(saved), |t, g, y| {
            t.elementwise("div", &[g, y], promote(g, y))
        })
    }

    /// x with another tensor in its place that needs no gradient, or numbers: `copy_`, `fill_`, `zero_`. Saves
    /// nothing.
    pub fn overwrite_in_place(&self, x: &Tensor, source: Option<&Tensor>) -> Tensor {
        let inputs: Vec<&Tensor> = [Some(x), source].into_iter().flatten().collect();
        if !self.records(&inputs) {
            return x.clone();
        }
        let needs_x = x.requires_grad();
        let source = source.map(|source| (source.dtype(), source.requires_grad()));
        self.attach(
            &inputs,
            x.detach(),
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let of_x = (needs_x && t.asks(0)).then(|| t.like("zeros", g));
                let mut grads: Grads = smallvec![of_x];
                if let Some((_, needed)) = source {
                    grads.push(needed.then(|| g.clone()));
                }
                grads
            }),
        )
    }

    /// `base` after `part` was written into a view of it of this shape: the result is in base's place. The gradient of
    /// base is copied; the overwritten part is zero in it (`CopySlices`, `torch/csrc/autograd/functions/tensor.cpp`).
    pub fn written_through(&self, base: &Tensor, view: Shape, part: Option<&Tensor>) -> Tensor {
        let inputs: Vec<&Tensor> = [Some(base), part].into_iter().flatten().collect();
        if !self.records(&inputs) {
            return base.clone();
        }
        let needs_base = base.requires_grad();
        let part = part.map(|part| (part.dtype(), part.requires_grad()));
        self.attach(
            &inputs,
            base.detach(),
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let copy = t.like("new_empty_strided", g);
                let slice = t.empty("clone", view, g.dtype());
                let _zeros = needs_base.then(|| t.like("zeros_like", &slice));
                let mut grads: Grads = smallvec![needs_base.then_some(copy)];
                if let Some((dtype, needed)) = part {
                    let slice = if dtype == g.dtype() {
                        slice
                    } else {
                        t.cast_to("_to_copy", &slice, dtype)
                    };
                    grads.push(needed.then_some(slice));
                }
                grads
            }),
        )
    }

    /// `x.scatter_add_(dim, index, source)`: the result is in x's place. Saves the index.
    pub fn scatter_add_in_place(&self, x: &Tensor, index: &Tensor, source: &Tensor) -> Tensor {
        if !self.records(&[x, source]) {
            return x.clone();
        }
        let needs = [x, source].map(Tensor::requires_grad);
        let saved = needs[1].then(|| self.save(index));
        self.attach(
            &[x, source],
            x.detach(),
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let of_source = saved.as_ref().filter(|_| t.asks(1)).map(|saved| {
                    let index = saved.unpack(t);
                    t.empty("gather", *index.shape(), g.dtype())
                });
                smallvec![needs[0].then(|| g.clone()), of_source]
            }),
        )
    }

    /// `x.index_put_(indices, values)`: the result is in x's place. Saves indices and values; x's gradient is copied
    /// and the overwritten part is zero in it.
    pub fn put_at(&self, x: &Tensor, indices: &[Tensor], values: &Tensor, adds: bool) -> Tensor {
        if !self.records(&[x, values]) {
            return x.clone();
        }
        let saved: Vec<_> = indices.iter().map(|at| self.save(at)).collect();
        let saved_values = self.save(values);
        let needs = [x, values].map(Tensor::requires_grad);
        let (shape, dtype) = (*values.shape(), values.dtype());
        self.attach(
            &[x, values],
            x.detach(),
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let _at: Vec<Tensor> = saved.iter().map(|at| at.unpack(t)).collect();
                let values = saved_values.unpack(t);
                let of_x = (needs[0] && t.asks(0)).then(|| {
                    if adds {
                        return g.clone();
                    }
                    let _zeros = t.like("zeros_like", &values);
                    t.like("index_put", g)
                });
                let of_values = (needs[1] && t.asks(1)).then(|| t.empty("index", shape, dtype));
                smallvec![of_x, of_values]
            }),
        )
    }
}

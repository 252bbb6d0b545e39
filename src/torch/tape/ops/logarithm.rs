//! Logarithms and an exponential function, which autocast computes in float32.

use super::reduce::without_last;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor, layout};
use crate::units::DType;
use smallvec::smallvec;

impl Tape {
    /// `torch.log(x)`. Saves x.
    pub fn log(&self, x: &Tensor) -> Tensor {
        let x = &self.cast_up(x);
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.like("log", x);
        self.activated(x, out, saved, "div")
    }

    /// `torch.log1p(x)`. Saves x; its gradient holds `x + 1`.
    pub fn log1p(&self, x: &Tensor) -> Tensor {
        let x = &self.cast_up(x);
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.like("log1p", x);
        self.with_saved(x, out, saved, |t, g, x| {
            let _shifted = t.like("add", x);
            t.like("div", g)
        })
    }

    /// `torch.expm1(x)`. Saves its result, of which the gradient holds one more.
    pub fn expm1(&self, x: &Tensor) -> Tensor {
        let x = &self.cast_up(x);
        let out = self.like("expm1", x);
        let saved = self.records(&[x]).then(|| self.save(&out.detach()));
        self.with_saved(x, out, saved, |t, g, out| {
            let _one_more = t.like("add", out);
            t.like("mul", g)
        })
    }

    /// `torch.logsumexp(x, -1)`: `[.., n]` to `[..]`. Saves x and its result.
    pub fn logsumexp_last(&self, x: &Tensor) -> Tensor {
        const OP: &str = "logsumexp";
        let x = &self.cast_up(x);
        let rows = without_last(x);
        let mut column = *x.shape();
        column.dims_mut()[rows.rank()] = 1;
        let largest = self.reduce(OP, x, column, x.dtype());
        {
            let _sizes = self.empty(OP, rows, x.dtype());
            drop(self.empty(OP, rows, DType::Bool));
        }
        let exponentials = self.elementwise(OP, &[x, &largest], x.dtype());
        let out = self.reduce(OP, &exponentials, column, x.dtype());
        let out = out.detach_as(rows, layout::contiguous(&rows));
        drop((exponentials, largest));
        if !self.records(&[x]) {
            return out;
        }
        let saved = [x, &out.detach()].map(|saved| self.save(saved));
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [x, out] = saved.each_ref().map(|saved| saved.unpack(t));
                let [g, out] = [g, &out].map(|rows| t.unsqueeze(rows, column.rank() - 1));
                let _difference = t.elementwise("sub", &[&x, &out], x.dtype());
                let shares = t.like("exp", &x);
                smallvec![Some(t.elementwise("mul", &[&g, &shares], x.dtype()))]
            }),
        )
    }

    /// `torch.logaddexp(a, b)`. Saves both; the gradient of each, `g / (1 + exp(other - it))`, holds
    /// three temporaries of the result's shape.
    pub fn logaddexp(&self, a: &Tensor, b: &Tensor) -> Tensor {
        const OP: &str = "logaddexp";
        let records = self.records(&[a, b]);
        let saved = records.then(|| [self.save(a), self.save(b)]);
        let out = self.elementwise(OP, &[a, b], a.dtype());
        let Some(saved) = saved else { return out };
        let needed = [a.requires_grad(), b.requires_grad()];
        self.attach(
            &[a, b],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [a, b] = saved.each_ref().map(|saved| saved.unpack(t));
                let gradient = |needed: bool| {
                    needed.then(|| {
                        let _temporaries =
                            ["sub", "exp", "add"].map(|op| t.elementwise(op, &[&a, &b], a.dtype()));
                        t.like("div", g)
                    })
                };
                let other = gradient(needed[1] && t.asks(1));
                smallvec![gradient(needed[0] && t.asks(0)), other]
            }),
        )
    }
}

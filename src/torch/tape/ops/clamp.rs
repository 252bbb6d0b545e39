//! Keeping halves finite.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// `x.clamp_(min=-limit, max=limit)`: the result is in x's place, which is copied first. Saves
    /// the copy.
    pub fn clamp_in_place(&self, x: Tensor) -> Tensor {
        if !self.records(&[&x]) {
            return x;
        }
        let saved = {
            let before = self.clone_contiguous(&x.detach());
            self.save(&before)
        };
        self.with_saved(&x, x.detach(), Some(saved), |t, g, x| {
            t.clamped_gradient(g, x, 2)
        })
    }

    /// `x.clamp(max=limit)`, or with `sides` 2 `x.clamp(min=-limit, max=limit)`. Saves x.
    pub fn clamp(&self, x: &Tensor, sides: usize) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.like("clamp", x);
        self.with_saved(x, out, saved, move |t, g, x| {
            t.clamped_gradient(g, x, sides)
        })
    }

    /// `torch.max(x, torch.tensor(number))`. Saves both; the gradient of `maximum` is halved where they
    /// are equal and nothing where x is smaller.
    pub fn at_least(&self, x: &Tensor) -> Tensor {
        let number = self.empty("tensor", Shape::new(&[]), DType::Float32);
        self.extreme("maximum", x, &number, false)
    }

    /// `torch.min(x, number)` for a number on the device, which needs no gradient. As
    /// [`Tape::at_least`].
    pub fn at_most(&self, x: &Tensor, number: &Tensor) -> Tensor {
        self.extreme("minimum", x, number, true)
    }

    /// `torch.min(a, b)` of the same shape, which both get gradients. Saves both; each gradient is halved where they
    /// are equal and nothing where the other is smaller.
    pub fn minimum(&self, a: &Tensor, b: &Tensor) -> Tensor {
        const OP: &str = "minimum";
        let records = self.records(&[a, b]);
        let saved = records.then(|| [a, b].map(|kept| self.save(kept)));
        let out = self.like(OP, a);
        let Some(saved) = saved else { return out };
        self.attach(
            &[a, b],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [a, _b] = saved.each_ref().map(|saved| saved.unpack(t));
                let gradient = |_| {
                    let flags = |op| t.elementwise(op, &[&a], DType::Bool);
                    let _smaller = flags("lt");
                    let _half = t.like("div", g);
                    let _equal = flags("eq");
                    let _chosen = t.like("where", g);
                    Some(t.like("masked_fill", g))
                };
                [0, 1].map(gradient).into_iter().collect()
            }),
        )
    }

    /// `early`: whether the gradient first looks where x is beyond the number (torch 2.15), or last
    /// (torch 2.6).
    fn extreme(&self, op: &'static str, x: &Tensor, number: &Tensor, early: bool) -> Tensor {
        let records = self.records(&[x]);
        let saved = records.then(|| [x, number].map(|kept| self.save(kept)));
        let out = self.like(op, x);
        let Some([saved, saved_number]) = saved else {
            return out;
        };
        self.with_saved(x, out, Some(saved), move |t, g, x| {
            let _number = saved_number.unpack(t);
            let flags = |op| t.elementwise(op, &[x], DType::Bool);
            let _beyond_first = early.then(|| flags("gt"));
            let _half = t.like("div", g);
            let _equal = flags("eq");
            let gradient = t.like("where", g);
            let _beyond = (!early).then(|| flags("lt"));
            gradient
        })
    }

    /// The gradient where x is not beyond the limit on one or both sides.
    fn clamped_gradient(&self, g: &Tensor, x: &Tensor, sides: usize) -> Tensor {
        let _zero = self.empty("scalar_tensor", Shape::new(&[]), g.dtype());
        let flags = |_| self.elementwise("ge", &[x], DType::Bool);
        let _inside: Vec<Tensor> = (0..sides).map(flags).collect();
        self.like("where", g)
    }

    /// `limit = torch.where(torch.isinf(x).any(), number, number)` and
    /// `torch.clamp(x, min=-limit, max=limit)`: the result and the limit. Saves x and both limits.
    /// Whether the gradient is `shared` with limits that x is equal to is of the version of torch.
    pub fn clamp_to_finite(&self, x: &Tensor, shared: bool) -> (Tensor, Tensor) {
        const OP: &str = "clamp";
        let number = |op| self.empty(op, Shape::new(&[]), DType::Float32);
        let limit = {
            let infinite = {
                let absolute = self.like("abs", x);
                let infinite = self.elementwise("isinf", &[x], DType::Bool);
                drop(absolute);
                infinite
            };
            let any = self.reduce("any", &infinite, Shape::new(&[]), DType::Bool);
            drop(infinite);
            let numbers = (number("scalar_tensor"), number("scalar_tensor"));
            let limit = number("where");
            drop((numbers, any));
            limit
        };
        let least = number("neg");
        let saved = self
            .records(&[x])
            .then(|| [x, &least, &limit].map(|kept| self.save(kept)));
        let out = self.like(OP, x);
        drop(least);
        let Some(saved) = saved else {
            return (out, limit);
        };
        let out = self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [x, ..] = &saved.each_ref().map(|saved| saved.unpack(t));
                smallvec![Some(t.clamp_backward(g, x, shared))]
            }),
        );
        (out, limit)
    }

    /// `clamp_backward(grad, x, min, max)` (`tools/autograd/FunctionsManual.cpp`): the gradient where x lies between
    /// both limits, and the divided gradient where it equals one of them; torch 2.6 does not divide.
    fn clamp_backward(&self, g: &Tensor, x: &Tensor, shared: bool) -> Tensor {
        let flags = |op| self.elementwise(op, &[x], DType::Bool);
        if !shared {
            let _zero = self.empty("scalar_tensor", Shape::new(&[]), g.dtype());
            let _inside = (flags("ge"), flags("le"));
            return self.like("where", g);
        }
        let _crossed = self.empty("lt", Shape::new(&[]), DType::Bool);
        let _at_limits = {
            let equal = (flags("eq"), flags("eq"));
            let either = flags("logical_or");
            let both = flags("logical_and");
            drop((equal, either));
            both
        };
        let _outside = {
            let _sides = (flags("lt"), flags("gt"));
            flags("logical_or")
        };
        let divided = self.like("div", g);
        // Elements outside of the bounds are filled in place.
        let grad = self.like("where", g);
        drop(divided);
        grad
    }
}

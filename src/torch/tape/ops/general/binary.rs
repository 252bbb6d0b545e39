//! Elementwise functions of two tensors.

use crate::tape::graph::Grads;
use crate::tape::ops::pointwise::promote;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// The shape of an elementwise result of these, outside of the graph: comparisons, or results that need no
    /// gradient.
    pub fn outside(&self, op: &'static str, inputs: &[&Tensor], dtype: DType) -> Tensor {
        self.elementwise(op, inputs, dtype)
    }

    /// The dtype that two tensors have together.
    pub fn common_dtype(&self, a: &Tensor, b: &Tensor) -> DType {
        promote(a, b)
    }

    /// `a / b`. Saves the inputs that the gradients need: b always, a where b needs a gradient.
    pub fn quotient(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let dtype = promote(a, b);
        if !self.records(&[a, b]) {
            return self.elementwise("div", &[a, b], dtype);
        }
        let saved_a = b.requires_grad().then(|| self.save(a));
        let saved_b = self.save(b);
        let out = self.elementwise("div", &[a, b], dtype);
        let needs_a = a.requires_grad();
        self.attach(
            &[a, b],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let b = saved_b.unpack(t);
                let a = saved_a.as_ref().map(|saved| saved.unpack(t));
                let of_b = a.as_ref().filter(|_| t.asks(1)).map(|a| {
                    let _negative = t.like("neg", g);
                    let quotient = t.elementwise("div", &[a, &b], promote(a, &b));
                    let twice = t.elementwise("div", &[&quotient, &b], promote(&quotient, &b));
                    t.elementwise("mul", &[g, &twice], promote(g, &twice))
                });
                let of_a =
                    (needs_a && t.asks(0)).then(|| t.elementwise("div", &[g, &b], promote(g, &b)));
                smallvec![of_a, of_b]
            }),
        )
    }

    /// `a + factor * b` or `a - factor * b` for a factor other than one. Saves nothing.
    pub fn add_scaled(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let out = self.elementwise("add", &[a, b], promote(a, b));
        if !self.records(&[a, b]) {
            return out;
        }
        let needs = [a, b].map(Tensor::requires_grad);
        self.attach(
            &[a, b],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let of_b = (needs[1] && t.asks(1)).then(|| t.like("mul", g));
                smallvec![needs[0].then(|| g.clone()), of_b]
            }),
        )
    }

    /// `torch.addcmul(x, a, b)`. Saves a and b where the gradient of the other is needed.
    pub fn addcmul(&self, x: &Tensor, a: &Tensor, b: &Tensor) -> Tensor {
        const OP: &str = "addcmul";
        let inputs = [x, a, b];
        let dtype = if x.dtype() == a.dtype() {
            promote(a, b)
        } else {
            promote(x, a)
        };
        if !self.records(&inputs) {
            return self.elementwise(OP, &inputs, dtype);
        }
        let saved_a = b.requires_grad().then(|| self.save(a));
        let saved_b = a.requires_grad().then(|| self.save(b));
        let out = self.elementwise(OP, &inputs, dtype);
        let needs_x = x.requires_grad();
        self.attach(
            &inputs,
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let saved = [&saved_a, &saved_b].map(|saved| saved.as_ref().map(|s| s.unpack(t)));
                let times = |other: &Option<Tensor>| {
                    other.as_ref().map(|other| {
                        let _scaled = t.like("mul", other);
                        t.elementwise("mul", &[g, other], promote(g, other))
                    })
                };
                let of_a = times(&saved[1]).filter(|_| t.asks(1));
                let of_b = times(&saved[0]).filter(|_| t.asks(2));
                smallvec![needs_x.then(|| g.clone()), of_a, of_b]
            }),
        )
    }

    /// `torch.maximum(a, b)` or `torch.minimum(a, b)`. Saves both; each gradient is halved where they are equal
    /// and nothing where the other is chosen.
    pub fn chosen_of(&self, op: &'static str, a: &Tensor, b: &Tensor) -> Tensor {
        let records = self.records(&[a, b]);
        let saved = records.then(|| [a, b].map(|kept| self.save(kept)));
        let out = self.elementwise(op, &[a, b], promote(a, b));
        let Some(saved) = saved else { return out };
        let needs = [a, b].map(Tensor::requires_grad);
        self.attach(
            &[a, b],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [a, b] = saved.each_ref().map(|saved| saved.unpack(t));
                let gradient = |needed: bool| {
                    needed.then(|| {
                        let flags = |op| t.elementwise(op, &[&a, &b], DType::Bool);
                        let _smaller = flags("lt");
                        let _half = t.like("div", g);
                        let _equal = flags("eq");
                        let _chosen = t.like("where", g);
                        t.like("masked_fill", g)
                    })
                };
                [0, 1]
                    .map(|i| gradient(needs[i] && t.asks(i)))
                    .into_iter()
                    .collect()
            }),
        )
    }

    /// A number on the device.
    pub fn number(&self, dtype: DType) -> Tensor {
        self.empty("scalar_tensor", Shape::new(&[]), dtype)
    }

    /// `torch.pow(a, b)` of two tensors. Saves both and the result.
    pub fn power_of(&self, a: &Tensor, b: &Tensor) -> Tensor {
        const OP: &str = "pow";
        let [a, b] = &[a, b].map(|x| self.cast_up(x));
        let records = self.records(&[a, b]);
        let saved = records.then(|| [a, b].map(|kept| self.save(kept)));
        let out = self.elementwise(OP, &[a, b], promote(a, b));
        let Some(saved) = saved else { return out };
        let result = self.save(&out.detach());
        let needs = [a, b].map(Tensor::requires_grad);
        self.attach(
            &[a, b],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let [a, b] = saved.each_ref().map(|saved| saved.unpack(t));
                let result = result.unpack(t);
                let of_b = (needs[1] && t.asks(1)).then(|| {
                    let _flags = t.elementwise("eq", &[&a, &b], DType::Bool);
                    let _product = t.like("mul", &result);
                    let _log = t.like("log", &a);
                    let _zero = t.number(g.dtype());
                    t.like("where", g)
                });
                let of_a = (needs[0] && t.asks(0)).then(|| {
                    let _less = t.like("sub", &b);
                    let _power = t.elementwise(OP, &[&a, &b], g.dtype());
                    let _scaled = t.like("mul", g);
                    let _product = t.like("mul", g);
                    let _flags = t.like("eq", &b);
                    t.like("where", g)
                });
                smallvec![of_a, of_b]
            }),
        )
    }
}

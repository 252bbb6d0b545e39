//! Elementwise operations.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor, layout};
use crate::units::{DType, MAX_DIMS, Shape};
use smallvec::smallvec;

/// The shape of an elementwise result.
fn broadcast(inputs: &[&Tensor]) -> Shape {
    let rank = inputs.iter().map(|t| t.shape().rank()).max().unwrap_or(0);
    let mut shape = Shape::new(&[1; MAX_DIMS][..rank]);
    for input in inputs {
        let missing = rank - input.shape().rank();
        for (size, &dim) in shape.dims_mut()[missing..]
            .iter_mut()
            .zip(input.shape().dims())
        {
            if dim != 1 {
                *size = dim;
            }
        }
    }
    shape
}

/// The dtype of an elementwise result of two tensors.
pub(super) fn promote(a: &Tensor, b: &Tensor) -> DType {
    if a.dtype() == b.dtype() || !b.dtype().is_float() {
        a.dtype()
    } else if !a.dtype().is_float() {
        b.dtype()
    } else if a.shape().rank() > 0 && b.shape().rank() == 0 {
        // A single number does not widen a tensor.
        a.dtype()
    } else if a.shape().rank() == 0 && b.shape().rank() > 0 {
        b.dtype()
    } else {
        // Two different floats, of which one is float32 or both are halves.
        DType::Float32
    }
}

impl Tape {
    /// A new tensor of the operands' common shape, placed as `TensorIterator` places it.
    pub(in crate::tape) fn elementwise(
        &self,
        op: &'static str,
        inputs: &[&Tensor],
        dtype: DType,
    ) -> Tensor {
        let shape = broadcast(inputs);
        if inputs.iter().all(|t| t.is_contiguous()) {
            return self.empty(op, shape, dtype);
        }
        let operands: smallvec::SmallVec<[_; 3]> =
            inputs.iter().map(|t| (t.shape(), t.strides())).collect();
        let strides = layout::elementwise(&shape, &operands);
        self.empty_strided(op, shape, strides, dtype)
    }

    /// A fresh tensor placed like `x`.
    pub(in crate::tape) fn like(&self, op: &'static str, x: &Tensor) -> Tensor {
        self.elementwise(op, &[x], x.dtype())
    }

    /// `a + b`. Saves nothing.
    pub fn add(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let out = self.elementwise("add", &[a, b], promote(a, b));
        if !self.records(&[a, b]) {
            return out;
        }
        let (need_a, need_b) = (a.requires_grad(), b.requires_grad());
        self.attach(
            &[a, b],
            out,
            Box::new(move |_, g| {
                smallvec![
                    need_a.then(|| g[0].clone()).flatten(),
                    need_b.then(|| g[0].clone()).flatten()
                ]
            }),
        )
    }

    /// `x + torch.zeros_like(x).uniform_(-m, m)`, whose m is a number on the host. Saves nothing
    /// (`neftune_post_forward_hook`, `integrations/neftune.py`, transformers 5.23).
    pub fn add_noise(&self, x: &Tensor) -> Tensor {
        let noise = self.like("zeros_like", x);
        self.add(x, &noise)
    }

    /// `a += b`: the result is in a's place. Saves nothing.
    pub fn add_in_place(&self, a: Tensor, b: &Tensor) -> Tensor {
        if !self.records(&[&a, b]) {
            return a;
        }
        let (need_a, need_b) = (a.requires_grad(), b.requires_grad());
        let out = a.detach();
        self.attach(
            &[&a, b],
            out,
            Box::new(move |_, g| {
                smallvec![
                    need_a.then(|| g[0].clone()).flatten(),
                    need_b.then(|| g[0].clone()).flatten()
                ]
            }),
        )
    }

    /// `torch.where(condition, x, number)`. Saves the condition.
    pub fn where_allowed(&self, condition: &Tensor, x: &Tensor) -> Tensor {
        let number = self.empty("scalar_tensor", Shape::new(&[]), x.dtype());
        self.where_or(condition, x, &number)
    }

    /// `torch.where(condition, x, number)` for a number on the device that needs no gradient.
    /// Saves the condition.
    pub fn where_or(&self, condition: &Tensor, x: &Tensor, number: &Tensor) -> Tensor {
        self.where_of(condition, [x, number], x.dtype())
    }

    /// `torch.where(condition, a, b)`. Saves the condition.
    pub fn where_either(&self, condition: &Tensor, a: &Tensor, b: &Tensor) -> Tensor {
        self.where_of(condition, [a, b], promote(a, b))
    }

    /// `torch.where(condition, a, b)` of this type. Saves the condition.
    fn where_of(&self, condition: &Tensor, [a, b]: [&Tensor; 2], dtype: DType) -> Tensor {
        let records = self.records(&[a, b]);
        let saved = records.then(|| self.save(condition));
        let out = self.elementwise("where", &[condition, a, b], dtype);
        let Some(saved) = saved else { return out };
        let needed = [a.requires_grad(), b.requires_grad()];
        self.attach(
            &[a, b],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let condition = saved.unpack(t);
                let gradient = |needed: bool| {
                    needed.then(|| {
                        let _zero = t.empty("scalar_tensor", Shape::new(&[]), g.dtype());
                        t.elementwise("where", &[&condition, g], g.dtype())
                    })
                };
                let of_b = gradient(needed[1] && t.asks(1));
                smallvec![gradient(needed[0] && t.asks(0)), of_b]
            }),
        )
    }

    /// `x + number`. Saves nothing.
    pub fn add_scalar(&self, x: &Tensor) -> Tensor {
        let out = self.like("add", x);
        if !self.records(&[x]) {
            return out;
        }
        self.attach(&[x], out, Box::new(|_, g| g.clone()))
    }

    /// `a * b`. Saves each factor that the gradient of the other needs.
    pub fn mul(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let dtype = promote(a, b);
        if !self.records(&[a, b]) {
            return self.elementwise("mul", &[a, b], dtype);
        }
        let saved_b = a.requires_grad().then(|| self.save(b));
        let saved_a = b.requires_grad().then(|| self.save(a));
        let out = self.elementwise("mul", &[a, b], dtype);
        self.attach(
            &[a, b],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let b = saved_b.as_ref().map(|saved| saved.unpack(t));
                let a = saved_a.as_ref().map(|saved| saved.unpack(t));
                let times =
                    |factor: &Tensor| t.elementwise("mul", &[g, factor], promote(g, factor));
                let grad_b = a.as_ref().filter(|_| t.asks(1)).map(times);
                let grad_a = b.as_ref().filter(|_| t.asks(0)).map(times);
                smallvec![grad_a, grad_b]
            }),
        )
    }

    /// `x *= y` for a y on the device that needs no gradient: the result is in x's place. Saves y.
    pub fn mul_in_place(&self, x: Tensor, y: &Tensor) -> Tensor {
        if !self.records(&[&x]) {
            return x;
        }
        let saved = self.save(y);
        let out = x.detach();
        self.attach(
            &[&x],
            out,
            Box::new(move |t, g| {
                let _y = saved.unpack(t);
                smallvec![g[0].as_ref().map(|g| t.like("mul", g))]
            }),
        )
    }

    /// `x * number`. Saves nothing.
    pub fn mul_scalar(&self, x: &Tensor) -> Tensor {
        self.scaled("mul", x)
    }

    /// `x *= number` or `x /= number`: the result is in x's place. Saves nothing.
    pub fn scale_in_place(&self, x: Tensor) -> Tensor {
        if !self.records(&[&x]) {
            return x;
        }
        let out = x.detach();
        self.attach(
            &[&x],
            out,
            Box::new(move |t, g| smallvec![g[0].as_ref().map(|g| t.like("mul", g))]),
        )
    }

    /// `x / number`. Saves nothing.
    pub fn div_scalar(&self, x: &Tensor) -> Tensor {
        self.scaled("div", x)
    }

    /// `x / y` for a y on the device that needs no gradient, whatever its dtype: a number, or as
    /// many as x has. Saves y.
    pub fn div_by(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let records = self.records(&[x]);
        let saved = records.then(|| self.save(y));
        let out = self.elementwise("div", &[x, y], promote(x, y));
        self.with_saved(x, out, saved, |t, g, _| t.like("div", g))
    }

    fn scaled(&self, op: &'static str, x: &Tensor) -> Tensor {
        self.with_nothing_saved(x, self.like(op, x), move |t, g| t.like(op, g))
    }

    /// `-x`. Saves nothing.
    pub fn neg(&self, x: &Tensor) -> Tensor {
        self.scaled("neg", x)
    }

    /// `number - x`. Saves nothing.
    pub fn rsub_scalar(&self, x: &Tensor) -> Tensor {
        self.with_nothing_saved(x, self.like("rsub", x), |t, g| t.like("neg", g))
    }

    /// `x.pow(2)`. Saves x; its gradient `g * (2 * x)` holds two temporaries of x's size.
    pub fn square(&self, x: &Tensor) -> Tensor {
        self.pow(x)
    }

    /// `x.pow(n)` for a number n other than 0 and 1. Saves x; its gradient `g * (n * x.pow(n - 1))`
    /// holds two temporaries of x's size.
    pub fn pow(&self, x: &Tensor) -> Tensor {
        let x = &self.cast_up(x);
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.like("pow", x);
        self.with_saved(x, out, saved, |t, g, x| {
            let power = t.like("pow", x);
            let scaled = t.like("mul", &power);
            t.elementwise("mul", &[g, &scaled], g.dtype())
        })
    }

    /// `torch.sqrt(x)`. Saves its result; its gradient is `g / (2 * result)`.
    pub fn sqrt(&self, x: &Tensor) -> Tensor {
        let out = self.like("sqrt", x);
        let saved = self.records(&[x]).then(|| self.save(&out.detach()));
        self.with_saved(x, out, saved, |t, g, result| {
            let _twice = t.like("mul", result);
            t.like("div", g)
        })
    }

    /// `torch.rsqrt(x)`. Saves its result.
    pub fn rsqrt(&self, x: &Tensor) -> Tensor {
        let x = &self.cast_up(x);
        let out = self.like("rsqrt", x);
        if !self.records(&[x]) {
            return out;
        }
        let saved = self.save(&out.detach());
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let result = saved.unpack(t);
                let cube = t.like("pow", &result);
                let half = t.like("mul", g);
                smallvec![Some(t.elementwise("mul", &[&half, &cube], g.dtype()))]
            }),
        )
    }

    /// `torch.cos(x)` or `torch.sin(x)` of positions, which need no gradient.
    pub fn trigonometric(&self, op: &'static str, x: &Tensor) -> Tensor {
        self.like(op, x)
    }

    /// `torch.nn.functional.silu(x)`. Saves x.
    pub fn silu(&self, x: &Tensor) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.like("silu", x);
        self.activated(x, out, saved, "silu_backward")
    }

    /// `torch.nn.functional.logsigmoid(x)`. Saves x.
    pub fn logsigmoid(&self, x: &Tensor) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.like("log_sigmoid_forward", x);
        self.activated(x, out, saved, "log_sigmoid_backward")
    }

    /// `torch.nn.functional.dropout(x, p)`, p > 0: in training it saves a mask of one byte an
    /// element, else it gives x itself.
    pub fn dropout(&self, x: &Tensor) -> Tensor {
        if !self.training.get() {
            return x.clone();
        }
        let records = self.records(&[x]);
        let mask = self.elementwise("native_dropout", &[x], DType::Bool);
        let out = self.like("native_dropout", x);
        if !records {
            return out;
        }
        let saved = self.save(&mask);
        drop(mask);
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let mask = saved.unpack(t);
                smallvec![Some(t.elementwise(
                    "native_dropout_backward",
                    &[g, &mask],
                    g.dtype()
                ))]
            }),
        )
    }
}

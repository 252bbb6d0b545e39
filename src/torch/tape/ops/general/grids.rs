//! Sampling of images at places that a tensor says (`aten/src/ATen/native/{GridSampler,AffineGridGenerator}.cpp`, torch
//! 2.15).

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use smallvec::smallvec;

impl Tape {
    /// `torch.grid_sampler(x, grid, ..)` to a result of a shape; autocast computes in the widest dtype of both. Saves
    /// both.
    pub fn sample_grid(&self, x: &Tensor, grid: &Tensor, shape: Shape) -> Tensor {
        const OP: &str = "grid_sampler_2d";
        const BACKWARD: &str = "grid_sampler_2d_backward";
        let both = self.promoted(&[x.clone(), grid.clone()]);
        let [x, grid] = [&both[0], &both[1]];
        let saved = self
            .records(&[x, grid])
            .then(|| [x, grid].map(|kept| self.save(kept)));
        let out = self.empty(OP, shape, x.dtype());
        let Some(saved) = saved else { return out };
        let needs = [x, grid].map(Tensor::requires_grad);
        self.attach(
            &[x, grid],
            out,
            Box::new(move |t, g| {
                if g[0].is_none() {
                    return Grads::new();
                }
                let [x, grid] = saved.each_ref().map(|saved| saved.unpack(t));
                let of_x = (needs[0] && t.asks(0)).then(|| t.like(BACKWARD, &x));
                let of_grid = t.like(BACKWARD, &grid);
                smallvec![of_x, needs[1].then_some(of_grid)]
            }),
        )
    }

    /// `torch.nn.functional.affine_grid(theta, ..)` of `[B, 2, 3]` (or `[B, 3, 4]`) to a grid of a shape
    /// `[B, H, W, 2]`: a product of places with theta. Saves nothing.
    pub fn affine_grid(&self, theta: &Tensor, shape: Shape) -> Tensor {
        const OP: &str = "affine_grid_generator";
        let dtype = theta.dtype();
        let (samples, sides) = (shape.dim(0), shape.dim(-1));
        let rows = shape.numel() / (samples * sides).max(1);
        let places = move |t: &Self| {
            let mut with_one = shape;
            if let Some(last) = with_one.dims_mut().last_mut() {
                *last = sides + 1;
            }
            let base = t.empty(OP, with_one, dtype);
            for &side in shape.dims()[1..].iter().rev().skip(1) {
                let line = t.empty("linspace", Shape::from([side]), dtype);
                let scaled = t.like("mul", &line);
                drop(t.like("div", &scaled));
            }
            base
        };
        let base = places(self);
        let low = self.autocast_dtype();
        let product = |t: &Self, base: &Tensor, other: &Tensor, out: Shape, k: u64| {
            let _casts = low.map(|dtype| {
                let mut copies = vec![t.empty("_to_copy", *base.shape(), dtype)];
                if other.dtype() != dtype {
                    copies.push(t.empty("_to_copy", *other.shape(), dtype));
                }
                copies
            });
            t.product("bmm", (out, k), low.unwrap_or(dtype))
        };
        let grid = Shape::from([samples, rows, sides]);
        let out = product(self, &base, theta, grid, sides + 1);
        drop(base);
        let out = out.detach_as(shape, crate::tape::layout::contiguous(&shape));
        let from = *theta.shape();
        self.with_nothing_saved(theta, out, move |t, g| {
            let base = places(t);
            let turned = Shape::from([samples, sides + 1, sides]);
            let grad = t.product("bmm", (turned, rows), g.dtype());
            drop(base);
            let grad = if grad.dtype() == dtype {
                grad
            } else {
                t.empty("_to_copy", turned, dtype)
            };
            let columns = Shape::from([from.dim(1) * from.dim(2), 1, sides]);
            grad.detach_as(from, columns)
        })
    }

    /// `torch.vdot(a, b)` of vectors. Saves each that the gradient of the other needs.
    pub fn dot(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let records = self.records(&[a, b]);
        let saved_b = (records && a.requires_grad()).then(|| self.save(b));
        let saved_a = (records && b.requires_grad()).then(|| self.save(a));
        let out = self.product("vdot", (Shape::new(&[]), a.numel()), a.dtype());
        if !records {
            return out;
        }
        self.attach(
            &[a, b],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let times = |kept: &Option<_>, at: usize| {
                    let kept: &crate::tape::checkpoint::Saved =
                        kept.as_ref().filter(|_| t.asks(at))?;
                    let kept = kept.unpack(t);
                    Some(t.elementwise("mul", &[g, &kept], kept.dtype()))
                };
                let of_a = times(&saved_b, 0);
                let of_b = times(&saved_a, 1);
                smallvec![of_a, of_b]
            }),
        )
    }

    /// Noise as large as x, made in a dtype of its own.
    pub fn noise_like(&self, x: &Tensor) -> Tensor {
        self.outside("bernoulli", &[&x.detach()], x.dtype())
    }

    /// A flag for each element of x.
    pub fn flags_of(&self, op: &'static str, x: &Tensor) -> Tensor {
        self.outside(op, &[&x.detach()], DType::Bool)
    }
}

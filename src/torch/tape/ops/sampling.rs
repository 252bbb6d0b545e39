//! Routers that draw experts by chance: noise, and the gradient of a draw.
//!
//! Source: `torch/csrc/autograd/functions/tensor.cpp` (`CopySlices`), torch 2.15, and
//! `models/phimoe/modeling_phimoe.py` of transformers 5.23.

use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use smallvec::smallvec;

impl Tape {
    /// `x *= noise` for noise of x's shape that needs no gradient: the result is in x's place. Saves
    /// the noise. The gradient of a view is put into zeros; these are copied, and their part once more.
    pub fn jitter_in_place(&self, x: Tensor, noise: &Tensor, of_view: bool) -> Tensor {
        if !self.records(&[&x]) {
            return x;
        }
        let saved = self.save(noise);
        let out = x.detach();
        let out = self.with_saved(&x, out, Some(saved), move |t, g, noise| {
            let product = || t.elementwise("mul", &[g, noise], g.dtype());
            if of_view {
                t.within_base(g, product)
            } else {
                product()
            }
        });
        if of_view {
            self.view_of_base(&out)
        } else {
            out
        }
    }

    /// `x /= number` for a view x: the result is in x's place. The gradient is put into zeros; these are
    /// copied, and their part once more (`CopySlices`, `torch/csrc/autograd/functions/tensor.cpp`).
    pub fn scale_view_in_place(&self, x: Tensor) -> Tensor {
        if !self.records(&[&x]) {
            return x;
        }
        let out =
            self.with_nothing_saved(&x, x.detach(), |t, g| t.within_base(g, || t.like("div", g)));
        self.view_of_base(&out)
    }

    /// The gradient of a view's base, where the gradient of the view is `changed`.
    fn within_base(&self, g: &Tensor, changed: impl FnOnce() -> Tensor) -> Tensor {
        let whole = self.like("new_empty_strided", g);
        let _part = self.like("clone", g);
        changed();
        whole
    }

    /// The view itself, once its base has changed.
    fn view_of_base(&self, base: &Tensor) -> Tensor {
        let zeros = |t: &Self, g: &Grads| smallvec![g[0].as_ref().map(|g| t.like("new_zeros", g))];
        self.attach(&[base], base.detach(), Box::new(zeros))
    }

    /// `PhimoeMultiplier`: the weight `[N, 1]` of the expert drawn for each token, of `scores` and
    /// `probabilities` `[N, E]`. Saves the weight before it is multiplied, the draw and the
    /// probabilities.
    pub fn drawn_weight(
        &self,
        scores: &Tensor,
        [weight, drawn, probabilities, factor]: [&Tensor; 4],
    ) -> Tensor {
        let records = self.records(&[scores, weight, probabilities]);
        let out = self.unrecorded(|| self.mul(weight, factor));
        if !records {
            return out;
        }
        let saved = [weight, drawn, probabilities].map(|kept| self.save(kept));
        let dtype = scores.dtype();
        let backward = move |t: &Self, g: &Grads| {
            let [weight, _drawn, probabilities] = saved.each_ref().map(|saved| saved.unpack(t));
            let Some(g) = &g[0] else { return Grads::new() };
            let g = t.mul(g, &weight);
            let spread = {
                let negative = t.mul_scalar(&g);
                t.mul(&probabilities, &negative)
            };
            drop(g);
            smallvec![Some(t.to(&spread, dtype)), None, None]
        };
        let inputs = [scores, weight, probabilities];
        let [out] = self.function(&inputs, [out], Box::new(backward));
        out
    }
}

//! Activation functions of one input.

use crate::tape::checkpoint::Saved;
use crate::tape::graph::Grads;
use crate::tape::{Tape, Tensor};
use smallvec::smallvec;

impl Tape {
    /// `torch.nn.functional.gelu(x)`, exact or approximated. Saves x.
    pub fn gelu(&self, x: &Tensor) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.like("gelu", x);
        self.activated(x, out, saved, "gelu_backward")
    }

    /// `torch.tanh(x)`. Saves its result.
    pub fn tanh(&self, x: &Tensor) -> Tensor {
        self.saving_its_result("tanh", "tanh_backward", x)
    }

    /// `torch.exp(x)`. Saves its result.
    pub fn exp(&self, x: &Tensor) -> Tensor {
        let x = &self.cast_up(x);
        self.saving_its_result("exp", "mul", x)
    }

    /// `torch.erf(x)`. Saves x; its gradient `c * exp(-x.pow(2)) * g` holds four temporaries of x's size.
    pub fn erf(&self, x: &Tensor) -> Tensor {
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.like("erf", x);
        self.with_saved(x, out, saved, |t, g, x| {
            let _held = ["pow", "neg", "exp", "mul"].map(|op| t.like(op, x));
            t.like("mul", g)
        })
    }

    /// `torch.nn.functional.softplus(x)`. Saves x.
    pub fn softplus(&self, x: &Tensor) -> Tensor {
        let x = &self.cast_up(x);
        let saved = self.records(&[x]).then(|| self.save(x));
        let out = self.like("softplus", x);
        self.activated(x, out, saved, "softplus_backward")
    }

    /// `torch.nn.functional.relu(x)`. Saves its result.
    pub fn relu(&self, x: &Tensor) -> Tensor {
        self.saving_its_result("relu", "threshold_backward", x)
    }

    /// `torch.relu_(x)`: the result is in x's place, which nothing may have saved. Saves it.
    pub fn relu_in_place(&self, x: Tensor) -> Tensor {
        if !self.records(&[&x]) {
            return x;
        }
        let saved = self.save(&x.detach());
        self.activated(&x, x.detach(), Some(saved), "threshold_backward")
    }

    /// `torch.sigmoid(x)`. Saves its result.
    pub fn sigmoid(&self, x: &Tensor) -> Tensor {
        self.saving_its_result("sigmoid", "sigmoid_backward", x)
    }

    /// A function of its own with its gradient (`torch.autograd.Function`): `forward(x)` runs
    /// without gradients, `backward(g, x)` gives the gradient. Saves x.
    pub fn saving_its_input(
        &self,
        x: &Tensor,
        forward: impl FnOnce(&Self, &Tensor) -> Tensor,
        backward: fn(&Self, &Tensor, &Tensor) -> Tensor,
    ) -> Tensor {
        let records = self.records(&[x]);
        let grad_mode = self.set_grad_enabled(false);
        let out = forward(self, x);
        self.set_grad_enabled(grad_mode);
        if !records {
            return out;
        }
        let saved = self.save(x);
        self.with_saved(x, out, Some(saved), backward)
    }

    fn saving_its_result(&self, op: &'static str, backward: &'static str, x: &Tensor) -> Tensor {
        let out = self.like(op, x);
        let saved = self.records(&[x]).then(|| self.save(&out.detach()));
        self.activated(x, out, saved, backward)
    }

    /// Puts the result of an activation into the graph, whose gradient is one kernel over the incoming gradient and the
    /// saved tensor.
    pub(super) fn activated(
        &self,
        x: &Tensor,
        out: Tensor,
        saved: Option<Saved>,
        backward: &'static str,
    ) -> Tensor {
        self.with_saved(x, out, saved, move |t, g, kept| {
            t.elementwise(backward, &[g, kept], g.dtype())
        })
    }

    /// Puts a result `out` of x into the graph, if x's gradient is asked for, where nothing is saved:
    /// `backward(g)` gives it.
    pub(super) fn with_nothing_saved(
        &self,
        x: &Tensor,
        out: Tensor,
        backward: impl Fn(&Self, &Tensor) -> Tensor + 'static,
    ) -> Tensor {
        if !self.records(&[x]) {
            return out;
        }
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| smallvec![g[0].as_ref().map(|g| backward(t, g))]),
        )
    }

    /// Puts a result `out` of x into the graph, if something was saved for it: `backward(g, kept)` gives
    /// x's gradient.
    pub(super) fn with_saved(
        &self,
        x: &Tensor,
        out: Tensor,
        saved: Option<Saved>,
        backward: impl Fn(&Self, &Tensor, &Tensor) -> Tensor + 'static,
    ) -> Tensor {
        let Some(saved) = saved else { return out };
        self.attach(
            &[x],
            out,
            Box::new(move |t, g| {
                let Some(g) = &g[0] else { return Grads::new() };
                let kept = saved.unpack(t);
                smallvec![Some(backward(t, g, &kept))]
            }),
        )
    }
}

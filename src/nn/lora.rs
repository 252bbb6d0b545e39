//! Adapters as PEFT builds and runs them: two factors of low rank beside a frozen linear layer.
//!
//! Source: peft 0.21, `tuners/lora/layer.py` and `tuners/tuners_utils.py`.

use crate::spec::{ALL_LINEAR, Lora};
use crate::tape::{Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::OnceCell;
use std::rc::Rc;

/// The factors A `[r, inputs]` and B `[outputs, r]`, in float32 whatever the layer's dtype is
/// (`autocast_adapter_dtype`).
pub(super) struct Adapter {
    a: Tensor,
    b: Tensor,
    dropout: bool,
}

impl Adapter {
    /// `B(A(dropout(x)))`, scaled.
    fn scaled(&self, t: &Tape, x: &Tensor) -> Tensor {
        let wide = {
            let narrow = {
                let dropped = if self.dropout {
                    t.dropout(x)
                } else {
                    x.clone()
                };
                t.linear(&dropped, &self.a, None)
            };
            t.linear(&narrow, &self.b, None)
        };
        t.mul_scalar(&wide)
    }

    /// `lora.Linear.forward`: adds to the layer's `result` for `x`. x is cast to the dtype of the
    /// factors, and the sum back to that of the result.
    pub(super) fn forward(&self, t: &Tape, x: &Tensor, result: Tensor) -> Tensor {
        let dtype = result.dtype();
        let x = t.to(x, self.a.dtype());
        let scaled = self.scaled(t, &x);
        let sum = t.add(&result, &scaled);
        drop(scaled);
        drop(result);
        t.to(&sum, dtype)
    }

    /// `lora.bnb.Linear4bit.forward` and `Linear8bitLt.forward`: the same beside a quantized layer;
    /// autocast does without casts of its own.
    pub(super) fn forward_quantized(&self, t: &Tape, x: &Tensor, result: Tensor) -> Tensor {
        let (x, output) = if t.autocast_dtype().is_some() {
            (x.clone(), self.scaled(t, x))
        } else {
            let x = t.to(x, self.a.dtype());
            let scaled = self.scaled(t, &x);
            let output = t.to(&scaled, result.dtype());
            (x, output)
        };
        let sum = t.add(&result, &output);
        drop((result, output, x));
        sum
    }
}

/// Where an adapter will be once all of the model is built.
pub(super) type Slot = Rc<OnceCell<Adapter>>;

/// A layer that gets an adapter.
pub(super) struct Target {
    pub(super) slot: Slot,
    pub(super) scope: u32,
    pub(super) inputs: u64,
    pub(super) outputs: u64,
    /// The dtype that the factors have in between: the layer's, unless it is quantized.
    pub(super) dtype: DType,
}

/// Whether the linear layer at `path` is meant by one of the names: it is the whole path or its end
/// (`check_target_module_exists`). The layer that gives the logits must be named.
pub(super) fn is_target(lora: &Lora, path: &str, output: bool) -> bool {
    let is_called = |name: &String| {
        (name == ALL_LINEAR && !output)
            || path
                .strip_suffix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    lora.target_modules.iter().any(is_called)
}

/// Gives every target its adapter: each is made in float32 and takes the dtype of its layer, then
/// those in half precision become float32 again. Returns the elements of all factors.
pub(super) fn attach(t: &Tape, lora: &Lora, targets: &[Target]) -> u64 {
    let factors = |target: &Target| {
        [
            Shape::from([lora.r, target.inputs]),
            Shape::from([target.outputs, lora.r]),
        ]
    };
    let halves = |target: &Target| {
        let made = factors(target).map(|shape| t.empty("empty", shape, DType::Float32));
        made.map(|factor| t.to(&factor, target.dtype))
    };
    let narrow: Vec<Option<[Tensor; 2]>> = targets
        .iter()
        .map(|target| target.dtype.is_half().then(|| halves(target)))
        .collect();
    let mut elements = 0;
    for (target, narrow) in targets.iter().zip(narrow) {
        let mut narrow = narrow.into_iter().flatten();
        let [a, b] = factors(target).map(|shape| {
            elements += shape.numel();
            let factor = t.in_scope(target.scope, || t.parameter(shape, DType::Float32));
            drop(narrow.next());
            factor
        });
        let dropout = lora.dropout > 0.0;
        // A slot is filled once, here.
        let _ = target.slot.set(Adapter { a, b, dropout });
    }
    elements
}

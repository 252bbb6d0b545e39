//! Adapters as PEFT builds and runs them: two factors of low rank beside a frozen linear layer.
//!
//! Source: peft 0.21, `tuners/lora/layer.py` and `tuners/tuners_utils.py`.

use super::dora::{BaseWeight, Dora};
use super::facts::Facts;
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
    dora: Option<Dora>,
}

impl Adapter {
    /// `B(A(x))`.
    pub(super) fn product(&self, t: &Tape, x: &Tensor) -> Tensor {
        let narrow = t.linear(x, &self.a, None);
        t.linear(&narrow, &self.b, None)
    }

    /// What is added to the layer's `result`: `B(A(dropout(x)))` scaled, or what `DoRA` makes of it;
    /// and what lives as long.
    fn update(
        &self,
        t: &Tape,
        x: Tensor,
        result: &Tensor,
        bias: Option<&Tensor>,
    ) -> (Tensor, [Option<Tensor>; 2]) {
        let drops = self.drops(t);
        let Some(dora) = &self.dora else {
            let wide = {
                let dropped = if drops { t.dropout(&x) } else { x.clone() };
                let narrow = t.linear(&dropped, &self.a, None);
                drop(dropped);
                t.linear(&narrow, &self.b, None)
            };
            return (t.mul_scalar(&wide), [Some(x), None]);
        };
        let (x, undropped) = if drops {
            (t.dropout(&x), dora.keeps_input().then_some(x))
        } else {
            (x, None)
        };
        let update = dora.forward(t, self, &x, (!drops).then_some(result), bias);
        (update, [Some(x), undropped])
    }

    fn drops(&self, t: &Tape) -> bool {
        self.dropout && t.is_training()
    }

    /// `lora.Linear.forward`: adds to the layer's `result` for `x`. x is cast to the dtype of the
    /// factors, and the sum back to that of the result. `bias` is the layer's.
    pub(super) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        result: Tensor,
        bias: Option<&Tensor>,
    ) -> Tensor {
        let dtype = result.dtype();
        let x = t.to(x, self.a.dtype());
        let (update, [x, undropped]) = self.update(t, x, &result, bias);
        let sum = t.add(&result, &update);
        drop(update);
        let _x = undropped.or(x);
        let holds = self.dora.as_ref().is_some_and(Dora::holds_result) && !self.drops(t);
        let _result = holds.then_some(result);
        t.to(&sum, dtype)
    }

    /// `lora.bnb.Linear4bit.forward` and `Linear8bitLt.forward`: the same beside a quantized layer;
    /// autocast does without casts of its own.
    pub(super) fn forward_quantized(
        &self,
        t: &Tape,
        x: &Tensor,
        result: Tensor,
        bias: Option<&Tensor>,
    ) -> Tensor {
        let dtype = result.dtype();
        let casts = t.autocast_dtype().is_none();
        let casts_sum = casts && self.dora.as_ref().is_some_and(Dora::casts_sum);
        let x = if casts {
            t.to(x, self.a.dtype())
        } else {
            x.clone()
        };
        let (mut update, held) = self.update(t, x, &result, bias);
        if casts && !casts_sum {
            update = t.to(&update, dtype);
        }
        let sum = t.add(&result, &update);
        if self.dora.is_none() {
            drop(result);
            drop((held, update));
        } else {
            drop((update, held, result));
        }
        if casts_sum { t.to(&sum, dtype) } else { sum }
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
    /// The layer's own weight.
    pub(super) base: BaseWeight,
}

/// Whether the linear layer at `path` is meant by one of the names: it is the whole path or its end
/// (`check_target_module_exists`). One that is `spared` as it gives the logits must be named.
pub(super) fn is_target(lora: &Lora, path: &str, spared: bool) -> bool {
    let is_called = |name: &String| {
        (name == ALL_LINEAR && !spared)
            || path
                .strip_suffix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    lora.target_modules.iter().any(is_called)
}

/// Gives every target its adapter: each is made in float32 and takes the dtype of its layer, then
/// those in half precision become float32 again, unless an engine then casts all of them `at_last`.
/// Returns the elements of all factors.
pub(super) fn attach(
    t: &Tape,
    lora: &Lora,
    targets: Vec<Target>,
    facts: Facts,
    at_last: Option<DType>,
) -> u64 {
    let shapes = |target: &Target| {
        [
            Shape::from([lora.r, target.inputs]),
            Shape::from([target.outputs, lora.r]),
        ]
    };
    let factors = |target: &Target| {
        if target.dtype.is_half() {
            let made = shapes(target).map(|shape| t.empty("empty", shape, DType::Float32));
            made.map(|factor| t.to(&factor, target.dtype))
        } else {
            shapes(target).map(|shape| t.parameter(shape, DType::Float32))
        }
    };
    // Magnitudes in half precision become float32 with the factors.
    let magnitude = |target: &Target, a: &Tensor, b: &Tensor| {
        let norm = target.base.norm(t, a, b);
        if norm.dtype().is_half() {
            norm
        } else {
            t.into_parameter(&norm)
        }
    };
    let make = |target: &Target| {
        t.in_scope(target.scope, || {
            let [a, b] = factors(target);
            let magnitude = lora.use_dora.then(|| magnitude(target, &a, &b));
            (a, b, magnitude)
        })
    };
    let made: Vec<_> = targets.iter().map(make).collect();
    let mut elements = 0;
    let wide = |(target, (a, b, magnitude)): (Target, (Tensor, Tensor, Option<Tensor>))| {
        let mut trained = |made: Tensor| {
            elements += made.numel() * t.multiplicity(target.scope);
            if !made.dtype().is_half() {
                made
            } else if at_last.is_some() {
                t.empty("_to_copy", *made.shape(), DType::Float32)
            } else {
                t.parameter(*made.shape(), DType::Float32)
            }
        };
        let factors = t.in_scope(target.scope, || {
            (trained(a), trained(b), magnitude.map(&mut trained))
        });
        (target, factors)
    };
    let made: Vec<_> = targets.into_iter().zip(made).map(wide).collect();
    for (target, (a, b, magnitude)) in made {
        let last = |made: Tensor| match at_last {
            Some(dtype) => t.parameter(*made.shape(), dtype),
            None => made,
        };
        t.in_scope(target.scope, || {
            // A slot is filled once, here.
            let _ = target.slot.set(Adapter {
                a: last(a),
                b: last(b),
                dropout: lora.dropout > 0.0,
                dora: magnitude.map(|made| Dora::new(last(made), target.base, facts)),
            });
        });
    }
    elements
}

//! Adapters as PEFT builds and runs them: two factors of low rank beside a frozen linear layer.
//!
//! Source: peft 0.21, `tuners/lora/layer.py` and `tuners/tuners_utils.py`.

use super::dora::{BaseWeight, Dora};
use super::factors::Factors;
use crate::ask::{ALL_LINEAR, Lora};
use crate::nn::build::{Call, Division, Facts};
use crate::tape::{Placement, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::OnceCell;
use std::rc::Rc;

/// An adapter beside a frozen layer.
pub(crate) struct Adapter {
    factors: Factors,
    dropout: bool,
    /// Whether all dropout was switched off afterwards (`disable_dropout_in_model`, trl 1.16).
    dropout_is_off: bool,
    dora: Option<Dora>,
    call: Rc<Call>,
}

impl Adapter {
    fn is_on(&self) -> bool {
        !self.call.leaves_adapters_out()
    }

    /// A and B.
    pub(crate) fn factors(&self) -> [&Tensor; 2] {
        self.factors.both()
    }

    /// The input `x` as the adapter reads it where a kernel runs it with its layer, if that is dropped out.
    pub(crate) fn read(&self, t: &Tape, x: &Tensor) -> Option<Tensor> {
        self.drops(t).then(|| self.dropped(t, x))
    }

    /// The update of the layer's `result`: `B(A(dropout(x)))` scaled, or `DoRA`'s result of it;
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
                let dropped = t.with_own("lora_dropout", [], &x, |x| {
                    if drops { self.dropped(t, x) } else { x.clone() }
                });
                let narrow = self.factors.narrow(t, &dropped);
                drop(dropped);
                self.factors.widen(t, &narrow)
            };
            return (t.mul_scalar(&wide), [Some(x), None]);
        };
        let (x, undropped) = if drops {
            (self.dropped(t, &x), dora.keeps_input().then_some(x))
        } else {
            (x, None)
        };
        let update = dora.forward(t, &self.factors, &x, (!drops).then_some(result), bias);
        (update, [Some(x), undropped])
    }

    fn dropped(&self, t: &Tape, x: &Tensor) -> Tensor {
        if self.dropout_is_off {
            x.clone()
        } else {
            t.dropout(x)
        }
    }

    fn drops(&self, t: &Tape) -> bool {
        self.dropout && t.is_training()
    }

    /// `lora.Linear.forward`: adds to the layer's `result` for `x`. x is cast to the dtype of the
    /// factors, and the sum back to that of the result. `bias` is the layer's.
    pub(crate) fn forward(
        &self,
        t: &Tape,
        x: &Tensor,
        result: Tensor,
        bias: Option<&Tensor>,
    ) -> Tensor {
        let dtype = result.dtype();
        t.read_outside(&[Some(&self.factors.a)]);
        if let Some(dora) = self.dora.as_ref().filter(|dora| dora.is_of_torchtune()) {
            let x = if self.drops(t) {
                self.dropped(t, x)
            } else {
                x.clone()
            };
            return dora.torchtune(t, &self.factors, &x, &result);
        }
        let x = t.to(x, t.dtype_outside(&self.factors.a));
        let (update, [x, undropped]) = self.update(t, x, &result, bias);
        let sum = t.add(&result, &update);
        drop(update);
        let x = undropped.or(x);
        let holds = self.dora.as_ref().is_some_and(Dora::holds_result) && !self.drops(t);
        let result = holds.then_some(result);
        let cast = t.to(&sum, dtype);
        drop((sum, x, result));
        cast
    }

    /// `lora._ConvNd.forward`: adds to the `result` of a convolution of x. `convolve` runs that of a factor, A's first.
    pub(crate) fn forward_convolved(
        &self,
        t: &Tape,
        x: &Tensor,
        result: Tensor,
        convolve: impl Fn(&Tensor, &Tensor, bool) -> Tensor,
    ) -> Tensor {
        let dtype = result.dtype();
        let x = t.to(x, self.factors.a.dtype());
        let wide = {
            let narrow = if self.drops(t) {
                convolve(&self.dropped(t, &x), &self.factors.a, true)
            } else {
                convolve(&x, &self.factors.a, true)
            };
            convolve(&narrow, &self.factors.b, false)
        };
        let update = t.mul_scalar(&wide);
        drop(wide);
        let sum = t.add(&result, &update);
        drop((update, result));
        t.to(&sum, dtype)
    }

    /// `lora.Embedding.forward`: adds to the `result` for `indices` the rows of A at `indices`, times B.
    pub(crate) fn forward_table(&self, t: &Tape, indices: &Tensor, result: Tensor) -> Tensor {
        let dtype = result.dtype();
        if let Some(dora) = &self.dora {
            let sum = dora.forward_table(t, &self.factors, indices, &result);
            drop(result);
            return t.to(&sum, dtype);
        }
        let narrow = t.embedding(&t.t(&self.factors.a), indices);
        let update = t.mul_scalar(&t.matmul_transposed(&narrow, &self.factors.b));
        let sum = t.add(&result, &update);
        drop(result);
        t.to(&sum, dtype)
    }

    /// `lora.bnb.Linear4bit.forward` and `Linear8bitLt.forward`: the same beside a quantized layer;
    /// autocast does without casts of its own.
    pub(crate) fn forward_quantized(
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
            t.to(x, self.factors.a.dtype())
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

/// The place of an adapter once all of the model is built.
pub(crate) type Slot = Rc<OnceCell<Adapter>>;

/// The adapter in its place, unless the forward pass that is running leaves adapters out.
pub(crate) fn running(slot: &Slot) -> Option<&Adapter> {
    slot.get().filter(|adapter| adapter.is_on())
}

/// The first factor of the adapter in a place, by which wrappers of modules know the layer of PEFT.
pub(crate) fn first_factor(slot: &Slot) -> Option<&Tensor> {
    slot.get().map(|adapter| &adapter.factors.a)
}

/// A layer or parameter that gets an adapter.
pub(crate) struct Target {
    pub(crate) slot: Slot,
    pub(crate) scope: u32,
    /// The shapes of the factors A and B.
    pub(crate) shapes: [Shape; 2],
    /// The dtype that the factors have in between: the layer's, unless it is quantized.
    pub(crate) dtype: DType,
    /// The linear layer's own weight; none of a parameter by itself.
    pub(crate) base: Option<BaseWeight>,
    /// Whether it is an embedding, which holds the factors as they were made until both are cast.
    pub(crate) is_table: bool,
    /// Whether another rank has the layer.
    pub(crate) elsewhere: bool,
    /// How ranks divide the layer's columns, and those of B with them.
    pub(crate) division: Option<Box<Division>>,
}

impl Target {
    /// The `at`th factor, which `make` makes a parameter.
    fn factor(&self, t: &Tape, at: usize, make: impl FnOnce() -> Tensor) -> Tensor {
        let divided = self.division.is_some() && at == 1;
        let placement = if divided {
            Placement::Divided
        } else {
            Placement::Local
        };
        t.placed(placement, make)
    }

    /// Elements of its factors, and of the lengths of rows that `DoRA` learns.
    fn elements(&self, t: &Tape, use_dora: bool) -> u64 {
        let [a, b] = &self.shapes;
        let magnitude = if use_dora { b.dim(0) } else { 0 };
        (a.numel() + b.numel() + magnitude) * t.multiplicity(self.scope)
    }
}

/// Whether the linear layer at `path` is meant by one of the names: it is the whole path or its end
/// (`check_target_module_exists`). One that is `spared` as it gives the logits must be named.
pub(crate) fn is_target(lora: &Lora, path: &str, spared: bool) -> bool {
    let linear = lora.target_modules.iter().any(|name| name == ALL_LINEAR);
    (linear && !spared) || lora.names_module(path)
}

/// How the factors of adapters are made.
#[derive(Clone, Copy)]
pub(crate) struct Made {
    /// On the host, from where they come in the dtype of their layer.
    pub(crate) on_host: bool,
    /// An engine casts all of them in the end.
    pub(crate) at_last: Option<DType>,
    /// Each stays in the dtype of its layer.
    pub(crate) stays: bool,
    /// A trainer of TRL makes factors, but no magnitudes, bfloat16 in the end.
    pub(crate) narrowed: bool,
}

/// How adapters are used.
#[derive(Clone, Copy)]
pub(crate) struct Used<'a> {
    /// Facts that decide how modules run.
    pub(crate) facts: Facts,
    /// How the model is called.
    pub(crate) call: &'a Rc<Call>,
    /// Whether their dropout is off in training, too.
    pub(crate) dropout_is_off: bool,
    /// Whether they are torchtune's in the place of PEFT's.
    pub(crate) torchtune: bool,
}

/// Gives every target its adapter: each is made in float32 and takes the dtype of its layer, then
/// those in half precision become float32 again, unless each `stays`, or an engine then casts all of
/// them `at_last`. Those of parameters are made last (`_inject_parameters`). Returns the elements of all
/// factors, and whose factor each parameter is that was made here.
pub(crate) fn attach(
    t: &Tape,
    lora: &Lora,
    targets: Vec<Target>,
    used: Used,
    Made {
        on_host,
        at_last,
        stays,
        narrowed,
    }: Made,
) -> (u64, Vec<usize>) {
    let mut places = Vec::new();
    let how = [lora.use_dora, on_host, narrowed];
    let mut made = make(t, how, &targets, &mut places);
    let others = targets.iter().filter(|target| target.elsewhere);
    let mut elements = (others.map(|target| target.elements(t, lora.use_dora))).sum();
    for (at, (target, made)) in targets.iter().zip(&mut made).enumerate() {
        let mut trained = |(factor, made): (usize, &mut Tensor)| {
            elements += made.numel() * t.multiplicity(target.scope);
            if stays || !t.kept_as(made.dtype()).is_half() {
                return;
            }
            *made = if at_last.is_some() || narrowed {
                t.empty("_to_copy", *made.shape(), DType::Float32)
            } else {
                places.push(at);
                target.factor(t, factor, || t.parameter(*made.shape(), DType::Float32))
            };
        };
        t.in_scope(target.scope, || {
            made.iter_mut().enumerate().for_each(&mut trained);
        });
    }
    for (at, (target, made)) in targets.into_iter().zip(made).enumerate() {
        let last = |(factor, made): (usize, Tensor)| match at_last {
            _ if narrowed => {
                places.push(at);
                match factor {
                    0 | 1 => {
                        target.factor(t, factor, || t.parameter(*made.shape(), DType::BFloat16))
                    }
                    _ => t.into_parameter(&made),
                }
            }
            _ if t.kept_as(made.dtype()) != made.dtype() => made,
            _ if stays && made.dtype().is_half() => {
                places.push(at);
                target.factor(t, factor, || t.into_parameter(&made))
            }
            Some(dtype) => {
                places.push(at);
                t.parameter(*made.shape(), dtype)
            }
            None => made,
        };
        let (a, b, magnitude) = t.in_scope(target.scope, || {
            let mut made = made.into_iter().enumerate().map(last);
            (made.next(), made.next(), made.next())
        });
        let (Some(a), Some(b)) = (a, b) else {
            continue;
        };
        let dora = magnitude.zip(target.base);
        // A slot is filled once, here.
        let _ = target.slot.set(Adapter {
            factors: Factors {
                a,
                b,
                division: target.division,
            },
            dropout: lora.dropout > 0.0,
            dropout_is_off: used.dropout_is_off,
            dora: dora
                .map(|(magnitude, base)| Dora::new(magnitude, base, (used.facts, used.torchtune))),
            call: Rc::clone(used.call),
        });
    }
    (elements, places)
}

/// The factors of each target, and the lengths of rows that `DoRA` learns, as they are made first.
fn make(
    t: &Tape,
    [use_dora, on_host, narrowed]: [bool; 3],
    targets: &[Target],
    places: &mut Vec<usize>,
) -> Vec<Vec<Tensor>> {
    let mut make = |at: usize, target: &Target| {
        let is_half = t.kept_as(target.dtype).is_half();
        let mut made: Vec<Tensor> = if is_half && on_host {
            let moved = |shape| t.empty("_to_copy", shape, target.dtype);
            target.shapes.map(moved).into()
        } else if is_half {
            let made = target
                .shapes
                .map(|shape| t.empty("empty", shape, DType::Float32));
            let _held = target.is_table.then(|| made.clone());
            made.map(|factor| t.to(&factor, target.dtype)).into()
        } else if narrowed {
            let made = |shape| t.empty("empty", shape, DType::Float32);
            target.shapes.map(made).into()
        } else {
            places.extend([at; 2]);
            let dtype = if target.dtype.is_half() {
                target.dtype
            } else {
                DType::Float32
            };
            let factors = target.shapes.iter().enumerate();
            factors
                .map(|(at, shape)| target.factor(t, at, || t.parameter(*shape, dtype)))
                .collect()
        };
        if let Some(base) = target.base.as_ref().filter(|_| use_dora) {
            let norm = base.norm(t, &made[0], &made[1]);
            // Magnitudes in half precision become float32 with the factors.
            made.push(if norm.dtype().is_half() || narrowed {
                norm
            } else {
                places.push(at);
                t.into_parameter(&norm)
            });
        }
        made
    };
    let mut made = vec![Vec::new(); targets.len()];
    for of_parameters in [false, true] {
        for (at, target) in targets.iter().enumerate() {
            if target.base.is_none() == of_parameters && !target.elsewhere {
                made[at] = t.in_scope(target.scope, || make(at, target));
            }
        }
    }
    made
}

//! Parameters that belong to no linear layer, with PEFT's adapters of them: what the module computes
//! with is their sum with the product of both factors, made anew whenever the module runs, and kept for
//! backward.
//!
//! Source: peft 0.21, `tuners/lora/layer.py` (`ParamWrapper`); torch 2.15, `nn/utils/parametrize.py`.

use super::lora::{Adapter, Slot, running};
use crate::nn::build::{Builder, PackedExperts};
use crate::tape::{Called, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::OnceCell;

/// The operation of PEFT's module around the parameter's.
const WRAPPED: &str = "wrapped";

/// A matrix `[outputs, inputs]`, or one for each of several experts `[E, outputs, inputs]`.
pub(crate) struct Wrapped {
    weight: Held,
    /// Whether weights of experts are seen as `[E, inputs, outputs]`.
    transposed: bool,
    adapter: Option<Slot>,
}

/// How the parameter is held.
enum Held {
    Full(Tensor),
    Packed(PackedExperts),
}

impl Held {
    /// The module's parameter `name`.
    fn new(b: &Builder, name: &'static str, shape: Shape, dtype: DType) -> Self {
        let packed = PackedExperts::of(b, name, shape);
        packed.map_or_else(
            || Self::Full(b.parameter_in(name, shape, dtype)),
            Self::Packed,
        )
    }

    /// The parameter itself.
    fn own(&self) -> &Tensor {
        match self {
            Self::Full(weight) => weight,
            Self::Packed(packed) => packed.own(),
        }
    }

    /// The shape and dtype of the parameter at full width.
    fn full(&self) -> (&Shape, DType) {
        match self {
            Self::Full(weight) => (weight.shape(), weight.dtype()),
            Self::Packed(packed) => (packed.shape(), packed.dtype()),
        }
    }

    /// The parameter at full width.
    fn unpacked(&self, t: &Tape) -> Tensor {
        match self {
            Self::Full(weight) => weight.clone(),
            Self::Packed(packed) => packed.unpacked(t),
        }
    }
}

impl Wrapped {
    /// The module's parameter `name`.
    pub(crate) fn new(b: &Builder, name: &'static str, shape: impl Into<Shape>) -> Self {
        Self::new_in(b, name, shape, b.dtype(), false)
    }

    /// Wraps a parameter in a dtype of its own, `transposed` if its module says so.
    pub(crate) fn new_in(
        b: &Builder,
        name: &'static str,
        shape: impl Into<Shape>,
        dtype: DType,
        transposed: bool,
    ) -> Self {
        let shape = shape.into();
        Self {
            weight: Held::new(b, name, shape, dtype),
            transposed,
            adapter: b.parameter_adapter(name, shape, dtype, transposed),
        }
    }

    /// The parameter itself.
    pub(crate) fn own(&self) -> &Tensor {
        self.weight.own()
    }

    /// Prepares the module's run on `inputs`. That a change keeps shape and dtype is tried out once
    /// (`ParametrizationList`).
    pub(crate) fn open(&self, t: &Tape, inputs: &mut [&mut Tensor]) -> Opened<'_> {
        if self.adapter.is_some() {
            t.enter(&Called::with(WRAPPED, &[Some(self.own())]), inputs);
        }
        let adapter = self.adapter.as_ref().and_then(running);
        if let Some([a, b]) = adapter.map(Adapter::factors) {
            t.read_outside(&[Some(self.own()), Some(a), Some(b)]);
        }
        let opened = Opened {
            sum: OnceCell::new(),
            weight: &self.weight,
            is_wrapped: self.adapter.is_some(),
            change: adapter.map(|adapter| self.change(t, adapter)),
        };
        if opened.change.is_some() {
            drop(opened.summed(t));
        }
        opened
    }

    fn change(&self, t: &Tape, adapter: &Adapter) -> Change {
        let (shape, dtype) = self.weight.full();
        let [a, b] = adapter.factors();
        let rank = shape.rank();
        let experts = if rank == 3 { shape.dim(0) } else { 1 };
        if experts == 1 {
            let product = t.mul_scalar(&t.matrix_product(b, a));
            return Change::Whole(t.to(&product, dtype));
        }
        let a = t.view(a, [experts, a.dim(0) / experts, a.dim(1)]);
        let b = t.view(b, [b.dim(0), b.dim(1) / experts, experts]);
        let b = t.permute(&b, &[2, 0, 1]);
        let factors = if self.transposed {
            [a, b].map(|factor| t.transpose(&factor, 1, 2))
        } else {
            [b, a]
        };
        Change::Factors(factors.map(|factor| {
            let cast = t.to(&factor, dtype);
            if cast.dtype() != factor.dtype() {
                t.note_uncached_copy(&cast);
            }
            cast
        }))
    }
}

/// The change that is added to a parameter.
enum Change {
    /// A product that is folded into the sum (`_LoraFactorsProxy`).
    Factors([Tensor; 2]),
    /// `_LoraParameterProxy`.
    Whole(Tensor),
}

/// A parameter while its module runs.
pub(crate) struct Opened<'a> {
    /// `torch.nn.utils.parametrize.cached`.
    sum: OnceCell<Tensor>,
    weight: &'a Held,
    is_wrapped: bool,
    change: Option<Change>,
}

impl<'a> Opened<'a> {
    /// This rank's own part of a parameter that ranks share (`_use_local_dtensor_params`).
    pub(crate) fn of_this_rank(self, t: &Tape) -> Self {
        let own = t.part_of_ranks(self.get(t));
        Self {
            sum: OnceCell::from(own),
            ..self
        }
    }

    /// The tensor that the module computes with.
    pub(crate) fn get(&self, t: &Tape) -> &Tensor {
        self.sum.get_or_init(|| self.summed(t))
    }

    fn summed(&self, t: &Tape) -> Tensor {
        match &self.change {
            None => self.weight.unpacked(t),
            Some(Change::Factors([left, right])) => {
                t.without_autocast(|| t.baddbmm(&self.weight.unpacked(t), left, right))
            }
            Some(Change::Whole(change)) => t.add(&self.weight.unpacked(t), change),
        }
    }

    /// The parameter, if its module computes with something else instead.
    pub(crate) fn away(&self) -> Option<&'a Tensor> {
        self.change.as_ref().map(|_| self.weight.own())
    }

    /// Ends the use of a parameter that [`Wrapped::open`] began, with the results of its module.
    pub(crate) fn close(self, t: &Tape, results: &mut [&mut Tensor]) {
        let (weight, is_wrapped) = (self.weight, self.is_wrapped);
        drop(self);
        if is_wrapped {
            t.leave(&Called::with(WRAPPED, &[Some(weight.own())]), results);
        }
    }

    /// Ends the use of a parameter within that of `outer`, one of the same module that was opened before: sums are kept
    /// until both end.
    pub(crate) fn close_in(mut self, outer: Self, t: &Tape, results: &mut [&mut Tensor]) {
        let sum = self.sum.take();
        self.close(t, results);
        drop(sum);
        outer.close(t, results);
    }
}

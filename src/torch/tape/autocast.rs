//! Autocast: which operations run in low precision and which in float32.
//!
//! Source: `aten/src/ATen/autocast_mode.{h,cpp}`, torch 2.15. Casts of leaves that require gradients
//! (parameters, inputs of checkpointed regions that run again) are cached until autocast exits, all
//! other casts are made anew for each use.

use super::graph::{Edge, Leaf, ParameterId};
use super::{Category, Tape, Tensor};
use crate::units::DType;
use std::rc::Rc;

/// The state of an autocast region.
pub(super) struct Autocast {
    dtype: DType,
    /// Whether a backward pass has entered it. Each thread counts the regions that it is in, and backward passes
    /// have one of their own.
    of_backward: bool,
    /// Low-precision copies of parameters, in the order in which they were made.
    cache: Vec<(ParameterId, Tensor)>,
    /// Position of each parameter's copy in `cache`, by parameter.
    index: Vec<u32>,
    /// Low-precision copies of inputs.
    inputs: Vec<(Rc<Leaf>, Tensor)>,
    /// Storages of the copies of parameters that are made anew for each use: copies of frozen parameters, and float32
    /// copies of parameters in low precision.
    uncached: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl Autocast {
    fn cached(&self, id: ParameterId) -> Option<&Tensor> {
        let at = *self.index.get(id as usize)?;
        self.cache.get(at as usize).map(|(_, copy)| copy)
    }

    /// Has the copies that another region has.
    fn take_copies(&mut self, of: &mut Self) {
        self.cache.append(&mut of.cache);
        self.index.append(&mut of.index);
        self.inputs.append(&mut of.inputs);
    }

    fn insert(&mut self, id: ParameterId, copy: Tensor) {
        if self.index.len() <= id as usize {
            self.index.resize(id as usize + 1, ABSENT);
        }
        self.index[id as usize] = u32::try_from(self.cache.len()).unwrap_or(ABSENT);
        self.cache.push((id, copy));
    }
}

impl Tape {
    /// Enters `torch.autocast("cuda", dtype)`.
    pub fn enter_autocast(&self, dtype: DType) {
        *self.autocast.borrow_mut() = Some(Autocast {
            dtype,
            of_backward: self.in_backward.get(),
            cache: Vec::new(),
            index: Vec::new(),
            inputs: Vec::new(),
            uncached: Vec::new(),
        });
    }

    /// Whether it is in a region of this dtype that a backward pass has entered.
    pub(super) fn is_in_region_of_backward(&self, dtype: Option<DType>) -> bool {
        let autocast = self.autocast.borrow();
        let is_it = |autocast: &Autocast| autocast.of_backward && Some(autocast.dtype) == dtype;
        autocast.as_ref().is_some_and(is_it)
    }

    /// Runs `again` in a backward pass, which enters a region of this dtype for it. All threads share the copies of
    /// weights, which go when a thread leaves its outermost region: where the caller of backward is in a region,
    /// `again` takes the existing copies, and they are gone when it is done.
    pub(super) fn in_autocast_again<R>(
        &self,
        dtype: Option<DType>,
        again: impl FnOnce() -> R,
    ) -> R {
        let mut outer = self.autocast.borrow_mut().take();
        if let Some(dtype) = dtype {
            self.enter_autocast(dtype);
        }
        if let (Some(own), Some(outer)) = (self.autocast.borrow_mut().as_mut(), &mut outer)
            && own.dtype == outer.dtype
            && !outer.of_backward
        {
            own.take_copies(outer);
        }
        let result = again();
        self.exit_autocast();
        *self.autocast.borrow_mut() = outer;
        result
    }

    /// Leaves autocast, which drops the cached copies of weights.
    pub fn exit_autocast(&self) {
        let autocast = self.autocast.borrow_mut().take();
        drop(autocast);
    }

    /// The low precision of the autocast region, if there is one.
    pub fn autocast_dtype(&self) -> Option<DType> {
        self.autocast.borrow().as_ref().map(|a| a.dtype)
    }

    /// Says of the low-precision copies of parameters that are alive what they are.
    pub fn classify_autocast_copies(&self) {
        if let Some(autocast) = self.autocast.borrow().as_ref() {
            let cached = autocast.cache.iter().map(|(_, copy)| copy.storage_id());
            for id in cached.chain(autocast.uncached.iter().copied()) {
                self.classify(id, Category::AutocastWeights);
            }
        }
    }

    /// Runs `f` with autocast off, as the operations inside of an autocast wrapper do.
    pub fn without_autocast<R>(&self, f: impl FnOnce() -> R) -> R {
        let saved = self.autocast.borrow_mut().take();
        let result = f();
        *self.autocast.borrow_mut() = saved;
        result
    }

    /// `cached_cast(lower_precision, x)`: float32 tensors are cast down inside of autocast.
    pub(super) fn cast_down(&self, x: &Tensor) -> Tensor {
        let Some(dtype) = self.autocast_dtype() else {
            return x.clone();
        };
        if !x.dtype().is_float() || x.dtype() == dtype {
            return x.clone();
        }
        if let Some(leaf) = x.input().filter(|_| x.dtype() == DType::Float32) {
            return self.cast_input(leaf, x, dtype);
        }
        // Only float32 leaves that require gradients are cached.
        let parameter = x.parameter().filter(|_| x.dtype() == DType::Float32);
        if let Some(id) = parameter
            && let Some(copy) = self.autocast.borrow().as_ref().and_then(|a| a.cached(id))
        {
            return copy.clone();
        }
        let asked = self.is_grad_enabled();
        let kept = parameter.is_some() && self.backend().kept_casts_get_gradients;
        self.set_grad_enabled(asked || kept);
        let copy = self.to(x, dtype);
        self.set_grad_enabled(asked);
        if let Some(autocast) = self.autocast.borrow_mut().as_mut() {
            if let Some(id) = parameter {
                // Several backward passes can come to it while the region lasts.
                if let Some(Edge::Node(cast, _)) = copy.resolved_edge() {
                    cast.stays.set(true);
                }
                autocast.insert(id, copy.clone());
            } else if x.category() == Category::Parameters {
                autocast.uncached.push(copy.storage_id());
            }
        }
        copy
    }

    /// The copy of an input x, which is one leaf wherever it is used.
    fn cast_input(&self, leaf: &Rc<Leaf>, x: &Tensor, dtype: DType) -> Tensor {
        let cached = self.autocast.borrow().as_ref().and_then(|autocast| {
            let mut inputs = autocast.inputs.iter();
            inputs.find(|(other, _)| Rc::ptr_eq(other, leaf)).cloned()
        });
        cached.map_or_else(
            || {
                let copy = self.to(x, dtype);
                if let Some(autocast) = self.autocast.borrow_mut().as_mut() {
                    autocast.inputs.push((Rc::clone(leaf), copy.clone()));
                }
                copy
            },
            |(_, copy)| copy,
        )
    }

    /// `cached_cast(float32, x)`: low-precision tensors are cast up inside of autocast.
    pub(super) fn cast_up(&self, x: &Tensor) -> Tensor {
        if self.autocast.borrow().is_none() || !x.dtype().is_half() {
            return x.clone();
        }
        let copy = self.to(x, DType::Float32);
        if x.category() == Category::Parameters {
            self.note_uncached_copy(&copy);
        }
        copy
    }

    /// Says that `copy` is one of a parameter that autocast does not keep for later products.
    pub fn note_uncached_copy(&self, copy: &Tensor) {
        if let Some(autocast) = self.autocast.borrow_mut().as_mut() {
            autocast.uncached.push(copy.storage_id());
        }
    }
}

//! Common arguments of all modules, and their parameters.

use super::config::TransformerConfig;
use super::memory::GlobalMemory;
use crate::model::ParameterMarks;
use crate::tape::{Category, Storage, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;
use std::rc::Rc;

/// A parameter, with what the library marks it with.
pub(crate) type ModuleParameter = (Tensor, ParameterMarks);

/// A parameter's memory in float32, until all are made what they are trained in.
pub(super) type MadeWide = (Tensor, Storage);

/// Builds modules, which note their parameters.
pub(super) struct Modules<'a> {
    pub(super) tape: &'a Tape,
    pub(super) config: Rc<TransformerConfig>,
    pub(super) memory: GlobalMemory,
    parameters: RefCell<Vec<ModuleParameter>>,
    wide: RefCell<Vec<MadeWide>>,
}

impl<'a> Modules<'a> {
    pub(super) fn new(tape: &'a Tape, config: Rc<TransformerConfig>, memory: GlobalMemory) -> Self {
        Self {
            tape,
            config,
            memory,
            parameters: RefCell::default(),
            wide: RefCell::default(),
        }
    }

    fn note(&self, tensor: &Tensor) {
        let marks = ParameterMarks::default();
        self.parameters.borrow_mut().push((tensor.clone(), marks));
    }

    /// Marks the parameter that was made last.
    pub(super) fn mark(&self, mark: impl FnOnce(&mut ParameterMarks)) {
        if let Some((_, marks)) = self.parameters.borrow_mut().last_mut() {
            mark(marks);
        }
    }

    /// The weight of a layer.
    pub(super) fn weight(&self, shape: [u64; 2]) -> Tensor {
        let weight = self.tape.parameter(Shape::from(shape), self.config.dtype);
        self.note(&weight);
        weight
    }

    /// The weight of a norm or of a router, which is made in float32 and becomes what the model is trained in
    /// when all modules are there, a router's at once.
    pub(super) fn wide_weight(&self, shape: Shape, at_once: bool) -> Tensor {
        let (t, dtype) = (self.tape, self.config.dtype);
        let weight = if dtype == DType::Float32 {
            t.parameter(shape, dtype)
        } else {
            let wide = t.hold("ones", &shape, DType::Float32, Category::Parameters);
            let weight = t.parameter_without_storage(shape, dtype);
            if at_once {
                t.give_storage("_to_copy", &weight);
            } else {
                self.wide.borrow_mut().push((weight.clone(), wide));
            }
            weight
        };
        self.note(&weight);
        self.mark(|made| made.sums_sequence = self.config.sequence_parallel);
        weight
    }

    /// The parameters in the order in which they were made, and the ones that are still in float32.
    pub(super) fn finish(self) -> (Vec<ModuleParameter>, Vec<MadeWide>) {
        (self.parameters.take(), self.wide.take())
    }
}

/// `torch.nn.RMSNorm` with a weight, in place of Apex's.
pub(super) struct Norm(Tensor);

impl Norm {
    pub(super) fn new(m: &Modules, columns: u64) -> Self {
        Self(m.wide_weight(Shape::from([columns]), false))
    }

    pub(super) fn forward(&self, t: &Tape, x: &Tensor) -> Tensor {
        t.rms_norm(x, Some(&self.0))
    }
}

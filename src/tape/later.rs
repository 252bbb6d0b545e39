//! Parameters whose storage comes later than the modules that compute with them.

use super::{Category, Tape, Tensor};
use crate::units::{DType, Shape};
use std::rc::Rc;

impl Tape {
    /// A parameter that gets a gradient, without a storage until [`Tape::give_storage`].
    pub fn parameter_without_storage(&self, shape: Shape, dtype: DType) -> Tensor {
        self.into_parameter(&self.without_storage(shape, dtype))
    }

    /// The same that gets none.
    pub fn without_storage(&self, shape: Shape, dtype: DType) -> Tensor {
        let storage = Rc::new(self.recorder.alloc(0, Category::Parameters, "parameter"));
        Tensor::row_major(storage, shape, dtype)
    }

    /// Allocates the storage of a parameter, as `op` does.
    pub fn give_storage(&self, op: &'static str, parameter: &Tensor) {
        let bytes = parameter.numel() * parameter.dtype().size();
        let storage = self.recorder.alloc(bytes, Category::Parameters, op);
        self.recorder
            .describe(&storage, parameter.shape(), parameter.dtype());
        parameter.take_storage(storage);
    }
}

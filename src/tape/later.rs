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
        self.give_storage_for(Category::Parameters, op, parameter);
    }

    /// The same of any tensor without storage, for `category`.
    pub fn give_storage_for(&self, category: Category, op: &'static str, x: &Tensor) {
        x.take_storage(self.hold(op, x.shape(), x.dtype(), category));
    }
}

//! The operations that made the storages of a record, kept where somebody looks closely.

use crate::units::{DType, Shape};

/// The operations and shapes of storages, by where they are written ([`super::Record::place_of`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    pub(super) made: Vec<Made>,
    shapes: Vec<(Shape, DType)>,
}

/// The operation that made a storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Made {
    op: &'static str,
    /// The index of its shape in the list of shapes, counted from 1; 0 when it is not known.
    shape: u32,
}

impl Details {
    /// The next storage is made by `op`.
    pub(super) fn add(&mut self, op: &'static str) {
        self.made.push(Made { op, shape: 0 });
    }

    /// The next storage is made as this one was.
    pub(super) fn repeat(&mut self, storage: usize) {
        let made = self.made[storage];
        self.made.push(made);
    }

    /// The shape and type that a storage was made for.
    pub(super) fn describe(&mut self, storage: usize, shape: (Shape, DType)) {
        if let Some(made) = self.made.get_mut(storage) {
            self.shapes.push(shape);
            made.shape = u32::try_from(self.shapes.len()).unwrap_or(0);
        }
    }

    /// The operation that made a storage, by its `ATen` name; empty when it is not known.
    pub fn op(&self, storage: usize) -> &'static str {
        self.made.get(storage).map_or("", |made| made.op)
    }

    /// The shape and type that a storage was made for, where it was made as a tensor.
    pub fn shape(&self, storage: usize) -> Option<(Shape, DType)> {
        let at = self.made.get(storage)?.shape as usize;
        self.shapes.get(at.checked_sub(1)?).copied()
    }
}

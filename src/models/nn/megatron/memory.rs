//! Memory that all layers use one after the other (`GlobalMemoryBuffer`, `core/utils.py`).

use crate::tape::{Category, Gathered, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;
use std::rc::Rc;

/// The buffer of each dtype: as large as the most that was asked for, for ever.
#[derive(Clone, Default)]
pub(super) struct GlobalMemory(Rc<RefCell<Vec<(DType, Tensor)>>>);

impl GlobalMemory {
    /// A buffer for `elements` elements (`get_tensor`). A larger buffer is allocated before the buffer that it replaces
    /// is freed.
    pub(super) fn get(&self, t: &Tape, elements: u64, dtype: DType) -> Tensor {
        let mut buffers = self.0.borrow_mut();
        let found = buffers.iter().position(|&(of, _)| of == dtype);
        if let Some((_, buffer)) = found.and_then(|at| buffers.get(at))
            && buffer.numel() >= elements
        {
            return buffer.clone();
        }
        let shape = Shape::from([elements]);
        let buffer = t.allocate("empty", shape, dtype, Category::Workspaces);
        match found {
            Some(at) => buffers[at].1 = buffer.clone(),
            None => buffers.push((dtype, buffer.clone())),
        }
        buffer
    }

    /// [`Self::get`] as the callback of an operation that gathers a sequence.
    pub(super) fn gathered(&self) -> Gathered {
        let memory = self.clone();
        Rc::new(move |t, elements, dtype| memory.get(t, elements, dtype))
    }
}

//! How a model is called besides its batch: what generation and evaluation ask of it.

use super::model::Request;
use crate::tape::Tensor;
use std::cell::RefCell;

/// What the next forward passes are called with.
#[derive(Default)]
pub(super) struct Call {
    request: RefCell<Request>,
}

impl Call {
    /// Says what the next forward pass is asked for.
    pub(super) fn ask(&self, request: Request) {
        self.request.replace(request);
    }

    /// The positions that are given.
    pub(super) fn positions(&self) -> Option<Tensor> {
        self.request.borrow().positions.clone()
    }

    /// Whether a mask is given even where there is no padding.
    pub(super) fn has_mask(&self) -> bool {
        self.request.borrow().positions.is_some()
    }

    /// Of how many last positions logits are asked for; of all, if nothing is said.
    pub(super) fn logits_to_keep(&self) -> Option<u64> {
        self.request.borrow().logits_to_keep
    }
}

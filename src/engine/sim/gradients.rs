//! Categories of the storages of gradients.

use crate::optim::Optimizer;
use crate::tape::{Category, Tape};
use std::cell::RefCell;
use std::rc::Rc;

/// Says of every gradient that there is what it is.
pub(super) fn classify_gradients(t: &Tape) {
    t.for_each_parameter(|_, _, grad| {
        if let Some(grad) = grad {
            grad.set_category(Category::Gradients);
        }
    });
}

/// Has an optimizer apply each gradient before the next one is taken.
pub(super) fn apply_before_next(t: &Tape, optimizer: &Rc<RefCell<Optimizer>>) {
    let optimizer = Rc::clone(optimizer);
    t.before_gradient(move |t| {
        classify_gradients(t);
        optimizer.borrow().fused_update(t);
    });
}

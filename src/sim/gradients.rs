//! What storages of gradients are said to be.

use crate::tape::{Category, Tape};

/// Says of every gradient that there is what it is.
pub(super) fn classify_gradients(t: &Tape) {
    t.for_each_parameter(|_, _, grad| {
        if let Some(grad) = grad {
            grad.set_category(Category::Gradients);
        }
    });
}

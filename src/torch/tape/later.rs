//! Parameters whose storage comes later than the modules that compute with them, and goes before them.

use super::recorder::Storage;
use super::{Category, Tape, Tensor};
use crate::units::{DType, Shape};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::{Rc, Weak};

/// Parameters whose data may be replaced, and the storages that the graph's views of them hold once that happens.
#[derive(Default)]
pub(super) struct Viewed {
    /// The storages of these parameters.
    parameters: RefCell<BTreeSet<*const Storage>>,
    /// Storages without an id until a parameter's data are replaced and they take over the old data, each with that
    /// parameter's storage.
    kept: RefCell<Vec<(Rc<Storage>, Weak<Storage>)>>,
}

impl Viewed {
    /// The storage that views of this parameter's present data hold.
    fn of(&self, parameter: &Rc<Storage>) -> Option<Rc<Storage>> {
        let kept = self.kept.borrow();
        let mut alive = (kept.iter())
            .filter(|(storage, _)| Rc::ptr_eq(storage, parameter))
            .filter_map(|(_, kept)| kept.upgrade());
        alive.find(|kept| kept.is_nothing())
    }
}

impl Tape {
    /// A parameter that gets a gradient, without a storage until [`Tape::give_storage`].
    pub fn parameter_without_storage(&self, shape: Shape, dtype: DType) -> Tensor {
        self.into_parameter(&self.without_storage(shape, dtype))
    }

    /// A tensor without a storage, which gets no gradient.
    pub fn without_storage(&self, shape: Shape, dtype: DType) -> Tensor {
        let storage = Rc::new(self.recorder.alloc(0, Category::Parameters, "parameter"));
        Tensor::row_major(storage, shape, dtype)
    }

    /// Allocates the storage of a parameter, as `op` does.
    pub fn give_storage(&self, op: &'static str, parameter: &Tensor) {
        self.give_storage_for(Category::Parameters, op, parameter);
    }

    /// Allocates the storage of any tensor without one, for `category`.
    pub fn give_storage_for(&self, category: Category, op: &'static str, x: &Tensor) {
        x.take_storage(&self.hold(op, x.shape(), x.dtype(), category));
    }

    /// Keeps the data of the parameter that `x` is a view of, for as long as the returned storage lives
    /// (`SavedVariable`: a leaf is saved as itself, a view with its storage). `None` where parameters never get other
    /// data.
    pub(super) fn keep_data(&self, x: &Tensor) -> Option<Rc<Storage>> {
        self.keep_data_of(x.storage_of_base()?)
    }

    /// A tensor detached with its data as they are now: it is no longer the parameter itself.
    pub(in crate::tape) fn detached_data(&self, x: &Tensor) -> Tensor {
        over(x, self.keep_data_of(x.storage()))
    }

    /// A tensor as autograd saves it, outside of the graph: with the data of a view, or as the parameter itself.
    pub(super) fn saved_data(&self, x: &Tensor) -> Tensor {
        over(x, self.keep_data(x))
    }

    fn keep_data_of(&self, parameter: &Rc<Storage>) -> Option<Rc<Storage>> {
        let parameters = self.viewed.parameters.borrow();
        if !parameters.contains(&Rc::as_ptr(parameter)) {
            return None;
        }
        if let Some(kept) = self.viewed.of(parameter) {
            return Some(kept);
        }
        let kept = Rc::new(self.recorder.alloc(0, Category::Parameters, "view"));
        let mut all = self.viewed.kept.borrow_mut();
        all.retain(|(_, kept)| kept.strong_count() > 0);
        all.push((Rc::clone(parameter), Rc::downgrade(&kept)));
        Some(kept)
    }

    /// From here on the data of a parameter may go ([`Tape::drop_data`]).
    pub fn let_data_go(&self, parameter: &Tensor) {
        let mut parameters = self.viewed.parameters.borrow_mut();
        parameters.insert(Rc::as_ptr(parameter.storage()));
    }

    /// `parameter.data = torch.empty(0)`: its data go, unless the graph keeps a view of them.
    pub fn drop_data(&self, parameter: &Tensor) {
        match self.viewed.of(parameter.storage()) {
            Some(kept) => kept.become_other(parameter.storage()),
            None => parameter.free_storage(),
        }
    }
}

/// A tensor detached, over other data if there are some.
fn over(x: &Tensor, data: Option<Rc<Storage>>) -> Tensor {
    data.map_or_else(|| x.detach(), |data| x.detach_over(&data))
}

//! Checkpointed regions that keep the results of some operations: those are not computed again.
//!
//! Source: `create_selective_checkpoint_contexts` of `torch/utils/checkpoint.py`, torch 2.15.

use super::{Tape, Tensor};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Operations whose results checkpointed regions keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptOperations {
    /// `aten.mm` and `aten.addmm`.
    pub products: bool,
    /// The fused kernels of `scaled_dot_product_attention`.
    pub attention: bool,
    /// Whether only the first of every two products is kept.
    pub every_second: bool,
}

/// The kind of an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Product,
    Attention,
}

/// The results of one operation.
type Given = SmallVec<[Tensor; 4]>;

/// The results that one region has kept, in the order in which its operations ran.
pub(super) struct Kept {
    which: KeptOperations,
    products: Cell<u64>,
    given: RefCell<Vec<Option<Given>>>,
    next: Cell<usize>,
}

impl Kept {
    fn has(&self, operation: Operation) -> bool {
        match operation {
            Operation::Product => self.which.products,
            Operation::Attention => self.which.attention,
        }
    }

    /// Keeps the results of an operation, or the note that it is to run again.
    fn keep(&self, operation: Operation, given: &[Tensor]) {
        let mut again = false;
        if operation == Operation::Product {
            self.products.set(self.products.get() + 1);
            again = self.which.every_second && self.products.get().is_multiple_of(2);
        }
        let kept = (!again).then(|| given.iter().map(Tensor::detach).collect());
        self.given.borrow_mut().push(kept);
    }

    /// Takes the results of the next operation, if they were kept.
    fn take(&self) -> Option<Given> {
        let next = self.next.get();
        self.next.set(next + 1);
        self.given.borrow_mut().get_mut(next)?.take()
    }
}

impl Tape {
    /// Sets the operations whose results checkpointed regions keep from here on.
    pub fn keep_operations(&self, which: Option<KeptOperations>) {
        self.kept_operations.set(which);
    }

    /// An empty store for a region that begins, if it keeps results.
    pub(super) fn begin_keeping(&self) -> Option<Kept> {
        self.kept_operations.get().map(|which| Kept {
            which,
            products: Cell::new(0),
            given: RefCell::default(),
            next: Cell::new(0),
        })
    }

    /// Runs the parts of one operation of a library: selective checkpointing sees the whole operation alone, and keeps
    /// none of its parts.
    pub(super) fn as_one_operation<R>(&self, run: impl FnOnce() -> R) -> R {
        let outer = self.in_operation.replace(true);
        let result = run();
        self.in_operation.set(outer);
        result
    }

    /// Runs an operation, or returns the results that it gave when it ran first.
    pub(super) fn kept_operation<const N: usize>(
        &self,
        operation: Operation,
        run: impl FnOnce() -> [Tensor; N],
    ) -> [Tensor; N] {
        let (frame, again) = match (&*self.recompute.borrow(), &*self.checkpoint.borrow()) {
            (Some(recompute), _) => (Some(Rc::clone(recompute.frame())), true),
            (None, Some(frame)) => (Some(Rc::clone(frame)), false),
            (None, None) => (None, false),
        };
        let kept = frame.as_ref().and_then(|frame| frame.kept.as_ref());
        let seen = !self.in_operation.get() && !self.recorder.is_muted();
        let kept = kept.filter(|kept| seen && kept.has(operation));
        let Some(kept) = kept else { return run() };
        if !again {
            let given = run();
            kept.keep(operation, &given);
            return given;
        }
        let given = kept.take().and_then(|given| {
            let all: Vec<Tensor> = given.into_iter().collect();
            all.try_into().ok()
        });
        given.unwrap_or_else(run)
    }
}

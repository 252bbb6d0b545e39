//! Tensors that an evaluation keeps of its batches until it ends.

use crate::tape::{Category, Tape, Tensor};
use crate::units::{DType, Shape};

/// Batches that are run one by one. Those between the first and the last of them only add to the
/// predictions that are kept.
pub(super) const BATCHES: u64 = 8;

/// Number of batches that are not run but add to the kept tensors one by one.
const ONE_BY_ONE: u64 = 64;

/// Tensors of all batches so far, each joined with those before it (`EvalLoopContainer`, transformers 5.23).
#[derive(Default)]
pub(super) struct Joined {
    kept: Vec<Tensor>,
    batches: u64,
}

impl Joined {
    /// The number of batches whose tensors are kept.
    pub(super) const fn batches(&self) -> u64 {
        self.batches
    }

    /// Adds the tensors of a batch (`nested_concat`).
    pub(super) fn add(&mut self, t: &Tape, new: Vec<Tensor>) {
        self.kept = if self.kept.is_empty() {
            new
        } else {
            let pairs = self.kept.iter().zip(&new);
            let joined = pairs.map(|(old, new)| {
                let joined = t.cat(&[old, new], 0);
                joined.set_category(Category::Logits);
                joined
            });
            joined.collect()
        };
        self.batches += 1;
    }

    /// Adds batches that are not run until there are `batches`: the last ones one by one, which leaves in the
    /// allocator's cache what it leaves.
    pub(super) fn grow(&mut self, t: &Tape, batches: u64) {
        let each = self.of(1);
        if batches > self.batches + ONE_BY_ONE {
            self.lengthen(t, batches - ONE_BY_ONE);
        }
        while self.batches < batches {
            let new = |&(shape, dtype)| t.allocate("predictions", shape, dtype, Category::Logits);
            let new = each.iter().map(new).collect();
            self.add(t, new);
        }
    }

    /// Stands for `batches` batches, of which some are not run.
    pub(super) fn lengthen(&mut self, t: &Tape, batches: u64) {
        let longer = |(shape, dtype)| t.allocate("cat", shape, dtype, Category::Logits);
        self.kept = self.of(batches).into_iter().map(longer).collect();
        self.batches = batches;
    }

    /// Shapes and dtypes of the tensors kept of `batches` batches.
    fn of(&self, batches: u64) -> Vec<(Shape, DType)> {
        let before = self.batches.max(1);
        let of = |kept: &Tensor| {
            let mut shape = *kept.shape();
            shape.dims_mut()[0] = shape.dim(0) / before * batches;
            (shape, kept.dtype())
        };
        self.kept.iter().map(of).collect()
    }

    /// Moves the kept tensors to the host.
    pub(super) fn clear(&mut self) {
        self.kept.clear();
        self.batches = 0;
    }
}

//! The streams of a root and its groups (`FSDPCommContext.lazy_init`).

use crate::units::Stream;

/// Roots with streams of their own; others share them with one of these.
const APART: u8 = 2;

/// The streams on which the collectives of a root run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Streams {
    /// `all_gather_copy_in_stream`.
    pub(super) copy_in: Stream,
    /// `reduce_scatter_stream`.
    pub(super) reduce_scatter: Stream,
    /// `all_reduce_stream`, of hybrid meshes.
    pub(super) all_reduce: Stream,
}

impl Streams {
    /// The streams of the `root`th root on a rank.
    pub(super) const fn of(root: u8) -> Self {
        let first = 3 * (root % APART) + 1;
        Self {
            copy_in: Stream::side(first),
            reduce_scatter: Stream::side(first + 1),
            all_reduce: Stream::side(first + 2),
        }
    }
}

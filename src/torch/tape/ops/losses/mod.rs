//! Losses.

mod cross_entropy;
mod cut;
mod divergence;
mod liger;
mod scored;

/// How rows are cut into pieces.
#[derive(Clone, Copy)]
pub(super) struct Pieces {
    /// Rows of a piece.
    pub(super) rows: u64,
    /// How many pieces there are.
    pub(super) pieces: u64,
}

pub use divergence::{Divergence, Headed};
pub use scored::TokenOutputs;

//! Masks of attention, as versions of transformers make them.

pub(crate) mod blocks;
mod both_sides;
mod indices;
pub(crate) mod mask;
pub(crate) mod sequences;
mod size;
pub(crate) mod triangle;

pub(crate) use both_sides::{BothSides, of_both_sides};
pub(crate) use indices::flags;
pub(crate) use mask::MaskRequest;
pub use size::{BatchShape, ScoreShape};

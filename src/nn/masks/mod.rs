//! Masks of attention, as versions of transformers make them.

pub(crate) mod blocks;
mod both_sides;
pub(crate) mod mask;
pub(crate) mod triangle;

pub(crate) use mask::MaskRequest;

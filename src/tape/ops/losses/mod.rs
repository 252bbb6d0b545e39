//! Losses.

mod cross_entropy;
mod cut;
mod liger;

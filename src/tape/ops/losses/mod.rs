//! Losses.

mod cross_entropy;
mod cut;
mod liger;
mod scored;

pub use scored::TokenOutputs;

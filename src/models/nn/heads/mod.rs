//! Heads of models and the losses over what they give.

pub(crate) mod classifier;
mod head;
pub mod loss;
mod scored;

pub(crate) use head::{Head, HeadLoss, Reads, Transform};
pub(crate) use scored::scored;

//! Multilayer perceptrons and their activation functions.

mod activation;
mod feed_forward;
mod gated_mlp;
mod plain_mlp;
mod xielu;

pub(crate) use activation::{activated, gelu_fast, gelu_new, tanh_in_gelu};
pub(crate) use feed_forward::{FeedForward, FusedMlp};
pub(crate) use gated_mlp::GatedMlp;
pub(crate) use plain_mlp::PlainMlp;

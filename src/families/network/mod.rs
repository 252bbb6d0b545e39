//! Any model on the tape: what goes in and comes out, and how `generate` calls it.

mod batch;
mod decoders;
mod encoders;
mod generation;
mod model;
mod model_cache;
pub(crate) mod seq2seq;

pub use batch::Batch;
pub use generation::{Calling, GenerateVersion};
pub use model::Model;
pub use model_cache::mask_beforehand;
pub(crate) use seq2seq::{Seq2Seq, Shared};

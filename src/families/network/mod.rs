//! Any model on the tape: what goes in and comes out, its modules by name, and how `generate` calls it.

mod batch;
mod generation;
mod model;
mod model_cache;
mod net;
pub(crate) mod seq2seq;

pub use batch::Batch;
pub use generation::{Calling, GenerateVersion};
pub use model::{Model, has_stages, modules};
pub use model_cache::mask_beforehand;
pub(crate) use net::{Build, CausalLm, Compares, Encoder, Net};
pub(crate) use seq2seq::{Seq2Seq, Shared};

//! Any model on the tape: what goes in and comes out, its modules by name, and how `generate` calls it.

mod batch;
mod divided;
mod generation;
mod model;
mod model_cache;
mod net;
pub(crate) mod seq2seq;

pub use batch::Batch;
pub use divided::DividedBatch;
pub use generation::{Calling, GenerateVersion};
pub use model::has_stages;
pub use model::{Model, modules};
pub use model_cache::mask_beforehand;
pub(crate) use net::{Build, CausalLm, Compares, Encoder, GraphModel, Net};
pub(crate) use seq2seq::{Seq2Seq, Shared};

//! Operations on tensors that are divided among ranks, as one of them sees them.

mod exchange;
mod model_parallel;
mod redistribution;
mod ring;
mod ring_attention;
mod routed_tokens;
mod vocabulary;

pub use model_parallel::Gathered;
pub use ring::Ring;

//! Operations on tensors that are divided among ranks, as one of them sees them.

mod exchange;
mod redistribution;
mod ring;
mod ring_attention;
mod vocabulary;

pub use ring::Ring;

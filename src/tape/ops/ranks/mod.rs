//! Operations on tensors that are divided among ranks, as one of them sees them.

mod redistribution;
mod vocabulary;

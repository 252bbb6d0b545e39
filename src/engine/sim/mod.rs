//! One training run as a program over the tape: a specification becomes a [`Trace`].
//!
//! Invariants: events are in program order; every free names a storage that is alive; the same
//! spec gives the same trace on every platform (no clock, no randomness, no floating point).

mod activations;
mod arguments;
mod audio_prompt;
mod backend;
mod beams;
mod evaluate;
mod fold;
mod generate;
mod gradients;
mod joined;
mod limitations;
mod megatron;
mod objectives;
mod offload;
#[cfg(test)]
mod on_ranks;
mod pipeline;
mod precision;
mod run;
#[cfg(test)]
mod sequences;
mod sharded;
mod trace;
mod training;

pub use crate::parallel::{Action, Computation, Slot, schedule};
pub use crate::tape::{Event, Piece, RawStorage};
pub use backend::backend;
pub use limitations::KNOWN_LIMITATIONS;
pub use run::{simulate, simulate_in_detail, simulate_with_waits};
pub use trace::{Mark, ModelParameter, Phase, Trace};

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

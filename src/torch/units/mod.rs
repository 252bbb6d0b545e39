//! Units: bytes, element types, shapes and streams.
//!
//! The room everything else rests on. It defines byte counts, element types, shapes and streams and how they combine;
//! it knows no model, no framework and no hardware.
//!
//! Invariants: sizes are whole bytes in `u64`; a [`Shape`] has at most [`MAX_DIMS`] dimensions;
//! no floating point.

mod bytes;
mod dtype;
mod limitation;
mod names;
mod order;
mod repetition;
mod shape;
mod stream;

pub use bytes::{Bytes, GIB, KIB, MIB};
pub use dtype::DType;
pub use limitation::Limitation;
pub use limitation::limitations;
pub use names::names;
pub use order::sort_short;
pub use repetition::Repetition;
pub use shape::{MAX_DIMS, Shape};
pub use stream::{Queue, Stream, Streams, Wait};

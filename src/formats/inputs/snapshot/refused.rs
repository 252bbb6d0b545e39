//! Why a file is not read as a snapshot.

use serde::{Deserialize, Serialize};

/// A problem of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refused {
    /// It does not begin as a pickle does.
    NoPickle,
    /// A zip archive, as `torch.save` writes it.
    Zip,
    /// Compressed.
    Compressed,
    /// A protocol that no snapshot is written in.
    Protocol(u8),
    /// It ends in the middle.
    Truncated,
    /// It does not hold together at a byte.
    Broken(usize),
    /// An opcode that imports or calls something, which is never done, at a byte.
    Object {
        /// The opcode.
        opcode: u8,
        /// The byte.
        place: usize,
    },
    /// An opcode that no snapshot has, at a byte.
    Opcode {
        /// The opcode.
        opcode: u8,
        /// The byte.
        place: usize,
    },
    /// Nested deeper than any snapshot.
    Deep,
    /// More values than a snapshot of 200 MB has.
    TooMuch,
    /// A pickle of something else.
    NoSnapshot,
}

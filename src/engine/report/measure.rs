//! The allocator's counts.

use crate::units::{Bytes, names};

names! {
    /// A count of used bytes.
    Measure {
        /// Live tensors.
        Live = "live",
        /// `torch.cuda.memory_allocated()`.
        Allocated = "allocated",
        /// `torch.cuda.memory_reserved()`.
        Reserved = "reserved",
    }
}

impl Measure {
    /// The one of three counts that is meant.
    pub fn of(self, live: Bytes, allocated: Bytes, reserved: Bytes) -> Bytes {
        match self {
            Self::Live => live,
            Self::Allocated => allocated,
            Self::Reserved => reserved,
        }
    }
}

//! A rank's place in a ring.

/// The position of a rank in a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Its place.
    pub rank: u64,
    /// Ranks.
    pub size: u64,
    /// Whether keys and values of all ranks are gathered at once, or come one by one.
    pub gathers: bool,
}

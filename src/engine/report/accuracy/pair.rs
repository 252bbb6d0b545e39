//! One figure, found and measured.

/// A figure that was found, and the same as it was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Found.
    pub found: u64,
    /// Measured.
    pub measured: u64,
}

impl Pair {
    /// The error, as a share.
    pub fn error(self) -> f64 {
        self.found.abs_diff(self.measured) as f64 / self.measured.max(1) as f64
    }

    /// Whether both figures are equal.
    pub fn is_equal(self) -> bool {
        self.found == self.measured
    }
}

//! Kinds of losses.

use super::scenario::Loss;

impl Loss {
    /// Whether it is computed from labels.
    pub const fn has_labels(self) -> bool {
        matches!(
            self,
            Self::Labels | Self::Chunked | Self::Cut | Self::Uncast | Self::Cast
        )
    }
}

//! Kinds of losses.

use super::scenario::Loss;

impl Loss {
    /// Whether the model returns it, where there is one.
    pub const fn is_returned(self) -> bool {
        !matches!(
            self,
            Self::MeanLogits | Self::CrossEntropy | Self::Mse | Self::Mean
        )
    }

    /// Whether it is one of an exported graph's.
    pub const fn is_of_graph(self) -> bool {
        matches!(
            self,
            Self::Own | Self::CrossEntropy | Self::Mse | Self::Mean
        )
    }

    /// Whether it is computed from labels.
    pub const fn has_labels(self) -> bool {
        matches!(
            self,
            Self::Labels | Self::Chunked | Self::Cut | Self::Uncast | Self::Cast
        )
    }
}

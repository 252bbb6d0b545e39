//! How ranks have a tensor together.

/// The form of a parameter where ranks divide matrices among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// A tensor of this rank alone.
    #[default]
    Local,
    /// A part of a tensor that ranks have together (`DTensor`, `Shard`).
    Divided,
    /// A copy of a tensor that all ranks have (`Replicate`).
    Copied,
    /// The same, where each rank gets the gradient of its own tokens alone: the sum of all ranks' is made
    /// when somebody asks for the gradient as the parameter is placed.
    Summed,
    /// Whole rows of a tensor that the ranks of experts have together: a mesh of its own (`Shard`).
    OfExperts,
}

impl Placement {
    /// Whether it is a tensor that ranks share.
    pub const fn is_distributed(self) -> bool {
        !matches!(self, Self::Local)
    }

    /// Whether ranks have all of it, each for itself.
    pub const fn is_copy(self) -> bool {
        matches!(self, Self::Copied | Self::Summed)
    }
}

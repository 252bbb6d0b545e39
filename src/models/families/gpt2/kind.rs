//! The relatives of GPT-2.

/// A model that is built as GPT-2 is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// GPT-2.
    Gpt2,
    /// `StarCoder` and `SantaCoder`.
    BigCode,
    /// GPT-Neo.
    Neo,
    /// GPT-J.
    J,
    /// `CodeGen`.
    CodeGen,
}

impl Kind {
    /// Whether scores are computed in float32.
    pub(super) fn is_wide(self) -> bool {
        matches!(self, Self::Neo | Self::J | Self::CodeGen)
    }

    /// Names of the linear layers of an MLP.
    pub(super) fn mlp_names(self) -> [&'static str; 2] {
        match self {
            Self::J | Self::CodeGen => ["fc_in", "fc_out"],
            _ => ["c_fc", "c_proj"],
        }
    }
}

//! Versions of frameworks.

use crate::units::names;

names! {
    /// The framework versions whose facts the engine follows.
    Framework {
        /// PyTorch 2.15 with transformers 5.23.
        Torch215Transformers523 = "torch-2.15/transformers-5.23",
        /// PyTorch 2.11 with transformers 5.23.
        Torch211Transformers523 = "torch-2.11/transformers-5.23",
        /// PyTorch 2.6 with transformers 4.51.
        Torch26Transformers451 = "torch-2.6/transformers-4.51",
        /// PyTorch 2.6 with transformers 4.48.
        Torch26Transformers448 = "torch-2.6/transformers-4.48",
        /// PyTorch 2.15 with Megatron-Core 0.16, which has models of its own.
        Torch215MegatronCore016 = "torch-2.15/megatron-core-0.16",
    }
}

#[allow(clippy::derivable_impls, reason = "names! lists values, not a default")]
impl Default for Framework {
    fn default() -> Self {
        Self::Torch215Transformers523
    }
}

impl Framework {
    /// Whether models are those of transformers 5.
    pub fn has_transformers_5(self) -> bool {
        matches!(
            self,
            Self::Torch215Transformers523 | Self::Torch211Transformers523
        )
    }
}

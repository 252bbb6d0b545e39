//! The dtypes of a precision.

use super::scenario::Precision;
use crate::units::DType;

impl Precision {
    /// The dtype of weights, and of inputs that are numbers: autocast's are cast where they are used.
    pub const fn dtype(self) -> DType {
        match self {
            Self::Bf16 => DType::BFloat16,
            Self::Fp16 => DType::Float16,
            Self::Fp32 | Self::AmpBf16 | Self::AmpFp16 => DType::Float32,
        }
    }

    /// Whether operations cast what they are given (`torch.autocast`).
    pub const fn autocasts(self) -> bool {
        matches!(self, Self::AmpBf16 | Self::AmpFp16)
    }
}

//! Element types, named as `torch.dtype` names them.

use serde::{Deserialize, Serialize};

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DType {
    /// 32-bit float.
    Float32,
    /// 64-bit float.
    Float64,
    /// 16-bit float with 8 exponent bits.
    BFloat16,
    /// 16-bit float with 5 exponent bits.
    Float16,
    /// 64-bit integer.
    Int64,
    /// 32-bit integer.
    Int32,
    /// Unsigned byte.
    UInt8,
    /// One byte a truth value.
    Bool,
}

impl DType {
    /// Bytes an element.
    pub const fn size(self) -> u64 {
        match self {
            Self::Int64 | Self::Float64 => 8,
            Self::Float32 | Self::Int32 => 4,
            Self::BFloat16 | Self::Float16 => 2,
            Self::UInt8 | Self::Bool => 1,
        }
    }

    /// Whether gradients can flow through elements of this type.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Self::Float64 | Self::Float32 | Self::BFloat16 | Self::Float16
        )
    }

    /// Whether elements are 16-bit floats.
    pub const fn is_half(self) -> bool {
        matches!(self, Self::BFloat16 | Self::Float16)
    }
}

//! Kernels that convolutions run by.

use crate::units::names;

names! {
    /// Kernels that convolutions of an exported graph run by.
    Convolutions {
        /// cuDNN's.
        Cudnn = "cudnn",
        /// PyTorch's own.
        Native = "native",
    }
}

impl Convolutions {
    /// Whether it is the default.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    pub fn is_usual(&self) -> bool {
        *self == Self::Cudnn
    }
}
